import { fail, type Outcome, ok } from '../contract/problem.ts'

/** Gives the lane to the next in line. Calling it twice is harmless. */
export type Leave = () => void

interface Waiting {
  readonly answer: (answer: Outcome<Leave>) => void
  /** Whether it came with a signal: who can give up can also be sent away. */
  readonly mayGo: boolean
}

/** Lets one in at a time, in the order in which they came. Who comes with a signal can give up, or be sent away. */
export class Lane {
  #waiting: Waiting[] = []
  #busy = false
  readonly #changed: () => void

  constructor(changed: () => void = () => undefined) {
    this.#changed = changed
  }

  get busy(): boolean {
    return this.#busy
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Takes its place in line at once, before anything is awaited, so that the order of calls is the order of entry. */
  enter(signal?: AbortSignal): Promise<Outcome<Leave>> {
    if (signal?.aborted) return Promise.resolve(cancelled())
    if (!this.#busy) {
      this.#busy = true
      return Promise.resolve(ok(this.#leaveOnce()))
    }
    return new Promise(resolve => {
      const answer = (outcome: Outcome<Leave>) => {
        signal?.removeEventListener('abort', giveUp)
        resolve(outcome)
      }
      const place = { answer, mayGo: signal !== undefined }
      const giveUp = () => {
        this.#waiting = this.#waiting.filter(other => other !== place)
        answer(cancelled())
        this.#changed()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(place)
      this.#changed()
    })
  }

  /** Sends away those who wait and may go. Whoever is inside stays, and so does who must have its turn. */
  clear(): void {
    const sentAway = this.#waiting.filter(each => each.mayGo)
    this.#waiting = this.#waiting.filter(each => !each.mayGo)
    for (const { answer } of sentAway) answer(cancelled())
    if (sentAway.length > 0) this.#changed()
  }

  #leaveOnce(): Leave {
    let left = false
    return () => {
      if (left) return
      left = true
      const next = this.#waiting.shift()
      if (next) {
        next.answer(ok(this.#leaveOnce()))
        this.#changed()
      } else {
        this.#busy = false
      }
    }
  }
}

/**
 * Enters several lanes as one step. All places are taken before anything is awaited, so two who want the same lanes
 * cannot lock each other out.
 */
export async function enterAll(lanes: readonly Lane[]): Promise<Outcome<Leave>> {
  const entered = await Promise.all(lanes.map(lane => lane.enter()))
  return ok(() => {
    for (const each of entered) if (each.ok) each.value()
  })
}

const cancelled = () =>
  fail('request.cancelled', 'This was stopped before its turn came.', 'Nothing of it ran. Run it again when you like.')
