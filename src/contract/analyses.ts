import { z } from 'zod'
import { CellId, PathId } from './ids.ts'
import { Problem } from './problem.ts'
import { Code, RunView } from './runs.ts'

/** What an analysis is for; row T2 of the tools names the same four. */
export const analysisTypes = ['tax_calculation', 'compliance_check', 'data_analysis', 'custom'] as const
export const AnalysisType = z.enum(analysisTypes)
export type AnalysisType = z.infer<typeof AnalysisType>

/** How far a value of the law can be relied on. `unverified`: from memory, nobody has read the source. */
export const lawStatuses = ['enacted', 'announced', 'draft', 'unverified'] as const
export const LawStatus = z.enum(lawStatuses)
export type LawStatus = z.infer<typeof LawStatus>

export const AnalysisId = z.string().regex(/^[a-z][a-z0-9-]{1,63}$/, 'small letters, digits and hyphens')
const name = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'small letters, digits and underscores')
const version = z.string().regex(/^\d+\.\d+\.\d+$/, 'three numbers, such as 1.0.0')
const day = z.iso.date()
const bound = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)])

export const inputTypes = [
  'money',
  'number',
  'rate',
  'percent',
  'integer',
  'year',
  'tax_year',
  'date',
  'choice',
  'bool',
  'text',
  'list',
  'table',
  'record',
  'map',
] as const
export type InputType = (typeof inputTypes)[number]

/** One input. Decimals are text, so that nothing is lost between the form and the calculation. */
export interface InputSpec {
  readonly type: InputType
  readonly currency?: string | undefined
  readonly unit?: string | undefined
  readonly help?: string | undefined
  readonly min?: number | string | undefined
  readonly max?: number | string | undefined
  /** More than this, not equal. */
  readonly above?: number | string | undefined
  readonly of?: readonly string[] | undefined
  /** Other names of a choice, by the name that people also use. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Other names of the input itself. */
  readonly also?: readonly string[] | undefined
  readonly default?: unknown
  readonly optional?: boolean | undefined
  /** Numbers of any size, such as journal entries of any currency. */
  readonly wide?: boolean | undefined
  readonly item?: InputSpec | undefined
  readonly columns?: Readonly<Record<string, InputSpec>> | undefined
  readonly fields?: Readonly<Record<string, InputSpec>> | undefined
  /** The column that a row of one bare value fills. */
  readonly scalar?: string | undefined
}

export const InputSpec: z.ZodType<InputSpec> = z.lazy(() =>
  z
    .strictObject({
      type: z.enum(inputTypes),
      currency: z.string().length(3).optional(),
      unit: z.string().max(40).optional(),
      help: z.string().max(400).optional(),
      min: bound.optional(),
      max: bound.optional(),
      above: bound.optional(),
      of: z.array(z.string()).min(1).optional(),
      aliases: z.record(z.string(), z.string()).optional(),
      also: z.array(name).min(1).optional(),
      default: z.unknown().optional(),
      optional: z.boolean().optional(),
      wide: z.boolean().optional(),
      item: InputSpec.optional(),
      columns: z.record(name, InputSpec).optional(),
      fields: z.record(name, InputSpec).optional(),
      scalar: name.optional(),
    })
    .refine(spec => spec.type !== 'choice' || spec.of, 'a choice needs `of`')
    .refine(spec => spec.type !== 'list' || spec.item, 'a list needs `item`')
    .refine(spec => spec.type !== 'table' || spec.columns, 'a table needs `columns`')
    .refine(spec => spec.type !== 'record' || spec.fields, 'a record needs `fields`'),
)

export const OutputSpec = z.strictObject({
  type: z.enum(inputTypes),
  currency: z.string().length(3).optional(),
  unit: z.string().max(40).optional(),
  help: z.string().max(400).optional(),
})
export type OutputSpec = z.infer<typeof OutputSpec>

