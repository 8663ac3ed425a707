import { token as common, digit, groupsOf, letter, Operators, quote, Tokens, Words } from '../tree/tokens.ts'
import { giveUp } from '../tree/unsure.ts'

/** Kinds of tokens. Operators and keywords are told apart by their text. */
export const token = { ...common, newline: 4, indent: 5, dedent: 6, end: 7 } as const

/** How tightly binary operators bind; what compares, and what else can go on behind an operand, comes after them. */
export const binds = { tightest: 8, comparing: 9, otherwise: 10 } as const
const binding: ReadonlyMap<string, number> = new Map(
  ['|', '^', '&', '<< >>', '+ -', '* / // % @', '', '**', '< > == != <= >= in not is', 'and or if :='].flatMap(
    (operators, at) => operators.split(' ').map(operator => [operator, at + 1] as const),
  ),
)

/** What stands for itself and is no name, and names that are words of the language in some places. */
const words = new Words(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
  'print exec match type case __future__',
  binding,
)

/** The tokens of Python, one at a time, with indentation as tokens of its own. */
export class PythonScanner extends Tokens {
  /** Where the last comment ended that belongs to the block at hand. */
  protected remarked = 0
  /** Of a number: that it is no fraction. */
  protected whole = false
  /** Open brackets: inside them line ends mean nothing. */
  protected brackets = 0
  #at = 0
  readonly #indents: number[] = [0]
  #lineStart = true
  /** Of the line that was last begun: how far it is indented, and the comments above it that no block has taken yet. */
  #indent = -1
  #remarks: { indent: number; end: number }[] = []

  constructor(source: string, from: number) {
    super(source)
    this.#at = from
    // These end lines too; text behind them may look like a comment and run.
    if (from === 0 && rareLineEnd.test(source)) giveUp()
  }

  protected next(): void {
    this.last = this.end
    this.word = ''
    this.keyword = false
    this.binding = 0
    if (this.#lineStart && this.brackets === 0 && this.#beginLine()) return
    this.#skipBlanks()
    this.#token()
  }

  /** Goes on reading at `at`, for strings that hold expressions. */
  protected continueAt(at: number): void {
    this.#at = at
    this.end = at
  }

  /** Comments, blank lines and indentation in front of a line; true when that gave a token. */
  #beginLine(): boolean {
    const { codes } = this
    const { length } = this.source
    if (this.#indent === -1) {
      this.#remarks = []
      for (;;) {
        let at = this.#at
        let spaces = 0
        let tabs = 0
        for (; ; at++) {
          const code = codes[at]
          if (code === 32) spaces++
          else if (code === 9) tabs++
          else break
        }
        if (spaces > 0 && tabs > 0) giveUp()
        const indent = spaces + 8 * tabs
        const code = codes[at]
        if (code === 35) {
          at = this.#lineEnd(at)
          this.#remarks.push({ indent, end: at })
        }
        if (at >= length) {
          this.#at = at
          this.#indent = 0
          break
        }
        const after = codes[at]
        if (after === 13 && codes[at + 1] === 10) this.#at = at + 2
        else if (after === 10) this.#at = at + 1
        else {
          this.#at = at
          this.#indent = indent
          break
        }
      }
    }
    const current = this.#indents.at(-1) ?? 0
    // A comment belongs to the block that it is indented for, also behind its last statement.
    for (let remark = this.#remarks[0]; remark !== undefined; remark = this.#remarks[0]) {
      if (remark.indent < current && this.#indent < current) break
      this.remarked = remark.end
      this.#remarks.shift()
    }
    this.start = this.#at
    this.end = this.#at
    if (this.#indent > current) {
      this.#indents.push(this.#indent)
      this.kind = token.indent
      return true
    }
    if (this.#indent < current) {
      this.#indents.pop()
      if ((this.#indents.at(-1) ?? 0) < this.#indent) giveUp()
      this.kind = token.dedent
      return true
    }
    this.#lineStart = false
    this.#indent = -1
    return false
  }

  #lineEnd(from: number): number {
    const at = this.source.indexOf('\n', from)
    if (at === -1) return this.source.length
    return this.codes[at - 1] === 13 ? at - 1 : at
  }

  #skipBlanks(): void {
    const { codes } = this
    let at = this.#at
    for (;;) {
      const code = codes[at]
      if (code === 32 || code === 9) at++
      else if (code === 92) {
        if (codes[at + 1] === 10) at += 2
        else if (codes[at + 1] === 13 && codes[at + 2] === 10) at += 3
        else giveUp()
      } else if (this.brackets === 0) break
      else if (code === 10) at++
      else if (code === 13 && codes[at + 1] === 10) at += 2
      else if (code === 35) at = this.#lineEnd(at)
      else break
    }
    this.#at = at
  }

  #token(): void {
    const { source, codes } = this
    const at = this.#at
    this.start = at
    const code = codes[at] ?? 0
    if (code >= 128) giveUp()
    const group = groups[code]
    if (group === letter) this.#name(at)
    else if (group === digit || (code === 46 && groups[codes[at + 1] ?? 0] === digit)) this.#number(at)
    else if (group === quote) this.#string(at, at, '')
    else if (at >= source.length || code === 10 || code === 13 || code === 35) this.#endOfLine(at, code)
    else this.end = this.#at = this.operator(operators.at(source, at, code, codes[at + 1] ?? 0), at)
  }

