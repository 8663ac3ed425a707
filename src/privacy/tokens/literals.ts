import type { Language } from '../../contract/run.ts'
import { tokenPattern } from './tokens.ts'

/**
 * Puts values in the place of tokens in code, inside string literals only. What is put in is letters, digits, spaces and
 * escapes, whatever the value holds: a name with a quote in it stays a name, also where a literal was misread.
 */
export interface CodeWithValues {
  readonly code: string
  /** Tokens that were replaced, and tokens that stand for a value and were left: outside a string, or not to be written in it. */
  readonly restored: readonly string[]
  readonly left: readonly string[]
}

type Behind = (token: string) => string | undefined

export function valuesIntoCode(code: string, language: Language, behind: Behind): CodeWithValues {
  const tokens = code.includes('[') ? [...code.matchAll(tokenPattern)] : []
  const known = tokens.flatMap(({ index, 0: token }) => {
    const value = behind(token)
    return value === undefined ? [] : [{ start: index, end: index + token.length, token, value }]
  })
  if (known.length === 0) return { code, restored: [], left: [] }
  const literals = literalsIn[language](code)
  const restored: string[] = []
  const left: string[] = []
  let out = ''
  let at = 0
  for (const { start, end, token, value } of known) {
    const literal = literals.find(each => each.start <= start && end <= each.end)
    const text = literal ? written(literal.isJson ? JSON.stringify(value).slice(1, -1) : value, literal.escapes) : null
    if (text === null) left.push(token)
    else {
      out += code.slice(at, start) + text
      at = end
      restored.push(token)
    }
  }
  return { code: out + code.slice(at), restored: [...new Set(restored)], left: [...new Set(left)] }
}

/** How a character is written inside a literal; `none` where the language has no escape that is safe everywhere. */
type Escapes = 'python' | 'javascript' | 'none'

interface Literal {
  readonly start: number
  readonly end: number
  readonly escapes: Escapes
  /** The text is read as JSON: a quote of the value must stay inside the JSON string that the token stands in. */
  readonly isJson?: boolean
}

const plainCharacters = /^[A-Za-z0-9 _.@-]*$/

function written(value: string, escapes: Escapes): string | null {
  if (escapes === 'none') return plainCharacters.test(value) ? value : null
  return value.replace(/[^A-Za-z0-9 ]/gu, character => escaped(character, escapes))
}

const escaped = (character: string, escapes: 'python' | 'javascript'): string => {
  const point = character.codePointAt(0) ?? 0
  if (escapes === 'python' && point > 0xffff) return `\\U${point.toString(16).padStart(8, '0')}`
  return Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('')
}
const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`

const literalsIn: Record<Language, (code: string) => Literal[]> = {
  python: pythonLiterals,
  javascript: scriptLiterals,
  typescript: scriptLiterals,
  bash: shellLiterals,
}

function pythonLiterals(code: string): Literal[] {
  const found: Literal[] = []
  const opening = /#[^\n]*|([A-Za-z_]\w*)?("""|'''|"|')/g
  for (let match = opening.exec(code); match; match = opening.exec(code)) {
    const quote = match[2]
    if (!quote) continue
    const prefix = (match[1] ?? '').toLowerCase()
    const isPrefix = /^(?:[rbuft]|[rbft]{2})?$/.test(prefix)
    const isFormatted = isPrefix && /[ft]/.test(prefix)
    const escapes: Escapes = isPrefix && !/[rb]/.test(prefix) ? 'python' : 'none'
    let start = opening.lastIndex
    let depth = 0
    let at = start
    const isJson = /json\.loads\(\s*$/.test(code.slice(Math.max(0, match.index - 40), match.index))
    const keep = (end: number) => depth === 0 && end > start && found.push({ start, end, escapes, isJson })
    for (; at < code.length && !code.startsWith(quote, at); at++) {
      const sign = code[at]
      if (sign === '\\') at++
      else if (sign === '\n' && quote.length === 1) break
      else if (isFormatted && (sign === '{' || sign === '}')) {
        if (code[at + 1] === sign && depth === 0) at++
        else {
          keep(at)
          depth = Math.max(0, depth + (sign === '{' ? 1 : -1))
          start = at + 1
        }
      }
    }
    keep(Math.min(at, code.length))
    opening.lastIndex = at + (code.startsWith(quote, at) ? quote.length : 0)
  }
  return found
}

function scriptLiterals(code: string): Literal[] {
  const found: Literal[] = []
  /** For each template that is open, how many braces are open in the expression that is being read. */
  const braces: number[] = []
  let before = ''
  let at = 0
  const string = (end: string): void => {
    const start = at
    for (; at < code.length && code[at] !== end; at++) {
      if (code[at] === '\\') at++
      else if (code[at] === '\n') break
    }
    found.push({ start, end: Math.min(at, code.length), escapes: 'javascript' })
    at++
  }
  const template = (): void => {
    const start = at
    for (; at < code.length && code[at] !== '`' && !code.startsWith('${', at); at++) if (code[at] === '\\') at++
    found.push({ start, end: Math.min(at, code.length), escapes: 'javascript' })
    if (code[at] === '`') at++
    else {
      at += 2
      braces.push(0)
    }
  }
  while (at < code.length) {
    const sign = code[at] ?? ''
    const pair = code.slice(at, at + 2)
    if (pair === '//') at = endOf(code, '\n', at)
    else if (pair === '/*') at = endOf(code, '*/', at + 2)
    else {
      at++
      if (sign === '"' || sign === "'") string(sign)
      else if (sign === '`') {
        // A tagged template may read its text as it was written, with the escapes in it.
        const tagged = /[\w$)\]]/.test(before)
        const count = found.length
        template()
        if (tagged) found.splice(count)
      } else if (sign === '/' && !/[\w$)\]"'`]/.test(before)) at = endOfPattern(code, at)
      else if (sign === '{' && braces.length > 0) braces[braces.length - 1] = (braces.at(-1) ?? 0) + 1
      else if (sign === '}' && braces.length > 0) {
        if (braces.at(-1) === 0) {
          braces.pop()
          template()
        } else braces[braces.length - 1] = (braces.at(-1) ?? 0) - 1
      }
      if (!/\s/.test(sign)) before = sign
    }
  }
  return found
}

function shellLiterals(code: string): Literal[] {
  const found: Literal[] = []
  const opening = /\\.|(?<=^|\s)#[^\n]*|['"]/gs
  for (let match = opening.exec(code); match; match = opening.exec(code)) {
    const quote = match[0]
    if (quote !== '"' && quote !== "'") continue
    const start = opening.lastIndex
    let at = start
    for (; at < code.length && code[at] !== quote; at++) if (quote === '"' && code[at] === '\\') at++
    found.push({ start, end: Math.min(at, code.length), escapes: 'none' })
    opening.lastIndex = at + 1
  }
  return found
}

const endOf = (code: string, sign: string, from: number): number => {
  const end = code.indexOf(sign, from)
  return end < 0 ? code.length : end + sign.length
}

function endOfPattern(code: string, from: number): number {
  let inClass = false
  for (let at = from; at < code.length; at++) {
    const sign = code[at]
    if (sign === '\n') return at
    if (sign === '\\') at++
    else if (sign === '[') inClass = true
    else if (sign === ']') inClass = false
    else if (sign === '/' && !inClass) return at + 1
  }
  return code.length
}
