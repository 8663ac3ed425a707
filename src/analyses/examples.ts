import type { Example } from '../contract/analyses.ts'
import type { Problem } from '../contract/problem.ts'

/** What came of a worked example. */
export interface ExampleResult {
  readonly example: string
  readonly kind: Example['kind']
  readonly passed: boolean
  /** What differs, in a sentence; null where it passed. */
  readonly difference: string | null
}

type Answer =
  | { readonly output: Readonly<Record<string, unknown>> }
  | { readonly error: Pick<Problem, 'code' | 'message'> }

const codes: Record<NonNullable<Example['refused']>, Problem['code']> = {
  input: 'analysis.input',
  range: 'analysis.range',
  method: 'analysis.refused',
}

/** Holds an answer against what the example says. */
export function judge(example: Example, answer: Answer): ExampleResult {
  const about = { example: example.name, kind: example.kind }
  const difference = differenceOf(example, answer)
  return { ...about, passed: difference === null, difference }
}

function differenceOf({ output = {}, refused, tolerance }: Example, answer: Answer): string | null {
  if (refused) {
    if ('output' in answer) return 'it should have been refused'
    return answer.error.code === codes[refused] ? null : `refused as ${answer.error.code}, not as ${codes[refused]}`
  }
  if ('error' in answer) return answer.error.message
  const within = tolerance === undefined ? 0 : Number(tolerance)
  for (const [name, wanted] of Object.entries(output)) {
    const found = answer.output[name]
    if (!same(wanted, found, within)) return `${name} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`
  }
  return null
}

/** Equal, or as near as the example allows; text of a decimal counts as its number only where a tolerance is given. */
function same(wanted: unknown, found: unknown, tolerance: number): boolean {
  if (wanted === found) return true
  if (Array.isArray(wanted) && Array.isArray(found)) {
    return wanted.length === found.length && wanted.every((each, i) => same(each, found[i], tolerance))
  }
  if (typeof wanted === 'object' && wanted !== null && typeof found === 'object' && found !== null) {
    return Object.entries(wanted).every(([name, each]) =>
      same(each, (found as Record<string, unknown>)[name], tolerance),
    )
  }
  if (tolerance === 0 || !isFigure(wanted) || !isFigure(found)) return false
  return Math.abs(Number(wanted) - Number(found)) <= tolerance
}

const isFigure = (value: unknown) => typeof value === 'number' || (typeof value === 'string' && /^-?\d/.test(value))