  #endOfLine(at: number, code: number): void {
    if (this.brackets > 0) giveUp()
    this.kind = token.newline
    let end = at
    if (code === 35) {
      end = this.#lineEnd(at)
      this.remarked = end
    }
    if (end >= this.source.length) {
      this.#at = end
      // The last line need not end; what is open closes as if it did.
      if (this.#ended) this.kind = token.end
      this.#ended = true
    } else if (this.codes[end] === 10) this.#at = end + 1
    else if (this.codes[end + 1] === 10) this.#at = end + 2
    else giveUp()
    this.end = this.last
    this.#lineStart = true
  }
  #ended = false

  #name(from: number): void {
    const { source, codes } = this
    let at = from + 1
    let group = groups[codes[at] ?? 0]
    while (group === letter || group === digit) group = groups[codes[++at] ?? 0]
    if ((codes[at] ?? 0) >= 128) giveUp()
    if (group === quote && at - from <= 2) {
      this.#string(from, at, prefixes.get(source.slice(from, at)) ?? giveUp())
      return
    }
    this.kind = token.name
    this.end = this.#at = at
    this.named(from, at, words)
  }

  #number(from: number): void {
    const { codes } = this
    let at = from
    while (groups[codes[at] ?? 0] === digit) at++
    const plain = groups[codes[at] ?? 0] !== letter && codes[at] !== 46
    if (!plain) {
      numberShape.lastIndex = from
      const [text] = numberShape.exec(this.source) ?? giveUp()
      at = from + text.length
      this.whole = wholeNumber.test(text)
    } else this.whole = true
    this.kind = token.number
    this.end = this.#at = at
    const after = codes[at] ?? 0
    const group = groups[after]
    if (group === letter || group === digit || after >= 128) giveUp()
  }

  /** Finds the end of a plain string; of one with expressions only the start, since they decide where it ends. */
  #string(from: number, open: number, prefix: string): void {
    const { codes } = this
    const { length } = this.source
    this.kind = token.string
    this.start = from
    this.word = prefix
    const mark = codes[open]
    const long = codes[open + 1] === mark && codes[open + 2] === mark
    let at = open + (long ? 3 : 1)
    if (prefix.includes('f')) {
      this.end = this.#at = at
      return
    }
    for (; ; at++) {
      const code = codes[at]
      if (code === 92) at++
      else if (code === mark) {
        if (!long) break
        if (codes[at + 1] === mark && codes[at + 2] === mark) {
          at += 2
          break
        }
      } else if ((code === 10 && !long) || at >= length) giveUp()
    }
    this.end = this.#at = at + 1
  }
}

const rareLineEnd = /\r(?!\n)|\f/
const numberShape =
  /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?[jJ]?|\d+(?:_\d+)*(?:\.?[eE][+-]?\d+[jJ]?|\.[jJ]?|[jJ])?/y

const wholeNumber = /^0[xXoObB]|^[\d_]+[jJ]?$/
/** What may stand before a quote, as it is in small letters. */
const prefixes: ReadonlyMap<string, string> = new Map(
  ['r', 'b', 'u', 'f', 'rb', 'br', 'rf', 'fr'].flatMap(prefix =>
    [
      prefix,
      prefix.toUpperCase(),
      `${prefix[0]?.toUpperCase()}${prefix.slice(1)}`,
      `${prefix[0]}${prefix.slice(1).toUpperCase()}`,
    ].map(written => [written, prefix] as const),
  ),
)

const groups = groupsOf(/[A-Za-z_]/)

const operators = new Operators(
  '+-*/%@&|^~<>()[]{},:.;=!',
  '**= //= >>= <<= ... -> := == != <= >= ** // >> << += -= *= /= %= &= |= ^= @=',
  binding,
)
