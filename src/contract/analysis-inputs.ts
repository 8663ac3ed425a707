import type { InputSpec } from './analyses.ts'

/** What is wrong with one input, and where: `payments[2].amount`. */
export interface InputProblem {
  readonly path: string
  readonly message: string
}

export type CheckedInputs =
  | { readonly ok: true; readonly inputs: Record<string, unknown> }
  | { readonly ok: false; readonly problems: readonly InputProblem[] }

/** More rows than this are refused: they would not fit into a sandbox. */
export const maxRows = 1_000_000
const maxMoney = 1e15
const maxNumber = 1e30
const maxProblems = 20

/**
 * Inputs as the calculation takes them, or what is wrong with them. Every declared input is there afterwards: decimals
 * as text, dates as text, what was not given as its default or null. The form uses it while a person types.
 */
export function checkInputs(specs: Readonly<Record<string, InputSpec>>, given: unknown): CheckedInputs {
  const problems: InputProblem[] = []
  if (!isRecord(given)) return { ok: false, problems: [{ path: '', message: 'The inputs must be a JSON object.' }] }
  const inputs = fields(specs, given, '', problems)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, inputs }
}

function fields(
  specs: Readonly<Record<string, InputSpec>>,
  given: Readonly<Record<string, unknown>>,
  at: string,
  problems: InputProblem[],
): Record<string, unknown> {
  const values = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given)) {
    if (problems.length >= maxProblems) break
    const known = inputNamed(name, specs)
    if (known === null) {
      const near = nearest(name, Object.keys(specs))
      const hint = near ? ` Did you mean ${near}?` : ` Known: ${Object.keys(specs).join(', ')}.`
      add(problems, join(at, name), `There is no input called ${name.slice(0, 64)}.${hint}`)
    } else if (values.has(known)) {
      add(problems, join(at, known), `${join(at, known)} is given twice: ${name.slice(0, 64)} is another name of it.`)
    } else values.set(known, value)
  }
  const read: [string, unknown][] = []
  for (const [name, spec] of Object.entries(specs)) {
    read.push([name, orDefault(values.get(name), spec, join(at, name), problems)])
  }
  return Object.fromEntries(read)
}

/** The input of this name, or of this name in other letters, or the one that is also called so. */
export function inputNamed(name: string, specs: Readonly<Record<string, InputSpec>>): string | null {
  if (Object.hasOwn(specs, name)) return name
  const wanted = name.toLowerCase()
  const found = Object.entries(specs).find(([known, { also }]) => known === wanted || also?.includes(wanted))
  return found?.[0] ?? null
}

function orDefault(value: unknown, spec: InputSpec, at: string, problems: InputProblem[]): unknown {
  if (value !== undefined && value !== null && value !== '') return checked(value, spec, at, problems)
  if (spec.default !== undefined) return checked(spec.default, spec, at, problems)
  if (spec.optional) return null
  add(problems, at, `${at} is missing.`)
  return null
}

function checked(value: unknown, spec: InputSpec, at: string, problems: InputProblem[]): unknown {
  const wrong = (message: string) => {
    add(problems, at, `${at} ${message}`)
    return null
  }
  switch (spec.type) {
    case 'money':
    case 'number':
    case 'rate':
    case 'percent': {
      const text = decimal(value)
      if (text === null) return wrong(`must be a decimal number, not ${shown(value)}.`)
      const size = Number(text)
      const largest = spec.wide ? Number.MAX_VALUE : spec.type === 'money' ? maxMoney : maxNumber
      if (!Number.isFinite(size) || Math.abs(size) > largest) return wrong(`is too large: ${shown(value)}.`)
      const outside = range(size, spec)
      return outside ? wrong(outside) : text
    }
    case 'integer':
    case 'year': {
      const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value
      if (typeof number !== 'number' || !Number.isSafeInteger(number))
        return wrong(`must be a whole number, not ${shown(value)}.`)
      const outside = range(number, spec)
      return outside ? wrong(outside) : number
    }
    case 'tax_year': {
      const text = taxYear(value)
      return text ?? wrong(`must be a tax year such as 2025-26, not ${shown(value)}.`)
    }
    case 'date':
      return isDate(value) ? value : wrong(`must be a date such as 2025-10-01, not ${shown(value)}.`)
    case 'choice': {
      const choice = choose(value, spec.of ?? [], spec.aliases ?? {})
      if (choice !== null) return choice
      const near = typeof value === 'string' ? nearest(value, spec.of ?? []) : null
      return wrong(
        `must be one of ${(spec.of ?? []).join(', ')}, not ${shown(value)}.${near ? ` Did you mean ${near}?` : ''}`,
      )
    }
    case 'bool': {
      if (typeof value === 'boolean') return value
      if (value === 'true' || value === 'false') return value === 'true'
      return wrong(`must be true or false, not ${shown(value)}.`)
    }
    case 'text': {
      const text = typeof value === 'number' ? String(value) : value
      if (typeof text !== 'string' || !text.isWellFormed()) return wrong(`must be a text, not ${shown(value)}.`)
      const longest = Number(spec.max ?? 10_000)
      return text.length <= longest ? text : wrong(`is longer than ${longest} characters.`)
    }
    case 'list':
      return rows(value, spec, at, problems, (each, place) =>
        checked(each, spec.item ?? { type: 'text' }, place, problems),
      )
    case 'table':
      return rows(value, spec, at, problems, (each, place) => row(each, spec, place, problems))
    case 'record':
      if (!isRecord(value)) return wrong(`must be a JSON object, not ${shown(value)}.`)
      return fields(spec.fields ?? {}, value, at, problems)
    case 'map':
      return counts(value) ?? wrong('must give how often each digit occurs, as whole numbers.')
  }
}

