import type { Clock } from './clock.ts'

/** A clock that moves only when a test says so. */
export class ManualClock implements Clock {
  #now: number
  #waiting: { at: number; call: () => void }[] = []

  constructor(start = Date.UTC(2026, 0, 5, 9, 0, 0)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  after(ms: number, call: () => void): () => void {
    const entry = { at: this.#now + ms, call }
    this.#waiting.push(entry)
    return () => {
      this.#waiting = this.#waiting.filter(other => other !== entry)
    }
  }

  /** Moves time on, calling what falls due in order. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = this.#waiting.filter(entry => entry.at <= end).sort((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#waiting = this.#waiting.filter(entry => entry !== due)
      this.#now = due.at
      due.call()
    }
    this.#now = end
  }

  /** Sets the wall clock, also backwards, without calling anything. */
  set(now: number): void {
    this.#now = now
  }
}
