/** Counts what is under way, for those that wait until something of it has ended. */
export class Busy {
  #count = 0
  #next = Promise.withResolvers<void>()

  async with<T>(work: () => Promise<T>): Promise<T> {
    this.#count++
    try {
      return await work()
    } finally {
      this.#count--
      this.#next.resolve()
      this.#next = Promise.withResolvers()
    }
  }

  /** Resolves with the next end; null while nothing is under way. */
  nextEnd(): Promise<void> | null {
    return this.#count > 0 ? this.#next.promise : null
  }
}
