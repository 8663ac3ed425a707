import { type AnalysisRequest, weakest } from '../contract/analyses.ts'
import { checkInputs } from '../contract/analysis-inputs.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Analysis } from './load.ts'
import { resolve, type Span, spanOf } from './parameters.ts'
import type { Prepared } from './program.ts'

/** Checks inputs and date of a request and puts its parameters beside it. Nothing has run yet. */
export function prepare(
  analysis: Analysis,
  request: Pick<AnalysisRequest, 'inputs' | 'as_of' | 'code'>,
): Outcome<Prepared> {
  const { definition, parameters, sha256, code } = analysis
  const { inputs: given, as_of: asked } = apart(analysis, request)
  const checked = checkInputs(definition.inputs, given)
  if (!checked.ok) {
    const [first, ...more] = checked.problems
    const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
    return fail(
      'analysis.input',
      `${first?.message ?? 'The inputs are not valid.'}${rest}`,
      `\`countersign analyses show ${definition.id}\` lists the inputs.`,
    )
  }
  if (asked !== undefined && !isDay(asked))
    return fail('analysis.input', 'as_of must be a date such as 2025-10-01.', 'Give year, month and day.')
  const span = spanOf(definition, checked.inputs, asked)
  if (!span.ok) return span
  const resolved = resolve(parameters, span.value ?? anyDay)
  if (!resolved.ok) return resolved
  return ok({
    analysis: definition.id,
    version: definition.version,
    sha256,
    asOf: span.value?.from ?? null,
    status: weakest(definition.notes.flatMap(({ status }) => (status ? [status] : []))),
    code: request.code ?? code,
    own: request.code !== undefined && request.code.trimEnd() !== code.trimEnd(),
    inputs: checked.inputs,
    parameters: resolved.value,
  })
}

/** An analysis without dated parameters has none to look for. */
const anyDay: Span = { from: '2000-01-01', until: '2000-01-02', name: 'any day' }

/** `as_of` may stand among the inputs where it is not itself one of them. */
function apart({ definition }: Analysis, { inputs, as_of }: Pick<AnalysisRequest, 'inputs' | 'as_of'>) {
  if (definition.inputs.as_of) return { inputs: as_of === undefined ? inputs : { ...inputs, as_of }, as_of: undefined }
  if (!definition.as_of || !Object.hasOwn(inputs, 'as_of')) return { inputs, as_of }
  const { as_of: among, ...rest } = inputs
  return { inputs: rest, as_of: as_of ?? (among === null ? undefined : String(among)) }
}

const isDay = (text: string) => checkInputs({ day: { type: 'date' } }, { day: text }).ok