/** `analysis.yaml`: what it is. */
export const AnalysisDefinition = z.strictObject({
  id: AnalysisId,
  version,
  type: AnalysisType,
  title: z.string().min(1).max(200),
  jurisdiction: z.string().min(2).max(20),
  summary: z.string().min(1).max(400),
  /** The date that picks the parameters: an input, a date within a year that is an input, or a fixed one. */
  as_of: z
    .strictObject({ input: name.optional(), within: name.optional(), default: day.optional() })
    .refine(({ input, default: fixed }) => input !== undefined || fixed !== undefined, 'needs an input or a default')
    .optional(),
  inputs: z.record(name, InputSpec),
  outputs: z.record(name, OutputSpec),
  rounding: z.strictObject({ to: z.string(), mode: z.string(), where: z.array(z.string()) }).optional(),
  /** A chart of outputs while one input moves. */
  chart: z.strictObject({ x: name, y: z.array(name).min(1), title: z.string() }).optional(),
  /** A figure against what is required. */
  gauge: z.strictObject({ value: name.optional(), required: z.number().optional(), table: name.optional() }).optional(),
  not_covered: z.array(z.string()).default([]),
  sources: z.array(z.string()).default([]),
  notes: z.array(z.strictObject({ text: z.string(), status: LawStatus.optional() })).default([]),
  history: z.array(z.strictObject({ version, date: day, change: z.string() })).min(1),
})
export type AnalysisDefinition = z.infer<typeof AnalysisDefinition>

export const Citation = z.strictObject({
  act: z.string().optional(),
  document: z.string().optional(),
  provision: z.string().optional(),
  publisher: z.string(),
  read: day,
  status: LawStatus,
})
export type Citation = z.infer<typeof Citation>

/** A value of a parameter: decimal text, or lists and records of it. */
export type ParameterValue = string | null | readonly ParameterValue[] | { readonly [name: string]: ParameterValue }
export const ParameterValue: z.ZodType<ParameterValue> = z.lazy(() =>
  z.union([z.string(), z.null(), z.array(ParameterValue), z.record(z.string(), ParameterValue)]),
)

export const Parameter = z.strictObject({
  label: z.string(),
  unit: z.string(),
  values: z
    .array(
      z.strictObject({
        from: day,
        to: day.optional(),
        value: ParameterValue,
        cite: z.string(),
        status: LawStatus.optional(),
      }),
    )
    .min(1),
  /** The first day about which nothing is known. */
  known_until: day,
  /** Left out, not refused, on a day for which it is not known. */
  optional: z.boolean().optional(),
})
export type Parameter = z.infer<typeof Parameter>

/** `parameters.yaml`: dated values of the law, each with its citation. */
export const ParameterFile = z
  .strictObject({ parameters: z.record(z.string(), Parameter), citations: z.record(z.string(), Citation) })
  .refine(
    ({ parameters, citations }) =>
      Object.values(parameters).every(({ values }) => values.every(({ cite }) => Object.hasOwn(citations, cite))),
    'every value needs a citation of the list',
  )
export type ParameterFile = z.infer<typeof ParameterFile>

export const exampleKinds = ['official', 'other', 'computed'] as const
/** `examples.yaml`: worked examples are the tests, and stand beside the form. */
export const Example = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(exampleKinds),
  source: z.strictObject({ document: z.string(), publisher: z.string().optional() }).optional(),
  input: z.record(z.string(), z.unknown()),
  output: z.record(z.string(), z.unknown()).optional(),
  /** The example must be refused: by the form of its inputs, by its date, or by the method. */
  refused: z.enum(['input', 'range', 'method']).optional(),
  tolerance: z.string().optional(),
})
export type Example = z.infer<typeof Example>

/** A line of the catalogue. */
export const AnalysisEntry = z.object({
  id: AnalysisId,
  version,
  type: AnalysisType,
  title: z.string(),
  jurisdiction: z.string(),
  summary: z.string(),
  sha256: z.string(),
  /** Days for which its parameters are known; null where no parameter is dated. */
  known: z.object({ from: day, until: day }).nullable(),
  /** `catalogue` ships with the application; `own` lies in the user's data folder. */
  origin: z.enum(['catalogue', 'own']),
  /** The weakest status of any of its values and notes. */
  status: LawStatus,
})
export type AnalysisEntry = z.infer<typeof AnalysisEntry>

/** All there is to one analysis. */
export const AnalysisView = z.object({
  entry: AnalysisEntry,
  definition: AnalysisDefinition,
  parameters: ParameterFile,
  examples: z.array(Example),
  code: z.string(),
  versions: z.array(version),
})
export type AnalysisView = z.infer<typeof AnalysisView>

/** A value of the law that a result rests on. */
export const UsedParameter = z.object({
  name: z.string(),
  label: z.string(),
  unit: z.string(),
  value: ParameterValue,
  from: day,
  /** The first day on which it no longer holds, or is no longer known to. */
  to: day,
  citation: z.string(),
  publisher: z.string(),
  status: LawStatus,
})
export type UsedParameter = z.infer<typeof UsedParameter>