function rows(
  value: unknown,
  spec: InputSpec,
  at: string,
  problems: InputProblem[],
  read: (each: unknown, at: string) => unknown,
): unknown {
  if (!Array.isArray(value)) {
    add(problems, at, `${at} must be a list, not ${shown(value)}.`)
    return null
  }
  const most = Number(spec.max ?? maxRows)
  if (value.length > most) {
    add(problems, at, `${at} has ${value.length} rows; ${most} is the most.`)
    return null
  }
  if (spec.min !== undefined && value.length < Number(spec.min)) {
    add(problems, at, `${at} needs at least ${spec.min} values.`)
    return null
  }
  const result: unknown[] = []
  for (let i = 0; i < value.length; i++) {
    result.push(read(value[i], `${at}[${i}]`))
    if (problems.length >= maxProblems) break
  }
  return result
}

/** A row is an object, a list in the order of the columns, or one value where the table says which column it fills. */
function row(value: unknown, spec: InputSpec, at: string, problems: InputProblem[]): unknown {
  const columns = spec.columns ?? {}
  const names = Object.keys(columns)
  if (Array.isArray(value)) {
    if (value.length > names.length) {
      add(problems, at, `${at} has ${value.length} values; the columns are ${names.join(', ')}.`)
      return null
    }
    return fields(columns, Object.fromEntries(value.map((each, i) => [names[i] ?? '', each])), at, problems)
  }
  if (isRecord(value)) return fields(columns, value, at, problems)
  if (spec.scalar && (typeof value === 'number' || typeof value === 'string')) {
    return fields(columns, { [spec.scalar]: value }, at, problems)
  }
  add(problems, at, `${at} must be a row of ${names.join(', ')}, not ${shown(value)}.`)
  return null
}

/** Digit counts by digit, or in the order of the digits. */
function counts(value: unknown): Record<string, number> | null {
  const starts: Record<number, number> = { 9: 1, 10: 0, 90: 10, 900: 100 }
  const entries = Array.isArray(value)
    ? value.map((count, i): [string, unknown] => [String(i + (starts[value.length] ?? 1)), count])
    : isRecord(value)
      ? Object.entries(value)
      : null
  if (!entries?.length || entries.length > 1000) return null
  const right = entries.every(([, count]) => typeof count === 'number' && Number.isSafeInteger(count) && count >= 0)
  return right ? (Object.fromEntries(entries) as Record<string, number>) : null
}

/** Decimal text of a number or a text; null for anything else. */
function decimal(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  if (typeof value !== 'string' || value.length > 400) return null
  const text = value.trim()
  return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(text) ? text : null
}

function range(value: number, { min, max, above }: InputSpec): string | null {
  if (above !== undefined && value <= Number(above)) return `must be more than ${above}.`
  if (min !== undefined && value < Number(min)) return `must be at least ${min}.`
  if (max !== undefined && value > Number(max)) return `must be at most ${max}.`
  return null
}

function taxYear(value: unknown): string | null {
  const found = typeof value === 'string' ? /^(\d{4})[-/](\d{2}|\d{4})$/.exec(value.trim()) : null
  const [, from = '', to = ''] = found ?? []
  const next = String(Number(from) + 1)
  return found && (to === next || to === next.slice(2)) ? `${from}-${next.slice(2)}` : null
}

function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value) && value >= '0002'
}

/** A choice as it is written, or the only one that differs in nothing but case and punctuation, or an alias of it. */
function choose(value: unknown, of: readonly string[], aliases: Readonly<Record<string, string>>): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value)
  if (of.includes(text)) return text
  const plain = (each: string) => each.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  if (plain(text) === '') return null
  const same = of.filter(each => plain(each) === plain(text))
  if (same.length === 1) return same[0] ?? null
  return Object.entries(aliases).find(([alias]) => plain(alias) === plain(text))?.[1] ?? null
}

/** The known name that is most like this one, where one is like it at all. */
export function nearest(name: string, known: readonly string[]): string | null {
  let best: { name: string; distance: number } | null = null
  for (const each of known) {
    const distance = edits(name.slice(0, 100).toLowerCase(), each.toLowerCase())
    if (!best || distance < best.distance) best = { name: each, distance }
  }
  return best && best.distance <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : null
}

function edits(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const now = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      now.push(Math.min(change, (before[j] ?? 0) + 1, (now[j - 1] ?? 0) + 1))
    }
    before = now
  }
  return before[b.length] ?? 0
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const join = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

function add(problems: InputProblem[], path: string, message: string): void {
  if (problems.length < maxProblems) problems.push({ path, message })
}

/** Enough of a value to recognise it by, and no more: one nested a hundred thousand levels deep would end the process. */
function shown(value: unknown): string {
  // JSON has no word for NaN and the infinities but null.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(beginning(value, 3)) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function beginning(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.slice(0, 60)
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '…'
  if (Array.isArray(value)) return value.slice(0, 30).map(each => beginning(each, levels - 1))
  const some = Object.entries(value).slice(0, 30)
  return Object.fromEntries(some.map(([name, each]) => [name.slice(0, 60), beginning(each, levels - 1)]))
}
