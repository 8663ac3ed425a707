import { token as common, digit, groupsOf, letter, Operators, quote, Tokens, type Word, Words } from '../tree/tokens.ts'
import { giveUp } from '../tree/unsure.ts'

/** Kinds of tokens. Operators and keywords are told apart by their text. */
export const token = { ...common, hidden: 4, end: 5 } as const

/** How tightly binary operators bind; what else can go on behind an operand comes after them. */
export const binds = { tightest: 12, otherwise: 13 } as const
const binding: ReadonlyMap<string, number> = new Map(
  ['??', '||', '&&', '|', '^', '&', '== != === !==', '< > <= >= in instanceof', '<< >> >>>', '+ -', '* / %', '**']
    .concat('? = => ++ -- += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=')
    .flatMap((operators, at) => operators.split(' ').map(operator => [operator, at + 1] as const)),
)

/** What stands for itself and is no name, and names that are words of the language in some places. */
export const words = new Words(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof let new null return super switch this throw true try typeof undefined var void while with yield',
  'as async from get meta of set static using',
  binding,
)

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
    const { source, codes } = this
    this.last = this.end
    this.word = ''
    this.keyword = false
    this.binding = 0
    const at = this.#skipBlanks(this.end)
    this.start = at
    if (at >= source.length) {
      this.kind = token.end
      this.end = at
      return
    }
    const code = codes[at] ?? 0
    if (code >= 128) giveUp()
    const group = groups[code]
    if (group === letter) this.#name(at, token.name)
    else if (group === digit || (code === 46 && groups[codes[at + 1] ?? 0] === digit)) this.#number(at)
    else if (group === quote) this.#string(at, code)
    else if (code === 35) this.#name(at, token.hidden)
    else this.end = this.operator(operatorAt(source, at, code, codes), at)
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
    const { source, codes } = this
    this.fresh = false
    for (let at = from; ; ) {
      const code = codes[at]
      if (code === 32 || code === 9) at++
      else if (code === 10 || code === 13) {
        this.fresh = true
        at++
      } else if (code === 47 && codes[at + 1] === 47) at = this.#lineEnd(at)
      else if (code === 47 && codes[at + 1] === 42) {
        const close = source.indexOf('*/', at + 2)
        if (close === -1) giveUp()
        // Whether such a line end counts is told differently in different places.
        if (source.slice(at, close).includes('\n')) this.fresh = true
        at = close + 2
      } else return at
    }
  }

  #name(from: number, kind: number): void {
    const { codes } = this
    let at = from + 1
    let group = groups[codes[at] ?? 0]
    while (group === letter || group === digit) group = groups[codes[++at] ?? 0]
    const code = codes[at] ?? 0
    if (code >= 128 || code === 92 || (kind === token.hidden && at === from + 1)) giveUp()
    this.kind = kind
    this.end = at
    if (kind === token.name) this.named(from, at, words)
  }

  #number(from: number): void {
    const { codes } = this
    let at = from
    while (groups[codes[at] ?? 0] === digit) at++
    const plain = groups[codes[at] ?? 0] !== letter && codes[at] !== 46
    if (!plain || (codes[from] === 48 && at > from + 1)) {
      numberShape.lastIndex = from
      const [text] = numberShape.exec(this.source) ?? giveUp()
      if (/^0\d/.test(text)) giveUp()
      at = from + text.length
    }
    this.kind = token.number
    this.end = at
    const after = codes[at] ?? 0
    const group = groups[after]
    if (group === letter || group === digit || after >= 128) giveUp()
  }

  #string(from: number, mark: number): void {
    const { codes } = this
    const { length } = this.source
    this.kind = token.string
    let at = from + 1
    for (; ; at++) {
      const code = codes[at]
      if (code === 92) at++
      else if (code === mark) break
      else if (code === 10 || code === 13 || at >= length) giveUp()
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
  binding,
)
const question = operators.at('?', 0, 63, 0)

function operatorAt(source: string, at: number, code: number, codes: Uint16Array): Word {
  const operator = operators.at(source, at, code, codes[at + 1] ?? 0)
  // `a?.5:b` is no chain.
  return operator.text === '?.' && groups[codes[at + 2] ?? 0] === digit ? question : operator
}