export const AnalysisStep = z.object({
  label: z.string(),
  figure: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  provision: z.string().nullable(),
})
export type AnalysisStep = z.infer<typeof AnalysisStep>

/** What every run of an analysis answers: its outputs, and beside them what they rest on. */
export interface AnalysisResult {
  readonly [output: string]: unknown
  readonly analysis: string
  readonly version: string
  readonly folder_sha256: string
  readonly as_of: string | null
  /** The weakest status of what was used. */
  readonly status: LawStatus
  readonly parameters_used: readonly UsedParameter[]
  readonly steps: readonly AnalysisStep[]
}
export const AnalysisResult: z.ZodType<AnalysisResult> = z.looseObject({
  analysis: z.string(),
  version: z.string(),
  folder_sha256: z.string(),
  as_of: z.string().nullable(),
  status: LawStatus,
  parameters_used: z.array(UsedParameter),
  steps: z.array(AnalysisStep),
})

/** A result in a cell. The whole of `AnalysisResult` is its data. */
export const analysisMime = 'application/vnd.countersign.analysis+json'

/** The first words of the program of an analysis. */
export const analysisMarker = '# Countersign analysis '

/** `run_analysis`. */
export const AnalysisRequest = z.object({
  analysis: AnalysisId,
  version: version.optional(),
  as_of: day.optional(),
  inputs: z.record(z.string(), z.unknown()),
  /** The analyst's own code, which is given the same inputs and parameters. */
  code: Code.optional(),
})
export type AnalysisRequest = z.infer<typeof AnalysisRequest>

export const analysisFormats = ['json', 'text', 'csv'] as const
export const AnalysisFormat = z.enum(analysisFormats)
export type AnalysisFormat = z.infer<typeof AnalysisFormat>

/** `run_analysis` as a tool (row T2): what the analysis is for, its parameters, and code where the catalogue has none. */
export const AnalysisToolRequest = z.object({
  type: AnalysisType,
  /** An entry of the catalogue; left out for code that has none. */
  analysis: z.string().min(1).max(64).optional(),
  parameters: z.record(z.string(), z.json()).default({}),
  code: Code.optional(),
})
export type AnalysisToolRequest = z.infer<typeof AnalysisToolRequest>

export const AnalysisRunRequest = AnalysisRequest.extend({
  path: PathId,
  timeoutMs: z.number().int().min(1).max(600_000).optional(),
})
export type AnalysisRunRequest = z.input<typeof AnalysisRunRequest>

export const AnalysisStarted = z.object({ cell: CellId, run: RunView })

/** What the record says of a run that an analysis made. Found by comparing its code with the catalogue. */
export const AnalysisMark = z.object({
  analysis: AnalysisId,
  version,
  title: z.string(),
  origin: z.enum(['catalogue', 'own']),
  status: LawStatus,
  sha256: z.string(),
  /** False for code that the analyst wrote or changed. */
  untouched: z.boolean(),
  as_of: z.string().nullable(),
  /** Cases in the run; one unless it is a batch. */
  count: z.number().int(),
  inputs_sha256: z.string().nullable(),
  citations: z.array(z.string()),
  /** How many worked examples of each kind the version was released with. */
  examples: z.object({ official: z.number(), other: z.number(), computed: z.number() }),
})
export type AnalysisMark = z.infer<typeof AnalysisMark>

export const AnalysisBatchRequest = z.object({
  analysis: AnalysisId,
  version: version.optional(),
  as_of: day.optional(),
  /** The path in whose sandbox the rows are worked out; none for a look at the catalogue. */
  path: PathId.nullable().default(null),
  rows: z.array(z.record(z.string(), z.unknown())).max(100_000),
})
export type AnalysisBatchRequest = z.input<typeof AnalysisBatchRequest>

/** Rows as they are done, in order. */
export const BatchProgress = z.object({
  done: z.number().int(),
  total: z.number().int(),
  rows: z.array(z.lazy(() => BatchRow)),
})
export type BatchProgress = z.infer<typeof BatchProgress>

/** One row of a batch: a result or why there is none. */
export const BatchRow = z.union([
  z.object({ row: z.number().int(), output: z.record(z.string(), z.unknown()) }),
  z.object({ row: z.number().int(), error: Problem }),
])
export type BatchRow = z.infer<typeof BatchRow>

/** The weakest of some statuses. */
export const weakest = (statuses: readonly LawStatus[]): LawStatus =>
  statuses.reduce((a, b) => (lawStatuses.indexOf(b) > lawStatuses.indexOf(a) ? b : a), 'enacted' as LawStatus)
