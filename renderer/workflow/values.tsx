import type { TaskView } from '../../src/contract/workflow.ts'
import { VisibleText } from '../review/visible-text.tsx'
import styles from './workflow.module.css'

/** What a task left, by name: plain values on one line, lists and objects as they are written. */
export function Values({ values }: { values: NonNullable<TaskView['outputs']> }) {
  return (
    <span className={styles.values}>
      {Object.entries(values).map(([name, value]) => (
        <span key={name}>
          {name}{' '}
          <code>
            <VisibleText text={typeof value === 'string' ? value : JSON.stringify(value)} />
          </code>
        </span>
      ))}
    </span>
  )
}
