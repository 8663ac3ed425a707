import { useState } from 'react'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** To end a sandbox takes its variables with it, so it is asked about. */
export function EndDialog({ of, status, onClose }: { of: string; status: ContextStatus; onClose(): void }) {
  const [busy, setBusy] = useState(false)
  const { runs, state, path } = status
  const end = () => {
    setBusy(true)
    client.sandbox.end(path).catch(showProblem).finally(onClose)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`End the sandbox of ${of}?`}
      description={
        state === 'running'
          ? 'What runs there now is stopped, and its variables are gone.'
          : `Its variables are gone: ${runs} ${runs === 1 ? 'run' : 'runs'} made them.`
      }
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            Keep it
          </Button>
          <Button look="danger" onClick={end} busy={busy}>
            End the sandbox
          </Button>
        </>
      }
    >
      <p>Cells, outputs and files stay. The next run opens a new sandbox with the same files.</p>
    </Dialog>
  )
}
