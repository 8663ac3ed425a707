/** At most so many requests to a host in any minute, counted exactly: a window that slides. */
export class RateLimit {
  readonly #times = new Map<string, number[]>()
  readonly #most: number
  readonly #windowMs: number
  #swept = 0

  constructor(most = 100, windowMs = 60_000) {
    this.#most = most
    this.#windowMs = windowMs
  }

  /** Counts a request, or answers how many milliseconds to wait until one is free. */
  take(host: string, now: number): number | null {
    this.#sweep(now)
    const times = (this.#times.get(host) ?? []).filter(time => time > now - this.#windowMs)
    const [oldest] = times
    if (times.length >= this.#most && oldest !== undefined) return oldest + this.#windowMs - now
    times.push(now)
    this.#times.set(host, times)
    return null
  }

  /** Hosts that nobody has asked for in the last minute are forgotten: a wildcard covers any number of names. */
  #sweep(now: number): void {
    if (now - this.#swept < this.#windowMs) return
    this.#swept = now
    for (const [host, times] of this.#times) if ((times.at(-1) ?? 0) <= now - this.#windowMs) this.#times.delete(host)
  }
}
