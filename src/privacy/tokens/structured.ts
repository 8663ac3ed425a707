import { isUtf8 } from 'node:buffer'
import type { Finding } from '../../contract/privacy.ts'
import { meaningOf } from '../fields.ts'
import { held, partsCheck, refuseOpaque } from './payload.ts'
import { redactText, restoreText, type TokenBook, type TokenNames } from './tokens.ts'

/** A finding in structured data, with the way to it: `messages[2].content`. */
export interface FieldFinding extends Finding {
  readonly field: string
  /** The text of the field that it was found in. */
  readonly text: string
}

type Scan = (text: string) => readonly Finding[]

/** What the name of a field says about the values in it. */
interface About {
  /** The type of its values, where the name says that they are private. */
  readonly sensitive: string | null
  /** Whether they are counted or measured, or point at a row of something: `order_id`, `amount`, `ts`. */
  readonly handle: boolean
  /** The name itself, which speaks for a number: `npi`. */
  readonly name: string
}
const nothing: About = { sensitive: null, handle: false, name: '' }

/**
 * Redacts every text in a value: strings, keys, and whatever stands in a field whose name says that it is sensitive.
 * The shape stays: the same keys in the same order, the same lists; only what is private becomes a token.
 */
export function redactStructured<T>(
  value: T,
  scan: Scan,
  book: TokenNames,
  /** Leaves out what a person allowed, of what only the name of its field gives away. */
  select: (finding: Finding, text: string) => boolean = () => true,
): { value: T; found: FieldFinding[] } {
  const found: FieldFinding[] = []
  const check = partsCheck()
  const walk = (node: unknown, field: string, about: About, depth: number): unknown => {
    check.part(depth)
    if (typeof node === 'string') return redactString(node, field, about)
    if (typeof node === 'number' || typeof node === 'bigint') return redactNumber(node, field, about)
    if (typeof node === 'function' || typeof node === 'symbol')
      throw held(`The data holds something that cannot be checked (${typeof node}).`, 'Send data only.')
    if (node === null || typeof node !== 'object') return node
    if (node instanceof Uint8Array) return redactBytes(node, field, about)
    return check.inside(node, () => walkInside(node, field, about, depth))
  }
  const walkInside = (node: object, field: string, about: About, depth: number): unknown => {
    if (Array.isArray(node)) return node.map((item, at) => walk(item, `${field}[${at}]`, about, depth + 1))
    if (node instanceof Set) return new Set(walkInside([...node], field, about, depth) as unknown[])
    if (node instanceof Map) return redactMap(node, field, about, depth)
    if (node instanceof Date) {
      const text = node.toJSON()
      const made = text === null ? text : redactString(text, field, about)
      return made === text ? node : made
    }
    if (typeof (node as { toJSON?: unknown }).toJSON === 'function') {
      return walk((node as { toJSON(): unknown }).toJSON(), field, about, depth + 1)
    }
    refuseOpaque(node)
    const columns = columnsOf(node, about)
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => {
        const path = field ? `${field}.${key}` : key
        const made =
          columns && Array.isArray(item) && (key === 'data' || key === 'rows')
            ? item.map((row, at) => walkRow(row, `${path}[${at}]`, columns, within(about, key), depth + 1))
            : walk(item, path, within(about, key), depth + 1)
        return [redactString(key, `${field}{}`, nothing), made]
      }),
    )
  }
  const redactMap = (map: Map<unknown, unknown>, field: string, about: About, depth: number): unknown =>
    new Map(
      Array.from(map, ([key, item], at) => [
        walk(key, `${field}{}`, nothing, depth + 1),
        walk(item, `${field}[${at}]`, typeof key === 'string' ? within(about, key) : about, depth + 1),
      ]),
    )
  /** A row of a data frame: what a value is, the name of its column says. */
  const walkRow = (row: unknown, field: string, columns: readonly About[], about: About, depth: number): unknown =>
    Array.isArray(row) && row.length === columns.length
      ? row.map((item, at) => walk(item, `${field}[${at}]`, columns[at] ?? nothing, depth + 1))
      : walk(row, field, about, depth)
  const redactString = (text: string, field: string, { sensitive, handle }: About): string => {
    const inside = handle ? scan(text).filter(finding => !isByChance(finding, text)) : scan(text)
    // The scanner knows a value better than its field does, when it knows the whole of it.
    const known = inside.length === 1 && inside[0]?.start === 0 && inside[0].end === text.length
    if (sensitive && !known && isFilled(text)) {
      const whole = { start: 0, end: text.length, type: sensitive, rule: 'sensitive-field', score: 0.9 }
      if (select(whole, text)) {
        found.push({ ...whole, field, text })
        return book.tokenFor(sensitive, text)
      }
    }
    for (const finding of inside) found.push({ ...finding, field, text })
    return redactText(text, inside, book)
  }
  const redactNumber = (number: number | bigint, field: string, about: About): unknown => {
    const text = typeof number === 'bigint' ? `${number}n` : JSON.stringify(number)
    const whole = { start: 0, end: text.length, field, text }
    const finding: FieldFinding | null = about.sensitive
      ? { ...whole, type: about.sensitive, rule: 'sensitive-field', score: 0.9 }
      : findInNumber(text, about.name, scan, whole)
    if (!finding || !select(finding, text.replace(/n$/, ''))) return number
    found.push(finding)
    return book.tokenFor(finding.type, text, 'json')
  }
  /** Text in bytes is redacted as text; other bytes one character each, so that what is ASCII in them is seen. */
  const redactBytes = (bytes: Uint8Array, field: string, about: About): Uint8Array => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const encoding = isUtf8(buffer) ? 'utf8' : 'latin1'
    const sent = Buffer.from(redactString(buffer.toString(encoding), field, about), encoding)
    // Without its broken bytes the rest may read as UTF-8: put back as such, it would be other bytes.
    if (encoding === 'latin1' && isUtf8(sent))
      throw held('The data holds bytes that could not be put back.', 'Send them as text.')
    return new Uint8Array(sent)
  }
  return { value: walk(value, '', nothing, 0) as T, found }
}

