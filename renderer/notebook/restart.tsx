import { useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import { useCommand } from '../commands/commands.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { runAll } from './actions.ts'

/** Restart asks first: an hour's variables are gone with one key otherwise. */
export function Restart({ path }: { path: PathId }) {
  const [asking, setAsking] = useState<'restart' | 'run' | null>(null)
  useCommand('sandbox.restart', () => setAsking('restart'))
  useCommand('sandbox.restart.run', () => setAsking('run'))
  const restart = async (after?: () => Promise<void>) => {
    setAsking(null)
    // Cells that are to run one after the other would take those after it for part of a series that is being stopped.
    await client.series.end(path)
    await client.sandbox.restart(path)
    await after?.()
  }
  return (
    <Dialog
      open={asking !== null}
      onClose={() => setAsking(null)}
      title="Restart the sandbox?"
      description="All variables of this path are dropped, and what is running stops. Cells and outputs stay."
      footer={
        <>
          <Button onClick={() => setAsking(null)}>Cancel</Button>
          <Button
            look={asking === 'run' ? 'danger' : 'plain'}
            onClick={() => void restart(() => runAll(path)).catch(showProblem)}
          >
            Restart and run all
          </Button>
          {asking !== 'run' && (
            <Button look="danger" onClick={() => void restart().catch(showProblem)}>
              Restart
            </Button>
          )}
        </>
      }
    >
      {null}
    </Dialog>
  )
}
