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

/**
 * The string literals of a text. Where it could be read in two ways the search ends: a token behind that place stays,
 * since what stands in a string by one reading is code by the other.
 */
function pythonLiterals(code: string): Literal[] {
  const found: Literal[] = []
  // A cell that begins with a magic is of another language, and so is a line that does.
  if (/^\s*%%/.test(code)) return found
  const opening = /#[^\n]*|(?<=(?:^|=)[ \t]*)[!%][^\n]*|([A-Za-z_]\w*)?("""|'''|"|')/gm
  for (let match = opening.exec(code); match; match = opening.exec(code)) {
    const quote = match[2]
    if (!quote) {
      if (/^[!%]/.test(match[0]) && /"""|'''|\\$/.test(match[0])) break
      continue
    }
    const prefix = (match[1] ?? '').toLowerCase()
    const isPrefix = /^(?:[rbuft]|[rbft]{2})?$/.test(prefix)
    const escapes: Escapes = isPrefix && !/[rb]/.test(prefix) ? 'python' : 'none'
    const isJson = /json\.loads\(\s*$/.test(code.slice(Math.max(0, match.index - 40), match.index))
    const from = opening.lastIndex
    const read = isPrefix && /[ft]/.test(prefix) ? formatted(code, from, quote) : plainString(code, from, quote)
    if (read === null) break
    for (const [start, end] of read.texts) found.push({ start, end, escapes, isJson })
    opening.lastIndex = read.end + (code.startsWith(quote, read.end) ? quote.length : 0)
  }
  return found
}

interface ReadString {
  /** The pieces that are text and not an expression. */
  readonly texts: readonly (readonly [number, number])[]
  readonly end: number
}

function plainString(code: string, from: number, quote: string): ReadString {
  let at = from
  for (; at < code.length && !code.startsWith(quote, at); at++) {
    if (code[at] === '\\') at++
    else if (code[at] === '\n' && quote.length === 1) break
  }
  const end = Math.min(at, code.length)
  return { texts: end > from ? [[from, end]] : [], end }
}

/** Null where versions of Python would read an expression in it in different ways. */
function formatted(code: string, from: number, quote: string): ReadString | null {
  const texts: [number, number][] = []
  let start = from
  let depth = 0
  let at = from
  for (; at < code.length; at++) {
    const sign = code[at] ?? ''
    if (depth > 0 && /["'#\\]/.test(sign)) {
      // A short string of the other quotes is the same in all; whatever else needs a newer Python.
      const inner = sign === quote[0] ? null : /^(["'])[^"'\\\n{}#]*\1/.exec(code.slice(at, at + 1000))
      if (!inner) return null
      at += inner[0].length - 1
    } else if (depth === 0 && code.startsWith(quote, at)) break
    else if (depth === 0 && sign === '\\') at++
    else if (sign === '\n' && quote.length === 1) break
    else if (sign === '{' || sign === '}') {
      if (code[at + 1] === sign && depth === 0) at++
      else {
        if (depth === 0 && at > start) texts.push([start, at])
        depth = Math.max(0, depth + (sign === '{' ? 1 : -1))
        start = at + 1
      }
    }
  }
  const end = Math.min(at, code.length)
  if (depth === 0 && end > start) texts.push([start, end])
  return { texts, end }
}

function scriptLiterals(code: string): Literal[] {
  const found: Literal[] = []
  /** For each template that is open, how many braces are open in the expression that is being read. */
  const braces: number[] = []
  let before = ''
  let word = ''
  let at = code.startsWith('#!') ? endOf(code, '\n', 0) : 0
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
    // A comment in a script, and none in a module.
    else if (code.startsWith('<!--', at) || code.startsWith('-->', at)) return found
    else {
      at++
      if (sign === '"' || sign === "'") string(sign)
      else if (sign === '`') {
        // A tagged template may read its text as it was written, with the escapes in it.
        const tagged = /[\w$)\]]/.test(before)
        const count = found.length
        template()
        if (tagged) found.splice(count)
      } else if (sign === '/') {
        const end = endOfPattern(code, at)
        const kind = slashBehind(before, word)
        if (kind === 'pattern' && code[end - 1] === '/' && end - 1 > at) at = end
        else if (kind !== 'division' && /["'`/]/.test(restOfLine(code, at))) return found
      } else if (sign === '{' && braces.length > 0) braces[braces.length - 1] = (braces.at(-1) ?? 0) + 1
      else if (sign === '}' && braces.length > 0) {
        if (braces.at(-1) === 0) {
          braces.pop()
          template()
        } else braces[braces.length - 1] = (braces.at(-1) ?? 0) - 1
      }
      if (/\s/.test(sign)) continue
      word = /[\w$]/.test(sign)
        ? /[\w$]/.test(code[at - 2] ?? '')
          ? word + sign
          : sign
        : sign === before
          ? sign + sign
          : ''
      before = sign
    }
  }
  return found
}

const beforePattern = /^(?:return|typeof|case|in|of|instanceof|new|delete|void|throw|do|else|yield|await)$/

/** What a slash begins, by what stands before it: a division, a pattern, or either. */
function slashBehind(before: string, word: string): 'division' | 'pattern' | 'either' {
  if (/[\w$]/.test(before)) return beforePattern.test(word) ? 'either' : 'division'
  if (/["'`\]]/.test(before)) return 'division'
  return /^[=(,:;!&|?+*%<>~^[{-]?$/.test(before) && !/^(?:\+\+|--)$/.test(word) ? 'pattern' : 'either'
}

function shellLiterals(code: string): Literal[] {
  const found: Literal[] = []
  const opening = /\\.|(?<=^|[\s;()|&<>])#[^\n]*|<<<?|\$['"]|['"`]/gs
  for (let match = opening.exec(code); match; match = opening.exec(code)) {
    const quote = match[0]
    if (/^(?:\\|#|<<<)/.test(quote)) continue
    // Texts that stand in the script itself, quotes with escapes of their own, commands in commands.
    if (quote !== '"' && quote !== "'") break
    const start = opening.lastIndex
    let at = start
    for (; at < code.length && code[at] !== quote; at++) if (quote === '"' && code[at] === '\\') at++
    // What is worked out in it may be quoted in turn, and a word in there is a word of a command.
    if (quote === '"' && /\$\(|`|\$\{(?!\w+\})/.test(code.slice(start, at))) break
    found.push({ start, end: Math.min(at, code.length), escapes: 'none' })
    opening.lastIndex = at + 1
  }
  return found
}

const restOfLine = (code: string, from: number): string => /[^\n]*/y.exec(code.slice(from))?.[0] ?? ''

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
