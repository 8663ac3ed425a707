/**
 * Lines and columns, counted from one, of offsets into a text. Of each line something may have been taken from its
 * beginning: columns are those of what was written.
 */
export class Lines {
  readonly #starts: number[] = [0]
  readonly #length: number
  readonly #taken: (line: number) => number

  constructor(text: string, written = text) {
    this.#length = text.length
    this.#taken = text === written ? () => 0 : takenFrom(text, written)
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
    return { line: low + 1, column: this.written(low + 1, place - (this.#starts[low] ?? 0) + 1) }
  }

  /** Where a column of the text is in what was written. */
  written(line: number, column: number): number {
    return column + this.#taken(line)
  }
}

function takenFrom(text: string, written: string): (line: number) => number {
  const [left, all] = [text.split('\n'), written.split('\n')]
  return line => (all[line - 1]?.length ?? 0) - (left[line - 1]?.length ?? 0)
}
