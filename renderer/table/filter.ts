import { type Cell, type Column, cellText, isMissing } from './source.ts'

export const comparisons = ['=', '!=', '<', '<=', '>', '>='] as const
export type Comparison = (typeof comparisons)[number]

/** What a person wants of a column's values. */
export type Condition =
  | { readonly is: 'contains'; readonly text: string }
  | { readonly is: 'compared'; readonly by: Comparison; readonly to: string }
  | { readonly is: 'between'; readonly low: string; readonly high: string }
  | { readonly is: 'missing'; readonly not: boolean }

/**
 * Reads what is typed above a column: `1200`, `>= 5`, `10..20`, `!= closed`, `null`, `!null`; anything else is text to be
 * found. `null` when nothing is asked.
 */
export function readCondition(typed: string): Condition | null {
  const text = typed.trim()
  if (text === '') return null
  const missing = /^(!?)\s*null$/i.exec(text)
  if (missing) return { is: 'missing', not: missing[1] === '!' }
  const compared = /^(<=|>=|!=|<>|≠|≤|≥|==|=|<|>)\s*(.+)$/.exec(text)
  if (compared) return { is: 'compared', by: spelling[compared[1] ?? '='] ?? '=', to: (compared[2] ?? '').trim() }
  const between = /^([^.\s]+(?:\.\d+)?)\s*\.\.\s*(\S+)$/.exec(text)
  if (between) return { is: 'between', low: between[1] ?? '', high: between[2] ?? '' }
  return { is: 'contains', text }
}

const spelling: Record<string, Comparison> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '≠': '!=',
  '<': '<',
  '<=': '<=',
  '≤': '<=',
  '>': '>',
  '>=': '>=',
  '≥': '>=',
}

/** The test that a condition puts to each value of a column. */
export function tester(column: Column, condition: Condition): (cell: Cell) => boolean {
  switch (condition.is) {
    case 'contains': {
      const wanted = condition.text.toLowerCase()
      return cell => cellText(cell).toLowerCase().includes(wanted)
    }
    case 'missing':
      return cell => isMissing(cell) !== condition.not
    case 'between': {
      const low = tester(column, { is: 'compared', by: '>=', to: condition.low })
      const high = tester(column, { is: 'compared', by: '<=', to: condition.high })
      return cell => low(cell) && high(cell)
    }
    case 'compared':
      return comparison(column, condition.by, condition.to)
  }
}

function comparison(column: Column, by: Comparison, to: string): (cell: Cell) => boolean {
  const key = sortKey(column)
  const wanted = key(to)
  if (column.type === 'text' || wanted === null || typeof wanted === 'string') {
    const text = to.toLowerCase()
    return cell => !isMissing(cell) && holds(by, order(cellText(cell).toLowerCase(), text))
  }
  return cell => {
    const value = key(cell)
    return typeof value === 'number' && holds(by, order(value, wanted))
  }
}

/** Not a subtraction: the difference of two infinities is no number. */
export const order = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

function holds(by: Comparison, difference: number): boolean {
  switch (by) {
    case '=':
      return difference === 0
    case '!=':
      return difference !== 0
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    case '>':
      return difference > 0
    case '>=':
      return difference >= 0
  }
}

/** What a value is compared by: a number where the column's type has one, else its text; `null` when it is missing. */
export function sortKey(column: Column): (cell: Cell) => number | string | null {
  switch (column.type) {
    case 'number':
      return cell => (isMissing(cell) || cell === '' ? null : number(cell))
    case 'boolean':
      return cell => (isMissing(cell) ? null : String(cell).toLowerCase() === 'true' || cell === 1 ? 1 : 0)
    case 'time':
      return cell => (isMissing(cell) ? null : typeof cell === 'number' ? cell : number(Date.parse(utc(String(cell)))))
    case 'duration':
    case 'text':
      return cell => (isMissing(cell) ? null : cellText(cell))
  }
}

/** A time without a zone is read as UTC: the order of rows must not depend on where the reader sits. */
const utc = (text: string) =>
  /T\d\d:\d\d(?::\d\d(?:\.\d+)?)?$|\s\d\d:\d\d/.test(text) ? `${text.replace(' ', 'T')}Z` : text

function number(cell: Cell): number | null {
  // JSON has no infinity; kernels write it as Python does.
  const value = typeof cell === 'number' ? cell : Number(String(cell).replace(/inf$/i, 'Infinity'))
  return Number.isNaN(value) ? null : value
}
