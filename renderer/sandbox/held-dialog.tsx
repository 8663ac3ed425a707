import { useState } from 'react'
import type { RunView, WayOn } from '../../src/contract/runs.ts'
import { runItem } from '../notebook/actions.ts'
import { dropHeld, useAsking } from '../review/asking.ts'
import { isolationWords } from '../review/words.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './held-dialog.module.css'

/** Opens when a run that was started here needs more than its path's sandbox gives: two ways on, and the safe one is neither. */
export default function HeldDialog() {
  const [first] = useAsking(state => state.held)
  return first?.held ? <Ways key={first.run} view={first} held={first.held} /> : null
}

type Held = NonNullable<RunView['held']>

function Ways({ view, held }: { view: RunView; held: Held }) {
  const [busy, setBusy] = useState<WayOn | null>(null)
  const close = () => dropHeld(view.run)
  const goOn = (way: WayOn) => {
    setBusy(way)
    runItem(view.path, view.cell, view.network ?? [], way)
      .catch(showProblem)
      .finally(close)
  }
  return (
    <Dialog
      open
      onClose={close}
      title="This code needs a stronger sandbox"
      description={held.why}
      footer={
        <>
          <Button onClick={close} autoFocus>
            Not now
          </Button>
          <Button onClick={() => goOn('aside')} busy={busy === 'aside'} disabled={busy !== null}>
            Run it once elsewhere
          </Button>
          <Button look="primary" onClick={() => goOn('move')} busy={busy === 'move'} disabled={busy !== null}>
            Move the path
          </Button>
        </>
      }
    >
      <dl className={styles.ways}>
        <div>
          <dt>This path has</dt>
          <dd>
            <b>{held.current.isolation}</b> {isolationWords[held.current.isolation]}
          </dd>
        </div>
        <div>
          <dt>It needs</dt>
          <dd>
            <b>{held.needed.isolation}</b> {isolationWords[held.needed.isolation]}
          </dd>
        </div>
        <div>
          <dt>Move the path</dt>
          <dd>
            Everything on this path runs there from now on. Files go along, variables do not: run the cells again.
          </dd>
        </div>
        <div>
          <dt>Run it once elsewhere</dt>
          <dd>Only this cell, with a copy of the files. Neither files nor variables of it are kept.</dd>
        </div>
      </dl>
    </Dialog>
  )
}
