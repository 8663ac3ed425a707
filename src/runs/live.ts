import type { Clock } from '../clock.ts'
import type { PathId, RunId, TenantId } from '../contract/ids.ts'
import type { Output } from '../contract/run.ts'
import { isAtRest, type LiveRun, type RunView } from '../contract/runs.ts'
import { addShown, type Shown, sizeOf, withShown } from '../contract/shown.ts'
import type { Events } from '../events.ts'
import { type RunEvent, transitionRun } from './transition.ts'

/** How long output is gathered before windows hear of it: one frame, so that a chatty program costs 60 events a second. */
const gatherMs = 16

/** And longer the more there is: an animation of large pictures must not take a window more than it can draw. */
const charsPerMs = 2_000

/** Windows that open in the middle of a run are shown at most this much of what it wrote. */
const keptChars = 50_000

/** A window is sent at most this much of a run while it goes on: a gigabyte would be its end. */
const sentChars = 1_000_000

/** The runs that are under way, what they have shown, and the telling of it. */
export class LiveRuns {
  readonly #runs = new Map<RunId, Live>()
  readonly #events: Events
  readonly #clock: Clock

  constructor(events: Events, clock: Clock) {
    this.#events = events
    this.#clock = clock
  }

  begin(tenant: TenantId, view: RunView): void {
    this.#runs.set(view.run, new Live(tenant, view, this.#events, this.#clock))
    this.#events.publish(tenant, { type: 'run', run: view })
  }

  /** Moves a run on and tells everyone; one that has come to rest is forgotten here. Null when it was at rest before. */
  move(run: RunId, event: RunEvent): RunView | null {
    const live = this.#runs.get(run)
    const next = live && transitionRun(live.view, event)
    if (!live || !next) return null
    live.flush()
    live.view = next
    this.#events.publish(live.tenant, { type: 'run', run: next })
    if (isAtRest(next.state)) this.#runs.delete(run)
    return next
  }

  show(run: RunId, shown: Shown): void {
    this.#runs.get(run)?.show(shown)
  }

  view(run: RunId): RunView | null {
    return this.#runs.get(run)?.view ?? null
  }

  /** A run under way with what it has shown; null for another tenant's. */
  one(tenant: TenantId, run: RunId): LiveRun | null {
    const live = this.#runs.get(run)
    return live?.tenant === tenant ? live.snapshot() : null
  }

  on(tenant: TenantId, path: PathId): LiveRun[] {
    return [...this.#runs.values()]
      .filter(each => each.tenant === tenant && each.view.path === path)
      .map(each => each.snapshot())
  }
}

class Live {
  readonly tenant: TenantId
  view: RunView
  readonly #events: Events
  readonly #clock: Clock
  #shown: Output[] = []
  #chars = 0
  #gathered: Shown[] = []
  #sent = 0
  #cancel: (() => void) | null = null

  constructor(tenant: TenantId, view: RunView, events: Events, clock: Clock) {
    this.tenant = tenant
    this.view = view
    this.#events = events
    this.#clock = clock
  }

  show(shown: Shown): void {
    if (shown.type === 'clear') this.#sent = 0
    if (shown.type === 'stream') {
      const isFull = this.#sent >= sentChars
      this.#sent += shown.text.length
      if (isFull) return
      if (this.#sent >= sentChars) {
        this.#gather(shown)
        shown = { type: 'notice', text: 'More is printed than can be shown while it runs.', passing: true }
      }
    }
    this.#gather(shown)
    if (this.#cancel) return
    // The first output goes out at once: it is what the person waits for. An empty cell is not, so a clear is held back.
    this.#wait(shown.type === 'clear' ? 0 : this.flush())
  }

  /** Windows are not sent what is gone again by the time they would hear of it. */
  #gather(shown: Shown): void {
    if (shown.type === 'clear') this.#gathered = [shown]
    else if (shown.type === 'update') {
      const { displayId, data, metadata } = shown
      const at = this.#gathered.findLastIndex(each => 'displayId' in each && each.displayId === displayId)
      const before = this.#gathered[at]
      if (before?.type === 'display') this.#gathered[at] = { type: 'display', displayId, data, metadata }
      else if (before) this.#gathered[at] = shown
      else this.#gathered.push(shown)
    } else addShown(this.#gathered, shown)
  }

  #wait(sent: number): void {
    this.#cancel = this.#clock.after(Math.max(gatherMs, sent / charsPerMs), () => {
      this.#cancel = null
      const more = this.flush()
      if (more > 0) this.#wait(more)
    })
  }

  /** How many characters were sent. */
  flush(): number {
    const gathered = this.#gathered
    if (gathered.length === 0) return 0
    this.#gathered = []
    // A clear is always the first.
    if (gathered[0]?.type === 'clear') this.#chars = 0
    if (this.#chars < keptChars) {
      this.#shown = withShown(this.#shown, gathered)
      this.#chars += gathered.reduce((sum, each) => sum + (each.type === 'stream' ? each.text.length : 0), 0)
    }
    this.#events.publish(this.tenant, { type: 'run.output', run: this.view.run, outputs: gathered })
    return gathered.reduce((sum, shown) => sum + sizeOf(shown), 0)
  }

  snapshot(): LiveRun {
    this.flush()
    return { view: this.view, outputs: [...this.#shown] }
  }
}
