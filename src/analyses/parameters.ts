import type {
  AnalysisDefinition,
  Citation,
  Parameter,
  ParameterFile,
  ParameterValue,
  UsedParameter,
} from '../contract/analyses.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'

/** The day, or the days of a year, for which parameters are wanted: `[from, until)`. */
export interface Span {
  readonly from: string
  readonly until: string
  /** How it is named in a sentence. */
  readonly name: string
  /** The input that can name one day within it. */
  readonly within?: string
}

/** The parameters of a span, each as the result will show it. A date outside of what is known is refused. */
export function resolve(file: ParameterFile, span: Span): Outcome<Record<string, UsedParameter>> {
  const found: [string, UsedParameter][] = []
  for (const [name, parameter] of Object.entries(file.parameters)) {
    const at = valueAt(parameter, span.from)
    if (!at) {
      if (parameter.optional) continue
      return outside(file, parameter, span)
    }
    if (at.to < span.until) {
      if (parameter.optional) continue
      const hint = span.within ? `Give ${span.within} as well.` : 'Ask for one of its days.'
      return at.to === parameter.known_until
        ? outside(file, parameter, span)
        : fail('analysis.range', `${parameter.label} changes within ${span.name}, on ${at.to}.`, hint)
    }
    const citation = file.citations[at.cite]
    found.push([
      name,
      {
        name,
        label: parameter.label,
        unit: parameter.unit,
        value: at.value,
        from: at.from,
        to: at.to,
        citation: citation ? citationText(citation) : at.cite,
        publisher: citation?.publisher ?? '',
        status: at.status ?? citation?.status ?? 'unverified',
      },
    ])
  }
  return ok(Object.fromEntries(found))
}

function outside(file: ParameterFile, { label, values, known_until }: Parameter, { name }: Span) {
  const known = knownRange(file)
  // Where all of the law is known for the same days, the parameter that was looked at first is no news.
  const whole = !values.some(({ to }) => to) && values[0]?.from === known?.from && known_until === known?.until
  const ranges = joined(values, known_until).map(({ from, until }) => `${from} to before ${until}`)
  return fail(
    'analysis.range',
    `${whole ? 'The law' : `“${label}”`} is known from ${listed(ranges)}, not for ${name}.`,
    'A value outside of the known dates would be a guess: choose a date within them.',
  )
}

/** The days that values are known for, those that follow each other as one. */
function joined(values: Parameter['values'], knownUntil: string): { from: string; until: string }[] {
  const ranges: { from: string; until: string }[] = []
  for (const [at, { from }] of values.entries()) {
    const until = endOf(values, at, knownUntil)
    const last = ranges.at(-1)
    if (last?.until === from) last.until = until
    else ranges.push({ from, until })
  }
  return ranges
}

const listed = (ranges: readonly string[]): string => new Intl.ListFormat('en').format(ranges)

interface Held {
  readonly from: string
  readonly to: string
  readonly value: ParameterValue
  readonly cite: string
  readonly status: UsedParameter['status'] | undefined
}

function valueAt({ values, known_until }: Parameter, day: string): Held | null {
  for (let at = values.length - 1; at >= 0; at--) {
    const each = values[at]
    if (!each || day < each.from) continue
    const to = endOf(values, at, known_until)
    return day < to ? { from: each.from, to, value: each.value, cite: each.cite, status: each.status } : null
  }
  return null
}

const endOf = (values: Parameter['values'], at: number, knownUntil: string): string =>
  values[at]?.to ?? values[at + 1]?.from ?? knownUntil

/** Dates in order, none that overlap, and a gap only where a value says that it ends. */
export function checkParameters({ parameters }: ParameterFile): string | null {
  for (const [name, { values, known_until }] of Object.entries(parameters)) {
    for (const [at, { from, to }] of values.entries()) {
      const next = values[at + 1]?.from ?? known_until
      if (from >= next) return `${name}: the value from ${from} does not end before the next one begins.`
      if (to && (to <= from || to > next)) return `${name}: the value from ${from} overlaps the next one.`
    }
  }
  return null
}

/** The days that every parameter is known for, apart from optional ones; null where none is dated. */
export function knownRange({ parameters }: ParameterFile): { from: string; until: string } | null {
  const needed = Object.values(parameters).filter(({ optional }) => !optional)
  // Dates of this form sort like text.
  const from = needed
    .map(({ values }) => values[0]?.from ?? '')
    .sort()
    .at(-1)
  const [until] = needed.map(({ known_until }) => known_until).sort()
  return from !== undefined && until !== undefined ? { from, until } : null
}

/** The span that an analysis takes its parameters for. Inputs are checked before. */
export function spanOf(
  { as_of, inputs: specs }: AnalysisDefinition,
  inputs: Readonly<Record<string, unknown>>,
  asked: string | undefined,
): Outcome<Span | null> {
  if (!as_of) return ok(null)
  const day = (date: string): Span => ({ from: date, until: nextDay(date), name: date })
  const named = as_of.input ? inputs[as_of.input] : null
  const spec = as_of.input ? specs[as_of.input] : undefined
  if (spec && named !== null && named !== undefined) {
    const whole = yearSpan(spec.type, named)
    const within = as_of.within ? inputs[as_of.within] : null
    if (!whole) return asked && asked !== named ? differs(asked, String(named)) : ok(day(String(named)))
    const one = typeof within === 'string' ? within : asked
    if (one === undefined) return ok(as_of.within ? { ...whole, within: as_of.within } : whole)
    return one >= whole.from && one < whole.until ? ok(as_of.within ? day(one) : whole) : differs(one, whole.name)
  }
  const date = asked ?? as_of.default
  return date === undefined ? ok(null) : ok(day(date))
}

function differs(asked: string, named: string) {
  return fail(
    'analysis.input',
    `The date ${asked} does not lie in ${named}.`,
    'Leave one of the two out, or let them agree.',
  )
}

function yearSpan(type: string, value: unknown): Span | null {
  if (type === 'year') {
    const year = Number(value)
    const pad = (each: number) => String(each).padStart(4, '0')
    return { from: `${pad(year)}-01-01`, until: `${pad(year + 1)}-01-01`, name: String(year) }
  }
  if (type !== 'tax_year') return null
  const year = Number(String(value).slice(0, 4))
  return { from: `${year}-04-06`, until: `${year + 1}-04-06`, name: String(value) }
}

function nextDay(date: string): string {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000)
  return next.toISOString().slice(0, 10)
}

export function citationText({ act, document, provision }: Citation): string {
  return [act, document, provision].filter(part => part !== undefined).join(', ')
}
