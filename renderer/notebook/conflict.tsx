import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { windowName } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './conflict.module.css'
import { patchItems } from './path-data.ts'
import { giveUpTyped, useConflict } from './typing.ts'

/** Two windows edited one cell: both texts are here, and the person says which one stays. */
export function ConflictDialog() {
  const { conflict } = useConflict()
  if (!conflict) return null
  const { path, current, yours } = conflict
  const close = () => useConflict.setState({ conflict: null })
  const keepMine = async () => {
    const result = await client.paths.edit({
      path,
      item: current.id,
      text: yours,
      expectedRevision: current.revision,
      window: windowName,
    })
    if (result.result === 'conflict') return useConflict.setState({ conflict: { ...result, path } })
    patchItems(path, [result.item])
    close()
  }
  const keepTheirs = async () => {
    await client.paths.dropDraft({ path, item: current.id, window: windowName })
    patchItems(path, [current])
    giveUpTyped(current.id)
    close()
  }
  const keepBoth = async () => {
    const made =
      current.kind === 'cell' ? { kind: 'cell' as const, language: current.language } : { kind: 'message' as const }
    await client.paths.insert({ path, after: current.id, items: [{ ...made, author: current.author, text: yours }] })
    await keepTheirs()
  }
  return (
    <Dialog
      open
      wide
      onClose={() => void keepBoth().catch(showProblem)}
      title="This was changed in another window"
      description="Nothing is lost: choose what stays. The other text stays in the item's history. Closing this keeps both."
      footer={
        <>
          <Button onClick={() => void keepTheirs().catch(showProblem)}>Keep the other</Button>
          <Button onClick={() => void keepMine().catch(showProblem)}>Keep mine</Button>
          <Button look="primary" onClick={() => void keepBoth().catch(showProblem)}>
            Keep both
          </Button>
        </>
      }
    >
      <div className={styles.sides}>
        <section>
          <h2>The other window</h2>
          <pre>{current.text}</pre>
        </section>
        <section>
          <h2>Yours</h2>
          <pre>{yours}</pre>
        </section>
      </div>
    </Dialog>
  )
}
