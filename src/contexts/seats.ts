import type { ContextReason, PathRef } from '../contract/contexts.ts'
import type { UserId } from '../contract/ids.ts'
import { Failure, type Outcome } from '../contract/problem.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { enterAll, Lane, type Leave } from './lane.ts'
import type { ContextRecord } from './lifecycle.ts'
import { closing } from './problems.ts'

/** Why and at whose wish a sandbox is ended. */
export interface Ending {
  readonly reason: ContextReason
  readonly message: string
  readonly by: UserId | null
  /** Nobody asked for its end: where the sandbox can be paused, it is, and nothing is lost. */
  readonly restful?: true
}

/** A context whose sandbox this process holds. */
export interface Occupant {
  record: ContextRecord
  readonly sandbox: Sandbox
  /** It ended, broke or is being ended: nothing may use it any more. */
  gone: boolean
  /** Another process has its record now, and the sandbox with it. */
  taken: boolean
  /** Kept until it is on the record, so that a second try writes the same reason. */
  ending: Ending | null
  /** What the next run must say first. */
  untold: string | null
  /** Counts that are not written yet: waiting for their moment, or refused by the store. */
  unwritten: 'no' | 'soon' | 'refused'
  /** Since when it has its variables: it was opened, or restarted. */
  freshSince: number
}

/** What this process holds of one path: the line in front of its sandbox, and the sandbox while there is one. */
export interface Seat {
  readonly ref: PathRef
  readonly lane: Lane
  occupant: Occupant | null
  /** The record of a sandbox that is being made. */
  opening: ContextRecord | null
  /** The record that ended last, for those who watch. */
  last: ContextRecord | null
  running: boolean
  /** Stops what is inside the lane now. */
  stop: AbortController | null
}

/** The seats of all paths that this process has to do with, and the turns that are taken at them. */
export class Seats {
  readonly #seats = new Map<string, Seat>()
  readonly #changed: (seat: Seat) => void
  #closed = false

  constructor(changed: (seat: Seat) => void) {
    this.#changed = changed
  }

  at({ tenant, conversation, path }: PathRef): Seat {
    const key = keyOf({ tenant, conversation, path })
    const known = this.#seats.get(key)
    if (known) return known
    const seat: Seat = {
      ref: { tenant, conversation, path },
      lane: new Lane(() => this.#changed(seat)),
      occupant: null,
      opening: null,
      last: null,
      running: false,
      stop: null,
    }
    this.#seats.set(key, seat)
    return seat
  }

  find(ref: PathRef): Seat | null {
    return this.#seats.get(keyOf(ref)) ?? null
  }

  all(): Seat[] {
    return [...this.#seats.values()]
  }

  /** From here on no turn begins but those that end things. */
  close(): void {
    this.#closed = true
  }

  /** Waits for the seat, then does `work` there alone. The signal that it is given also hears `atOnce`. */
  async inTurn<T>(
    seat: Seat,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    if (this.#closed) return closing()
    return this.#alone([seat], seat.lane.enter(signal), stop => work(AbortSignal.any([signal, stop])))
  }

  /** Stops what goes on at the seat, sends away who waits, then does `work` there alone. */
  atOnce<T>(seat: Seat, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    seat.lane.clear()
    seat.stop?.abort()
    return this.#alone([seat], seat.lane.enter(), work)
  }

  /** Does `work` alone at all of these seats. */
  async atAll<T>(seats: readonly Seat[], work: (signal: AbortSignal) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (this.#closed) return closing()
    return this.#alone(seats, enterAll(seats.map(seat => seat.lane)), work)
  }

  async #alone<T>(
    seats: readonly Seat[],
    entering: Promise<Outcome<Leave>>,
    work: (signal: AbortSignal) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const entered = await entering
    if (!entered.ok) return entered
    const stop = new AbortController()
    for (const seat of seats) seat.stop = stop
    try {
      return await work(stop.signal)
    } catch (thrown) {
      // A store that fails is told like any other problem; anything else is a bug and goes on as one.
      if (thrown instanceof Failure) return { ok: false, problem: thrown.problem }
      throw thrown
    } finally {
      for (const seat of seats) {
        seat.stop = null
        this.#changed(seat)
      }
      entered.value()
      for (const seat of seats) this.#prune(seat)
    }
  }

  /** Forgets a seat that nobody is at and that has no sandbox. */
  #prune(seat: Seat): void {
    if (!seat.occupant && !seat.lane.busy && this.find(seat.ref) === seat) this.#seats.delete(keyOf(seat.ref))
  }
}

// All three parts: knowing the id of somebody else's path leads nowhere.
const keyOf = ({ tenant, conversation, path }: PathRef) => `${tenant}/${conversation}/${path}`
