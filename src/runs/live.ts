import type { Clock } from '../clock.ts'
import type { PathId, RunId, TenantId } from '../contract/ids.ts'
import type { Output } from '../contract/run.ts'
import { isAtRest, type LiveRun, type RunView } from '../contract/runs.ts'
import type { Events } from '../events.ts'
import { type RunEvent, transitionRun } from './transition.ts'

/** How long output is gathered before windows hear of it: one frame, so that a chatty program costs 60 events a second. */
const gatherMs = 16

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

  show(run: RunId, output: Output): void {
    this.#runs.get(run)?.show(output)
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
  #gathered: Output[] = []
  #sent = 0
  #cancel: (() => void) | null = null

  constructor(tenant: TenantId, view: RunView, events: Events, clock: Clock) {
    this.tenant = tenant
    this.view = view
    this.#events = events
    this.#clock = clock
  }

  show(output: Output): void {
    if (output.type === 'stream') {
      const isFull = this.#sent >= sentChars
      this.#sent += output.text.length
      if (isFull) return
      if (this.#sent >= sentChars) {
        append(this.#gathered, output)
        output = { type: 'notice', text: 'More is printed than can be shown while it runs.', passing: true }
      }
    }
    append(this.#gathered, output)
    if (this.#chars < keptChars) {
      append(this.#shown, output)
      this.#chars += output.type === 'stream' ? output.text.length : 0
    }
    if (this.#cancel) return
    // The first output goes out at once: it is what the person waits for.
    this.flush()
    this.#cancel = this.#clock.after(gatherMs, () => {
      this.#cancel = null
      this.flush()
    })
  }

  flush(): void {
    if (this.#gathered.length === 0) return
    this.#events.publish(this.tenant, { type: 'run.output', run: this.view.run, outputs: this.#gathered })
    this.#gathered = []
  }

  snapshot(): LiveRun {
    this.flush()
    return { view: this.view, outputs: [...this.#shown] }
  }
}

/** Joins text to the piece before it when both come from the same stream. */
function append(outputs: Output[], output: Output): void {
  const last = outputs.at(-1)
  if (output.type === 'stream' && last?.type === 'stream' && last.name === output.name) {
    outputs[outputs.length - 1] = { ...last, text: last.text + output.text }
  } else {
    outputs.push(output)
  }
}
