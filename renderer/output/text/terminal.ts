import { restyle, type Style } from './style.ts'

export interface Span {
  readonly text: string
  readonly style: Style | null
}

/** One row on the screen. A line longer than the terminal is wide goes on in the next row, which is then `wrapped`. */
export interface Row {
  readonly spans: readonly Span[]
  readonly wrapped: boolean
}

/** Wide enough for every table people print; narrow enough that a line of ten megabytes stays many small rows. */
export const terminalColumns = 2000
/** An escape sequence longer than this is not one: its start is dropped and the rest shown, so that it hides nothing. */
const longestEscape = 4096

// What cannot be copied as it stands: C0 and C1 controls, and the marks that reorder text without being seen.
// Tab is not among them.
const special = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
const csi = /\u001b\[([0-?]*)[ -/]*([@-~])/y
const osc = /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)/y
const shortEscape = /\u001b(?:[ #%()*+./-][ -~]|[0-OQ-WYZ\\`-~])/y
const unfinished = /\u001b(?:[ #%()*+./-]?|\[[ -?]*|[\]PX^_][^\u0007\u001b]*\u001b?)$/y

/**
 * A terminal that only goes down: text, colours, carriage return, backspace and "erase line" do what they do in a
 * terminal, all other escapes are dropped, other control characters become visible. Takes text in chunks, as a run
 * writes it, in time linear in their length.
 */
export class Terminal {
  /** Rows that can change no more. */
  readonly done: Row[] = []
  chars = 0
  /** Lines as the writer meant them, however many rows they take. */
  lines = 0

  #pending = ''
  #style: Style | null = null
  /** The row being written: pieces while it only grows, a cell per character once something writes over it. */
  #pieces: Span[] = []
  #cells: { char: string; style: Style | null }[] | null = null
  #length = 0
  #at = 0
  #wrapped = false

  write(chunk: string): void {
    const text = this.#pending + chunk
    this.#pending = ''
    this.chars += chunk.length
    special.lastIndex = 0
    let from = 0
    for (let found = special.exec(text); found; found = special.exec(text)) {
      const stop = found.index
      if (text.charCodeAt(stop) === 10 && this.#length === 0 && stop - from <= terminalColumns) {
        this.#wholeLine(text.slice(from, stop))
        from = stop + 1
        continue
      }
      this.#print(text.slice(from, stop))
      from = this.#control(text, stop)
      if (from > text.length) return
      special.lastIndex = from
    }
    this.#print(text.slice(from))
  }

  /** All rows, with the one that is being written. */
  rows(): Row[] {
    return this.#length > 0 ? [...this.done, this.#currentRow()] : this.done.slice()
  }

  get rowCount(): number {
    return this.done.length + (this.#length > 0 ? 1 : 0)
  }

  get lineCount(): number {
    return this.lines + (this.#length > 0 || this.#wrapped ? 1 : 0)
  }

  row(index: number): Row | undefined {
    return index < this.done.length ? this.done[index] : index === this.done.length ? this.#currentRow() : undefined
  }

  /** Does what the control character at `at` asks, and says where to read on (past the end: wait for more). */
  #control(text: string, at: number): number {
    const char = text.charAt(at)
    if (char === '\n') {
      this.#endRow(false)
      this.lines++
    } else if (char === '\r') this.#at = 0
    else if (char === '\b') this.#back()
    else if (char === '\u001b') return this.#escape(text, at)
    else this.#print(visible(char))
    return at + 1
  }

  #escape(text: string, at: number): number {
    const match = (pattern: RegExp) => {
      pattern.lastIndex = at
      return pattern.exec(text)
    }
    const control = match(csi)
    if (control) {
      const [whole, codes = '', final] = control
      if (final === 'm' && /^[\d;:]*$/.test(codes)) this.#style = restyle(this.#style, codes)
      else if (final === 'K') this.#erase(codes)
      return at + whole.length
    }
    const other = match(osc) ?? match(shortEscape)
    if (other && other[0].length <= longestEscape) return at + other[0].length
    if (text.length - at <= longestEscape && match(unfinished)) {
      this.#pending = text.slice(at)
      return text.length + 1
    }
    return at + 1
  }

  #erase(codes: string): void {
    if (codes === '2') this.#at = 0
    if (codes !== '2' && codes !== '' && codes !== '0') return
    if (this.#at === 0) this.#clear()
    else if (this.#cells && this.#at < this.#length) {
      this.#cells.length = this.#at
      this.#length = this.#at
    }
  }

  /** Most lines are written once, from end to end, in one style: they need no cell per character. */
  #wholeLine(text: string): void {
    this.done.push({ spans: text ? [{ text, style: this.#style }] : [], wrapped: this.#wrapped })
    this.#wrapped = false
    this.lines++
  }

  #print(text: string): void {
    if (this.#at < this.#length) this.#overwrite(text)
    else this.#append(text)
  }

  #append(text: string): void {
    for (let from = 0; from < text.length; ) {
      if (this.#length >= terminalColumns) this.#endRow(true)
      let to = Math.min(text.length, from + terminalColumns - this.#length)
      // A character outside the basic plane is two halves, which belong in one row.
      if (to < text.length && isHighHalf(text.charCodeAt(to - 1))) to = to - 1 > from ? to - 1 : to + 1
      const piece = { text: text.slice(from, to), style: this.#style }
      if (this.#cells) for (const char of piece.text) this.#cells.push({ char, style: piece.style })
      else this.#pieces.push(piece)
      this.#length = this.#cells ? this.#cells.length : this.#length + piece.text.length
      this.#at = this.#length
      from = to
    }
  }

  #overwrite(text: string): void {
    const cells = this.#toCells()
    let used = 0
    for (const char of text) {
      if (this.#at >= this.#length) break
      cells[this.#at++] = { char, style: this.#style }
      used += char.length
    }
    if (used < text.length) this.#append(text.slice(used))
  }

  #back(): void {
    if (this.#at === this.#length) this.#at = this.#toCells().length
    this.#at = Math.max(0, this.#at - 1)
  }

  #toCells(): { char: string; style: Style | null }[] {
    if (!this.#cells) {
      this.#cells = this.#pieces.flatMap(({ text, style }) => Array.from(text, char => ({ char, style })))
      this.#pieces = []
      this.#length = this.#cells.length
    }
    return this.#cells
  }

  #clear(): void {
    this.#pieces = []
    this.#cells = null
    this.#length = 0
    this.#at = 0
  }

  #endRow(wraps: boolean): void {
    this.done.push(this.#currentRow())
    this.#clear()
    this.#wrapped = wraps
  }

  #currentRow(): Row {
    const spans: Span[] = []
    const add = (text: string, style: Style | null) => {
      const last = spans.at(-1)
      if (last?.style === style) spans[spans.length - 1] = { text: last.text + text, style }
      else spans.push({ text, style })
    }
    if (this.#cells) for (const { char, style } of this.#cells) add(char, style)
    else for (const { text, style } of this.#pieces) add(text, style)
    return { spans, wrapped: this.#wrapped }
  }
}

const isHighHalf = (code: number) => code >= 0xd800 && code <= 0xdbff

const controlNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** A control character by its name: few fonts have the pictures that Unicode offers for them. */
function visible(char: string): string {
  const code = char.charCodeAt(0)
  const name = code === 0x7f ? 'DEL' : controlNames[code]
  return `\u27e8${name ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}\u27e9`
}

export const rowText = (row: Row): string => row.spans.map(span => span.text).join('')
