import { Wrench } from 'lucide-react'
import type { ApprovalRequest } from '../../src/contract/approval.ts'
import type { ToolGrant } from '../../src/contract/tools.ts'
import styles from './tools.module.css'
import { VisibleText } from './visible-text.tsx'

const effects: Record<ToolGrant['effect'], string> = {
  reads: 'It says that it only reads.',
  writes: 'It says that it changes something, outside this sandbox. That cannot be undone here.',
  destroys: 'It may change or destroy something outside this sandbox. That cannot be undone here.',
}

/** The tools that the code may call if it is approved. What they say of themselves is their servers' word, as text. */
export function ToolGrants({ request: { placement } }: { request: ApprovalRequest }) {
  const { tools = [] } = placement
  if (tools.length === 0) return null
  return (
    <section className={styles.tools} aria-label="Tools it may call">
      <h3>
        <Wrench aria-hidden /> Tools it may call
      </h3>
      <ul>
        {tools.map(tool => (
          <li key={`${tool.server} ${tool.tool}`}>
            <b>{tool.tool}</b> of <b>{tool.server}</b>, as{' '}
            <code>
              tools.{tool.calledAs.server}.{tool.calledAs.tool}
            </code>
            <p className={tool.effect === 'reads' ? undefined : styles.effect}>{effects[tool.effect]}</p>
            {tool.description && (
              <blockquote>
                <VisibleText text={tool.description} />
              </blockquote>
            )}
            <p className={styles.note}>
              Accepted as <code title={tool.hash}>{tool.hash.slice(0, 16)}</code>; if it is another by then, it is not
              called.
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
