import { listOf } from '../lists.ts'

/**
 * Lines of a notebook that are no Python: `%time f()`, `!ls`, `files = !ls`, `%%bash` over a whole cell.
 *
 * They are looked for only where a statement begins or a value is assigned, since a line that starts with `%` inside a
 * text or between brackets is Python, and whoever passed over it would pass over code that runs. There they are
 * certain: no statement of Python starts with these signs.
 */
export interface Magic {
  /** `!`, `!!`, `%`, `%%`, or `?` for a question about a name: `obj?`, `?obj`. */
  readonly sign: string
  /** Empty for `!`. */
  readonly name: string
  /** What follows the name, to the end of the line; lines that a backslash joins are one. */
  readonly rest: string
  /** Of `%%` the lines below it, up to the next such magic; empty for the others. */
  readonly body: string
  /** Where the sign stands, and where the line and the body end. */
  readonly start: number
  readonly lineEnd: number
  readonly end: number
  /** Stands behind `x =`. */
  readonly assigned: boolean
  /** The first thing in the text: everything below a `%%` is then handed to it and to nobody else. */
  readonly first: boolean
}

/** A cheap look: almost no program has any. */
export const mayHoldMagics = (source: string): boolean =>
  ((source.includes('!') || source.includes('%')) && /^[ \t]*[!%]|=[ \t]*(?:!(?!=)|%[A-Za-z])/m.test(source)) ||
  /^[ \t]*(?:ls|ll|lf|cd|cat|cp|mv|rm|mkdir|rmdir|less|more|man|whos?|time(?:it)?|prun)[ \t]+[\w"'~$.*-]/m.test(
    source,
  ) ||
  (source.includes('?') && /^[ \t]*\?|\?[ \t]*;?[ \t]*\r?$/m.test(source))

