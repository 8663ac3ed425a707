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
  const [asking, setAsking] = useState(false)
  useCommand('sandbox.restart', () => setAsking(true))
  const restart = (after?: () => Promise<void>) => {
    setAsking(false)
    void client.sandbox
      .restart(path)
      .then(() => after?.())
      .catch(showProblem)
  }
  return (
    <Dialog
      open={asking}
      onClose={() => setAsking(false)}
      title="Restart the sandbox?"
      description="All variables of this path are dropped, and what is running stops. Cells and outputs stay."
      footer={
        <>
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button onClick={() => restart(() => runAll(path))}>Restart and run all</Button>
          <Button look="danger" onClick={() => restart()}>
            Restart
          </Button>
        </>
      }
    >
      {null}
    </Dialog>
  )
}
