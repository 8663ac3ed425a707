import { CircleStop, CircleX, CornerDownLeft } from 'lucide-react'
import type { RunError } from '../../src/contract/run.ts'
import { isStop } from '../ui/run-end.ts'
import type { OutputActions } from './actions.ts'
import styles from './output.module.css'
import { Text } from './text/text.tsx'

/** What each kind of failure is called, in words that help. */
const titles: Record<RunError['kind'], string> = {
  syntax: 'This line cannot be read, so nothing was run',
  runtime: 'The code failed',
  timeout: 'The run took too long and was stopped',
  memory: 'The run needed too much memory and was stopped',
  killed: 'The run was stopped',
  sandbox: 'The sandbox failed',
}

/** One word for how a run ended that began and did not succeed. */
export const failureWord = (error: Pick<RunError, 'kind' | 'name'> | null): 'stopped' | 'syntax error' | 'failed' =>
  error === null ? 'failed' : isStop(error) ? 'stopped' : error.kind === 'syntax' ? 'syntax error' : 'failed'

/** Why a run failed: what, where, and the way there. */
export function ErrorReport({ error, actions }: { error: RunError; actions: OutputActions }) {
  const { line } = error
  if (isStop(error))
    return (
      <p className={styles.stopped}>
        <CircleStop aria-hidden size={15} /> The run was stopped.
      </p>
    )
  // Kernels end the traceback with the message; without it the message stands alone.
  const traceback = error.traceback.join('\n').trimEnd()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div className={styles.error} role="group" aria-label={`Error: ${titles[error.kind]}`}>
      <div className={styles.errorHead}>
        <CircleX aria-hidden size={15} />
        <span className={styles.errorTitle}>{titles[error.kind]}</span>
        {line !== undefined && actions.onOpenLine && (
          <button type="button" className={styles.goTo} onClick={() => actions.onOpenLine?.(line)}>
            <CornerDownLeft aria-hidden size={12} /> Line {line}
          </button>
        )}
      </div>
      <div className={styles.errorMessage}>
        <strong>{error.name}</strong>
        {error.message && `: ${error.message.length > 2000 ? `${error.message.slice(0, 2000)}…` : error.message}`}
      </div>
      {traceback && <Text chunks={[traceback]} label="Traceback" linked actions={actions} />}
    </div>
  )
}
