import type { Finding } from '../contract/privacy.ts'
import { meaningOf } from './fields.ts'

/** Longest first line that is taken for the header of a table. */
const longestHeader = 4096

interface Column {
  readonly index: number
  readonly type: string
}

/**
 * What stands in the sensitive columns of a table in text: a first line of names (`name,ssn,amount`), then lines with
 * as many fields. The name of the column says what the value is, so no pattern is needed.
 */
export function findInTable(text: string): Finding[] {
  const headerEnd = text.indexOf('\n')
  if (headerEnd < 3 || headerEnd > longestHeader) return []
  const header = text.slice(0, headerEnd)
  const separator = [',', ';', '\t', '|'].find(sign => header.includes(sign))
  if (!separator) return []
  const names = fieldsOf(text, 0, separator)
  const columns: Column[] = names.fields.flatMap(({ start, end }, index) => {
    const meaning = meaningOf(unquoted(text.slice(start, end)).trim())
    return meaning && meaning.kind !== 'weak-secret' ? [{ index, type: meaning.type }] : []
  })
  if (columns.length === 0 || names.fields.length < 2) return []
  const found: Finding[] = []
  for (let at = names.next; at < text.length; ) {
    const row = fieldsOf(text, at, separator)
    at = row.next
    // A line of another width is no line of this table: notes below it, or prose that began with a comma.
    if (row.fields.length !== names.fields.length) continue
    for (const { index, type } of columns) {
      const field = row.fields[index]
      if (!field) continue
      const { start, end } = trimmed(text, field.start, field.end)
      if (end > start) found.push({ start, end, type, rule: 'sensitive-column', score: 0.8 })
    }
  }
  return found
}

interface Field {
  readonly start: number
  readonly end: number
}

/** The fields of the line at `at`; a separator or line end inside quotes belongs to the field. */
function fieldsOf(text: string, at: number, separator: string): { fields: Field[]; next: number } {
  const fields: Field[] = []
  let start = at
  let quoted = false
  let place = at
  for (; place < text.length; place++) {
    const char = text[place]
    if (char === '"') quoted = !quoted
    else if (quoted) continue
    else if (char === separator) {
      fields.push({ start, end: place })
      start = place + 1
    } else if (char === '\n') break
  }
  fields.push({ start, end: place })
  return { fields, next: place + 1 }
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/s, '$1')

function trimmed(text: string, from: number, to: number): Field {
  let start = from
  let end = to
  while (start < end && /[\s"]/.test(text[start] ?? '')) start++
  while (end > start && /[\s"]/.test(text[end - 1] ?? '')) end--
  return { start, end }
}
