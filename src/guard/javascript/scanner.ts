import { token as common, digit, groupsOf, keywordsOf, letter, Operators, quote, Tokens } from '../tree/tokens.ts'
import { giveUp } from '../tree/unsure.ts'

/** Kinds of tokens. Operators and keywords are told apart by their text. */
export const token = { ...common, hidden: 4, end: 5 } as const

/** What stands for itself and is no name. */
export const keywords = keywordsOf(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof let new null return super switch this throw true try typeof undefined var void while with yield',
)
const noKeywords = keywordsOf('')

/** The tokens of JavaScript, one at a time. What `/` means is for the parser to say. */
export abstract class JavaScriptScanner extends Tokens {
  /** A line ends between the token before and this one. */
  protected fresh = false

  constructor(source: string) {
    super(source)
    // These end lines too; text behind them may look like a comment and run.
    if (rareLineEnd.test(source)) giveUp()
    if (source.startsWith('#!')) this.end = this.#lineEnd(0)
  }

  protected next(): void {
    const { source } = this
    this.last = this.end
    this.word = ''
    this.keyword = false
    const at = this.#skipBlanks(this.end)
    this.start = at
    if (at >= source.length) {
      this.kind = token.end
      this.end = at
      return
    }
    const code = source.charCodeAt(at)
    if (code >= 128) giveUp()
    const group = groups[code]
    if (group === letter) this.#name(at, token.name)
    else if (group === digit || (code === 46 && groups[source.charCodeAt(at + 1)] === digit)) this.#number(at)
    else if (group === quote) this.#string(at, code)
    else if (code === 35) this.#name(at, token.hidden)
    else {
      this.kind = token.operator
      this.word = operatorAt(source, at, code)
      this.end = at + this.word.length
    }
  }

  /** Goes on reading at `at`, for templates. */
  protected continueAt(at: number): void {
    this.end = at
    this.next()
  }

  /** The token at hand starts a pattern: reads it to its end. */
  protected regularExpression(): void {
    const { source } = this
    let at = this.start + 1
    let inClass = false
    for (; ; at++) {
      const code = source.charCodeAt(at)
      if (code === 92 && source.charCodeAt(at + 1) !== 10 && source.charCodeAt(at + 1) !== 13) at++
      else if (code === 91) inClass = true
      else if (code === 93) inClass = false
      else if (code === 47 && !inClass) break
      if (code === 10 || code === 13 || at >= source.length) giveUp()
    }
    at++
    const flags = at
    while (groups[source.charCodeAt(at)] === letter) at++
    if (!/^[dgimsuvy]*$/.test(source.slice(flags, at))) giveUp()
    if (source.charCodeAt(at) === 47) giveUp()
    this.end = at
  }

  #lineEnd(from: number): number {
    const at = this.source.indexOf('\n', from)
    return at === -1 ? this.source.length : at
  }

  #skipBlanks(from: number): number {
    const { source } = this
    this.fresh = false
    for (let at = from; ; ) {
      const code = source.charCodeAt(at)
      if (code === 32 || code === 9) at++
      else if (code === 10 || code === 13) {
        this.fresh = true
        at++
      } else if (code === 47 && source.charCodeAt(at + 1) === 47) at = this.#lineEnd(at)
      else if (code === 47 && source.charCodeAt(at + 1) === 42) {
        const close = source.indexOf('*/', at + 2)
        if (close === -1) giveUp()
        // Whether such a line end counts is told differently in different places.
        if (source.slice(at, close).includes('\n')) this.fresh = true
        at = close + 2
      } else return at
    }
  }

  #name(from: number, kind: number): void {
    const { source } = this
    let at = from + 1
    let group = groups[source.charCodeAt(at)]
    while (group === letter || group === digit) group = groups[source.charCodeAt(++at)]
    const code = source.charCodeAt(at)
    if (code >= 128 || code === 92 || (kind === token.hidden && at === from + 1)) giveUp()
    this.kind = kind
    this.end = at
    this.named(from, at, kind === token.name ? keywords : noKeywords)
  }

  #number(from: number): void {
    numberShape.lastIndex = from
    const [text] = numberShape.exec(this.source) ?? giveUp()
    if (/^0\d/.test(text)) giveUp()
    this.kind = token.number
    this.end = from + text.length
    const after = this.source.charCodeAt(this.end)
    const group = groups[after]
    if (group === letter || group === digit || after >= 128) giveUp()
  }

  #string(from: number, mark: number): void {
    const { source } = this
    this.kind = token.string
    let at = from + 1
    for (; ; at++) {
      const code = source.charCodeAt(at)
      if (code === 92) at++
      else if (code === mark) break
      else if (code === 10 || code === 13 || at >= source.length) giveUp()
    }
    this.end = at + 1
  }
}

const rareLineEnd = /\r(?!\n)|[\u2028\u2029]/
const numberShape =
  /0[xX](?:_?[\da-fA-F])+n?|0[oO](?:_?[0-7])+n?|0[bB](?:_?[01])+n?|\d+(?:_\d+)*n|(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?|\d+(?:_\d+)*\.?(?:[eE][+-]?\d+)?/y

const groups = groupsOf(/[A-Za-z_$]/)

const operators = new Operators(
  '+-*/%&|^~<>()[]{},:.;=!?`@',
  '>>>= ... === !== **= <<= >>= >>> &&= ||= ??= <!-- --> => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= << >> **',
)

function operatorAt(source: string, at: number, code: number): string {
  const operator = operators.at(source, at, code)
  // `a?.5:b` is no chain.
  return operator === '?.' && groups[source.charCodeAt(at + 2)] === digit ? '?' : operator
}
