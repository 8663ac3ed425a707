/** How often values are looked for in a run from inside it, once it was taken for a value and was none. */
const mostAttempts = 2
/** What is left of a run when it is so short that looking costs nothing: `secret:token:password:…`. */
const cheap = 32

/**
 * A run of characters with nothing between them that ends a value. In `secret:secret:secret:…` each sign has the rest of
 * the run behind it; were it read and judged anew at each of them, a megabyte would take seconds.
 */
export class Run {
  #from = -1
  #to = -1
  #rejected = 0

  /** Up to where a run that holds `from` is known to go on; `from` itself when it begins another. */
  knownFrom(from: number): number {
    if (from >= this.#from && from < this.#to) return this.#to
    this.#from = from
    this.#to = from
    this.#rejected = 0
    return from
  }

  /** Nothing up to here ends the run. */
  goesTo(to: number): void {
    if (to > this.#to) this.#to = to
  }

  /** Whether a value of this length is still worth a look. */
  isWorth(length: number): boolean {
    return this.#rejected < mostAttempts || length <= cheap
  }

  /** What ended here was no value. */
  reject(end: number): void {
    if (end <= this.#to) this.#rejected++
  }
}
