import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { Button } from '../ui/button.tsx'
import { Keys } from '../ui/keys.tsx'
import styles from './tour.module.css'

/** Whether somebody has seen the tour or left it: then it does not begin by itself again. */
interface TourState {
  readonly seen: boolean
  readonly step: number | null
}

export const useTour = create<TourState>()(
  persist((): TourState => ({ seen: false, step: null }), {
    name: 'countersign.tour',
    partialize: ({ seen }): TourState => ({ seen, step: null }),
  }),
)

export function beginTour(): void {
  useTour.setState({ step: 0 })
}
function leave(): void {
  useTour.setState({ seen: true, step: null })
}

interface Step {
  readonly title: string
  readonly text: string
  readonly keys?: string
  /** What it points at; where that is not in sight the step stands in the middle. */
  readonly at: string
}

const steps: readonly Step[] = [
  {
    title: 'Paths, not copies',
    text: 'A conversation is a tree. Branch from any cell to try something else: the branch sees what was there and has a sandbox of its own.',
    keys: 'Mod+Shift+B',
    at: '[aria-label="Navigation"]',
  },
  {
    title: 'Run a cell',
    text: 'Code is checked before it runs. What is risky waits for a reviewer; what is not runs at once in the sandbox of its path.',
    keys: 'Shift+Enter',
    at: '[data-testid="items"]',
  },
  {
    title: 'Pin what counts',
    text: 'Pin a number, table or chart of an output. It is followed through every run, compared across branches, and says where it comes from.',
    keys: 'P',
    at: '[aria-label="Inspector"]',
  },
  {
    title: 'The record',
    text: 'Everything that happens is on a chain that nobody can quietly change. Verify it, search it, and export it for auditors.',
    keys: 'Mod+3',
    at: '[aria-label="Places"]',
  },
  {
    title: 'Every command has a name',
    text: 'The palette has them all, with their keys. The page of keys shows those that count where you are.',
    keys: 'Mod+K',
    at: 'header',
  },
]

/** Five steps over the window as it is. Escape leaves at any time, and it does not come back by itself. */
export function Tour() {
  const step = useTour(state => state.step)
  const current = step === null ? undefined : steps[step]
  const [box, setBox] = useState<DOMRect | null>(null)
  useEffect(() => {
    setBox(current ? (document.querySelector(current.at)?.getBoundingClientRect() ?? null) : null)
    if (!current) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      leave()
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [current])
  if (step === null || !current) return null
  const isLast = step === steps.length - 1
  return (
    <div className={styles.layer}>
      {box && (
        <div className={styles.light} style={{ left: box.x, top: box.y, width: box.width, height: box.height }} />
      )}
      <section className={styles.card} role="dialog" aria-label={`Tour, step ${step + 1} of ${steps.length}`}>
        <small>
          {step + 1} of {steps.length}
        </small>
        <h2>{current.title}</h2>
        <p>{current.text}</p>
        {current.keys && <Keys keys={current.keys} />}
        <footer>
          <Button look="quiet" onClick={leave}>
            Leave the tour
          </Button>
          {step > 0 && <Button onClick={() => useTour.setState({ step: step - 1 })}>Back</Button>}
          <Button
            look="primary"
            autoFocus
            key={step}
            onClick={isLast ? leave : () => useTour.setState({ step: step + 1 })}
          >
            {isLast ? 'Done' : 'Next'}
          </Button>
        </footer>
      </section>
    </div>
  )
}
