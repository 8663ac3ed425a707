import { CircleStop, FastForward, Redo2, RefreshCw, RotateCcw, Undo2 } from 'lucide-react'
import type { OpenedPath } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { runCommand } from '../commands/commands.ts'
import { isResting, useRuns } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { restorePath } from '../tree/actions.ts'
import { Button, IconButton } from '../ui/button.tsx'
import styles from './run-bar.module.css'

/** What concerns the whole path: run all, stop, restart, undo. */
export function RunBar({
  conversation,
  path,
  opened,
}: {
  conversation: ConversationId
  path: PathId
  opened: OpenedPath
}) {
  const busy = useRuns(state => [...state.runs.values()].some(({ view }) => view.path === path && !isResting(view)))
  const cells = opened.items.filter(item => item.kind === 'cell').length
  const stale = opened.items.filter(item => item.kind === 'cell' && item.lastRun?.stale).length
  if (opened.path.state !== 'open') {
    return (
      <div className={styles.bar} role="note">
        This path is {opened.path.state}: it can be read, not changed.
        <span className={styles.space} />
        <Button icon={<Undo2 />} onClick={() => void restorePath(conversation, path).catch(showProblem)}>
          {opened.path.state === 'archived' ? 'Take out of the archive' : 'Restore'}
        </Button>
      </div>
    )
  }
  return (
    <div className={styles.bar} role="toolbar" aria-label="Path">
      <Button look="quiet" icon={<FastForward />} onClick={() => runCommand('cell.run.all')}>
        Run all
      </Button>
      {stale > 0 && (
        <Button look="quiet" icon={<RefreshCw />} disabled={busy} onClick={() => runCommand('cell.run.stale')}>
          Run stale ({stale})
        </Button>
      )}
      <Button look="quiet" icon={<CircleStop />} disabled={!busy} onClick={() => runCommand('sandbox.interrupt')}>
        Interrupt
      </Button>
      <Button look="quiet" icon={<RotateCcw />} onClick={() => runCommand('sandbox.restart')}>
        Restart
      </Button>
      <span className={styles.space} />
      <span className={styles.facts}>
        {cells} {cells === 1 ? 'cell' : 'cells'}
        {stale > 0 && ` · ${stale} stale`}
      </span>
      <IconButton label="Undo" keys="Z" icon={<Undo2 />} onClick={() => runCommand('edit.undo')} />
      <IconButton label="Redo" keys="Shift+Z" icon={<Redo2 />} onClick={() => runCommand('edit.redo')} />
    </div>
  )
}