/** `obj?`, `obj.method??`, `?obj`, `%time?`, `str.*find*?`, `?`: a line that asks what something is. */
const question =
  /(?:\?{1,2}[ \t]*%{0,2}[\w.*]+|\?|%{0,2}[A-Za-z_*][\w.*]*(?:\[[\w'"]*\])?\?{1,2})[ \t]*;?[ \t]*(?=\r?\n|\r?$)/y

function questionEnd(source: string, at: number): number | null {
  question.lastIndex = at
  return question.test(source) ? question.lastIndex : null
}

/**
 * `ls data`, `cd ..`: commands that a notebook knows without a sign, where no Python could be meant. A name followed by
 * another word is no Python, so nothing that would run as Python is passed over.
 */
const plain =
  /(ls|ll|lf|cd|cat|cp|mv|rm|mkdir|rmdir|less|more|man|who|whos|time|timeit|prun)[ \t]+(?=(?:-[\w-]+[ \t]+)*(?!(?:and|as|else|for|if|in|is|not|or)\b)(?:[\w"'~$]|\*\.[A-Za-z]|\.\.?(?:[/\s]|$)))([^\n]*)/y

function plainAt(source: string, at: number): { name: string; rest: string } | null {
  plain.lastIndex = at
  const [, name, rest = ''] = plain.exec(source) ?? []
  return name === undefined ? null : { name, rest: rest.trim() }
}

export function magicsIn(source: string): Magic[] {
  const found: Magic[] = []
  const scan = new Lines(source)
  for (let at = scan.next(); at !== null; at = scan.next()) {
    const magic = magicAt(source, at.sign, at.assigned, at.first)
    if (magic === null) continue
    found.push(magic)
    const whole = magic.first && magic.sign === '%%'
    // What a shell or another language is given has quotes and brackets of its own. Below `%%time` another may follow.
    scan.skipTo(whole && !isPython(magic.name) ? source.length : magic.lineEnd, whole)
  }
  return listOf(found.keys(), at => withBody(source, found, at))
}

/** Magics whose lines are Python, read where they stand. */
export const isPython = (name: string): boolean =>
  /^(time|timeit|prun|capture|memit|mprun|lprun|snakeviz|pyinstrument|heat|scalene|debug|px|autopx)$/.test(name)

function withBody(source: string, all: readonly Magic[], at: number): Magic {
  const magic = all[at] as Magic
  if (magic.sign !== '%%') return magic
  let after = at + 1
  while (after < all.length && all[after]?.sign !== '%%') after++
  const end = all[after]?.start ?? source.length
  return { ...magic, body: source.slice(magic.lineEnd + 1, end), end }
}

function magicAt(source: string, start: number, assigned: boolean, first: boolean): Magic | null {
  const asked = assigned ? null : questionEnd(source, start)
  if (asked !== null)
    return {
      sign: '?',
      name: 'pinfo',
      rest: source.slice(start, asked),
      body: '',
      start,
      lineEnd: asked,
      end: asked,
      assigned,
      first,
    }
  const command = assigned ? null : plainAt(source, start)
  if (command !== null) {
    const lineEnd = endOfLine(source, start)
    return { sign: '%', ...command, body: '', start, lineEnd, end: lineEnd, assigned, first }
  }
  const shape = /(!!?|%%?)[ \t]*((?<=%)[A-Za-z_][\w.]*)?/y
  shape.lastIndex = start
  const [whole, sign = '', name = ''] = shape.exec(source) ?? []
  if (whole === undefined || (sign.startsWith('%') && name === '' && source[start + sign.length] !== '!')) return null
  let lineEnd = start
  for (;;) {
    const at = source.indexOf('\n', lineEnd)
    lineEnd = at === -1 ? source.length : at
    if (at === -1 || source[at - 1] !== '\\') break
    lineEnd++
  }
  const rest = source.slice(start + whole.length, lineEnd).replace(/\\\n/g, ' ')
  return { sign, name, rest: rest.trim(), body: '', start, lineEnd, end: lineEnd, assigned, first }
}

interface Place {
  readonly sign: number
  readonly assigned: boolean
  readonly first: boolean
}

/** Walks over the tokens of Python as far as needed to know where statements begin. */
class Lines {
  readonly #source: string
  #at = 0
  #depth = 0
  #isStart = true
  #isFirst = true

  constructor(source: string) {
    this.#source = source
  }

  skipTo(at: number, isFirst: boolean): void {
    this.#at = at
    this.#isStart = true
    this.#isFirst = isFirst
  }

  next(): Place | null {
    const source = this.#source
    while (this.#at < source.length) {
      const at = this.#at
      const sign = source[at] ?? ''
      if (sign === '\n') {
        this.#isStart = this.#depth === 0
        this.#at++
      } else if (sign === ' ' || sign === '\t' || sign === '\f' || sign === '\r') this.#at++
      else if (sign === '#') this.#at = endOfLine(source, at)
      else if (sign === '\\' && /^\\\r?\n/.test(source.slice(at, at + 3))) this.#at = endOfLine(source, at) + 1
      else {
        const [isStart, isFirst] = [this.#isStart, this.#isFirst]
        this.#isStart = false
        this.#isFirst = false
        if (
          isStart &&
          (sign === '!' || sign === '%' || questionEnd(source, at) !== null || plainAt(source, at) !== null)
        ) {
          this.#at++
          return { sign: at, assigned: false, first: isFirst }
        }
        const value = sign === '=' && this.#depth === 0 ? /=[ \t]*(?=!(?!=)|%[A-Za-z])/y : null
        if (value !== null) {
          value.lastIndex = at
          const given = value.exec(source)
          if (given !== null) {
            this.#at = at + given[0].length
            return { sign: this.#at, assigned: true, first: false }
          }
        }
        this.#at = this.#token(at, sign)
      }
    }
    return null
  }

  /** Where the token at a place ends. */
  #token(at: number, sign: string): number {
    const source = this.#source
    if (sign === '(' || sign === '[' || sign === '{') this.#depth++
    else if (sign === ')' || sign === ']' || sign === '}') this.#depth = Math.max(0, this.#depth - 1)
    else if (sign === '"' || sign === "'") return stringEnd(source, at, '', 0)
    else if (/[A-Za-z_\u0080-\uffff]/.test(sign)) {
      const word = /[\w\u0080-\uffff]+/y
      word.lastIndex = at
      const [name = sign] = word.exec(source) ?? []
      const after = source[at + name.length]
      return (after === '"' || after === "'") && /^[a-z]{1,2}$/i.test(name)
        ? stringEnd(source, at + name.length, name.toLowerCase(), 0)
        : at + name.length
    }
    return at + 1
  }
}

function endOfLine(source: string, from: number): number {
  const at = source.indexOf('\n', from)
  return at === -1 ? source.length : at
}

/** Where the string that opens at a quote ends. One that ends nowhere ends with its line, or with the text. */
function stringEnd(source: string, open: number, prefix: string, nested: number): number {
  const mark = source[open] ?? ''
  const quote = source.startsWith(mark.repeat(3), open) ? mark.repeat(3) : mark
  const hasFields = prefix.includes('f') || prefix.includes('t')
  for (let at = open + quote.length; at < source.length; ) {
    const sign = source[at]
    if (source.startsWith(quote, at)) return at + quote.length
    if (sign === '\n' && quote.length === 1) return at
    if (sign === '\\') at += hasFields && source[at + 1] === '{' ? 1 : 2
    else if (hasFields && sign === '{') at = source[at + 1] === '{' ? at + 2 : fieldEnd(source, at + 1, nested)
    else at++
  }
  return source.length
}

/** Deeper than this the rest counts as one string, so that nothing in it is taken for a magic. */
const mostNested = 50

/** Where `{value:width}` of a formatted string ends: the value may hold strings, the width values. */
function fieldEnd(source: string, from: number, nested: number): number {
  if (nested > mostNested) return source.length
  let depth = 0
  let isWidth = false
  for (let at = from; at < source.length; ) {
    const sign = source[at] ?? ''
    if (sign === '}' && depth === 0) return at + 1
    if (isWidth) at = sign === '{' ? fieldEnd(source, at + 1, nested + 1) : at + 1
    else if (sign === '"' || sign === "'") {
      const prefix = /[A-Za-z]{0,2}$/.exec(source.slice(Math.max(from, at - 2), at))?.[0] ?? ''
      at = stringEnd(source, at, prefix.toLowerCase(), nested + 1)
    } else {
      if (/[([{]/.test(sign)) depth++
      else if (/[)\]}]/.test(sign)) depth--
      else if (sign === ':' && depth === 0) isWidth = true
      at++
    }
  }
  return source.length
}