/** Shorter numbers are counts, years and amounts. */
const longNumber = /^-?\d{8,}n?$/

/**
 * What a number is that nobody gave a telling name: a card is one also without quotes around it. The name of its field
 * stands before it as it would in a text. A check digit alone says nothing: numbers in data mostly count something.
 */
function findInNumber(
  text: string,
  name: string,
  scan: Scan,
  whole: { start: number; end: number; field: string; text: string },
): FieldFinding | null {
  if (!longNumber.test(text)) return null
  const digits = text.replace(/[-n]/g, '')
  const before = name === '' ? '' : `${name.slice(-longestName)}: `
  const known = scan(before + digits).find(
    ({ start, end, score }) => start <= before.length && end >= before.length + digits.length && score > byChance,
  )
  return known ? { ...known, ...whole } : null
}

const longestName = 64

/** Puts real values back everywhere in a value. */
export function restoreStructured<T>(value: T, book: TokenBook): T {
  const check = partsCheck()
  const walk = (node: unknown, depth: number): unknown => {
    check.part(depth)
    if (typeof node === 'string') {
      const entry = book.entryOf(node)
      return entry?.kind === 'json' ? numberIn(entry.value) : restoreText(node, book)
    }
    if (node === null || typeof node !== 'object') return node
    if (node instanceof Uint8Array) return restoreBytes(node, book)
    return check.inside(node, () => walkInside(node, depth))
  }
  const walkInside = (node: object, depth: number): unknown => {
    if (Array.isArray(node)) return node.map(item => walk(item, depth + 1))
    if (node instanceof Set) return new Set(Array.from(node, item => walk(item, depth + 1)))
    if (node instanceof Map)
      return new Map(Array.from(node, pair => pair.map(each => walk(each, depth + 1)) as [unknown, unknown]))
    if (node instanceof Date) return node
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => [restoreText(key, book), walk(item, depth + 1)]),
    )
  }
  return walk(value, 0) as T
}

function restoreBytes(bytes: Uint8Array, book: TokenBook): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const encoding = isUtf8(buffer) ? 'utf8' : 'latin1'
  return new Uint8Array(Buffer.from(restoreText(buffer.toString(encoding), book), encoding))
}

const numberIn = (text: string): unknown => (text.endsWith('n') ? BigInt(text.slice(0, -1)) : JSON.parse(text))

/** What the columns of a data frame hold, where an object has the names of its columns in a list beside its rows. */
function columnsOf(node: object, about: About): About[] | null {
  const names = 'columns' in node ? node.columns : null
  if (!Array.isArray(names) || !names.every(name => typeof name === 'string')) return null
  return names.map(name => within(about, name))
}

const handleName =
  /(?:^|[_ .-]|[a-z](?=[A-Z]))(?:ids?|uid|guid|key|ref|reference|sku|isbn|ean|upc|gtin|order|invoice|ticket|batch|lot|serial|build|revision|version|seq|sequence|offset|index|row|rows|counts?|qty|quantity|size|bytes|length|total|amount|price|ts|time|timestamp|date|epoch|ms|hash|checksum)$/i

const within = (about: About, key: string): About => {
  const sensitive = sensitiveType(key)
  if (sensitive) return { sensitive, handle: false, name: key }
  return about.sensitive ? about : { sensitive: null, handle: handleName.test(key), name: key }
}

/** How sure a finding is at most that has nothing but a check digit to speak for it. */
const byChance = 0.7

/**
 * One number in ten has the check digit of some scheme. A text that is nothing else is reported for that; in a field
 * whose name says that it holds numbers of another kind it is chance.
 */
const isByChance = ({ start, end, score }: Finding, text: string): boolean =>
  start === 0 && end === text.length && score <= byChance && /^[\d .-]+$/.test(text)

function sensitiveType(key: string): string | null {
  const meaning = meaningOf(key)
  return meaning && meaning.kind !== 'weak-secret' ? meaning.type : null
}

const isFilled = (text: string): boolean =>
  text.trim() !== '' && !/^(?:null|none|n\/a|true|false|unknown|-)$/i.test(text.trim())
