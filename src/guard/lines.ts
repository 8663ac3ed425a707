/** Lines and columns, counted from one, of offsets into a text. */
export class Lines {
  readonly #starts: number[] = [0]
  readonly #length: number

  constructor(text: string) {
    this.#length = text.length
    if (text.includes('\r')) {
      // A lone carriage return ends a line as well, for editors and for Python.
      for (const { index } of text.matchAll(/\n|\r(?!\n)/g)) this.#starts.push(index + 1)
    } else for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1)
  }

  at(offset: number): { line: number; column: number } {
    const place = Math.max(0, Math.min(offset, this.#length))
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= place) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: place - (this.#starts[low] ?? 0) + 1 }
  }
}
