import { token as common, digit, groupsOf, keywordsOf, letter, Operators, quote, Tokens } from '../tree/tokens.ts'
import { giveUp } from '../tree/unsure.ts'

/** Kinds of tokens. Operators and keywords are told apart by their text. */
export const token = { ...common, newline: 4, indent: 5, dedent: 6, end: 7 } as const

/** What stands for itself and is no name. */
const keywords = keywordsOf(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
)

/** The tokens of Python, one at a time, with indentation as tokens of its own. */
export class PythonScanner extends Tokens {
  /** Where the last comment ended that belongs to the block at hand. */
  protected remarked = 0
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
    const { source } = this
    if (this.#indent === -1) {
      this.#remarks = []
      for (;;) {
        let at = this.#at
        let spaces = 0
        let tabs = 0
        for (; ; at++) {
          const code = source.charCodeAt(at)
          if (code === 32) spaces++
          else if (code === 9) tabs++
          else break
        }
        if (spaces > 0 && tabs > 0) giveUp()
        const indent = spaces + 8 * tabs
        const code = source.charCodeAt(at)
        if (code === 35) {
          at = this.#lineEnd(at)
          this.#remarks.push({ indent, end: at })
        }
        if (at >= source.length) {
          this.#at = at
          this.#indent = 0
          break
        }
        const after = source.charCodeAt(at)
        if (after === 13 && source.charCodeAt(at + 1) === 10) this.#at = at + 2
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
    return this.source.charCodeAt(at - 1) === 13 ? at - 1 : at
  }

  #skipBlanks(): void {
    const { source } = this
    for (;;) {
      const code = source.charCodeAt(this.#at)
      if (code === 32 || code === 9) this.#at++
      else if (this.brackets > 0 && code === 10) this.#at++
      else if (this.brackets > 0 && code === 13 && source.charCodeAt(this.#at + 1) === 10) this.#at += 2
      else if (this.brackets > 0 && code === 35) this.#at = this.#lineEnd(this.#at)
      else if (code === 92) {
        const after = source.charCodeAt(this.#at + 1)
        if (after === 10) this.#at += 2
        else if (after === 13 && source.charCodeAt(this.#at + 2) === 10) this.#at += 3
        else giveUp()
      } else return
    }
  }

  #token(): void {
    const { source } = this
    const at = this.#at
    this.start = at
    const code = source.charCodeAt(at)
    if (code >= 128) giveUp()
    const group = groups[code]
    if (group === letter) this.#name(at)
    else if (group === digit || (code === 46 && groups[source.charCodeAt(at + 1)] === digit)) this.#number(at)
    else if (group === quote) this.#string(at, 0)
    else if (at >= source.length || code === 10 || code === 13 || code === 35) this.#endOfLine(at, code)
    else {
      this.kind = token.operator
      this.word = operators.at(source, at, code)
      this.end = this.#at = at + this.word.length
    }
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
    } else if (this.source.charCodeAt(end) === 10) this.#at = end + 1
    else if (this.source.charCodeAt(end + 1) === 10) this.#at = end + 2
    else giveUp()
    this.end = this.last
    this.#lineStart = true
  }
  #ended = false

  #name(from: number): void {
    const { source } = this
    let at = from + 1
    let group = groups[source.charCodeAt(at)]
    while (group === letter || group === digit) group = groups[source.charCodeAt(++at)]
    const code = source.charCodeAt(at)
    if (code >= 128) giveUp()
    if (group === quote && at - from <= 2) {
      const prefix = source.slice(from, at).toLowerCase()
      if (!/^(r|b|u|f|rb|br|rf|fr)$/.test(prefix)) giveUp()
      this.#string(from, at - from)
      return
    }
    this.kind = token.name
    this.end = this.#at = at
    this.named(from, at, keywords)
  }

  #number(from: number): void {
    numberShape.lastIndex = from
    const [text] = numberShape.exec(this.source) ?? giveUp()
    this.kind = token.number
    this.end = this.#at = from + text.length
    const after = this.source.charCodeAt(this.end)
    const group = groups[after]
    if (group === letter || group === digit || after >= 128) giveUp()
    this.word = text
  }

  /** Finds the end of a plain string; of one with expressions only the start, since they decide where it ends. */
  #string(from: number, prefix: number): void {
    const { source } = this
    this.kind = token.string
    const mark = source.charCodeAt(from + prefix)
    const open = from + prefix
    const long = source.charCodeAt(open + 1) === mark && source.charCodeAt(open + 2) === mark
    this.word = prefix === 0 ? '' : source.slice(from, open).toLowerCase()
    if (this.word.includes('f')) {
      this.end = this.#at = open + (long ? 3 : 1)
      return
    }
    let at = open + (long ? 3 : 1)
    for (; ; at++) {
      const code = source.charCodeAt(at)
      if (code === 92) at++
      else if (code === mark) {
        if (!long) break
        if (source.charCodeAt(at + 1) === mark && source.charCodeAt(at + 2) === mark) {
          at += 2
          break
        }
      } else if ((code === 10 && !long) || at >= source.length) giveUp()
    }
    this.end = this.#at = at + 1
  }
}

const rareLineEnd = /\r(?!\n)|\f/
const numberShape =
  /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?[jJ]?|\d+(?:_\d+)*(?:\.?[eE][+-]?\d+[jJ]?|\.[jJ]?|[jJ])?/y

const groups = groupsOf(/[A-Za-z_]/)

const operators = new Operators(
  '+-*/%@&|^~<>()[]{},:.;=!',
  '**= //= >>= <<= ... -> := == != <= >= ** // >> << += -= *= /= %= &= |= ^= @=',
)
