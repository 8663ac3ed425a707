import { z } from 'zod'
import { Sha256 } from './audit.ts'
import { Name, OutputId, Version } from './conversations.ts'
import { CellId, FigureId, PathId, RequestId, RunId, SandboxId } from './ids.ts'
import { Isolation, RiskLevel, SandboxKind } from './run.ts'

const count = z.number().int().nonnegative().max(100_000)

/** Which of several alike: the `nth` (from 0) of as many as there were when it was named. */
const among = { nth: count, of: count }

/** A row by what its key columns, or its only telling column, say; by number where nothing names it. */
export const RowName = z.discriminatedUnion('by', [
  z.object({ by: z.literal('key'), key: z.record(z.string().max(500), z.json()) }),
  z.object({ by: z.literal('number'), number: count }),
])
export type RowName = z.infer<typeof RowName>

/**
 * Where a figure stands in the outputs of its cell. It is named by what a person would name it by, so that it is found
 * again after a rerun that prints more or less around it.
 */
export const FigurePlace = z.discriminatedUnion('kind', [
  /** A number in text or JSON, by the label before it. */
  z.object({ kind: z.literal('number'), label: z.string().max(200), unit: z.string().max(16), ...among }),
  /** An entry of a table. */
  z.object({ kind: z.literal('entry'), ...among, row: RowName, column: z.string().max(500) }),
  z.object({ kind: z.literal('table'), columns: z.array(z.string().max(500)).max(2000), ...among }),
  /** A chart by its title, or a picture. */
  z.object({ kind: z.literal('chart'), title: z.string().max(500).nullable(), ...among }),
])
export type FigurePlace = z.infer<typeof FigurePlace>

/** What stands there. Tables and charts are fetched by their output. */
export const FigureValue = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('number'), value: z.number(), unit: z.string(), shown: z.string() }),
  z.object({ kind: z.literal('text'), shown: z.string() }),
  z.object({ kind: z.literal('table'), output: OutputId, rows: count, columns: count }),
  z.object({ kind: z.literal('chart'), output: OutputId, title: z.string().nullable() }),
])
export type FigureValue = z.infer<typeof FigureValue>

/** A value as one run left it. */
export const FigureReading = z.object({
  value: FigureValue,
  /** Null for an output that came with an imported notebook. */
  run: RunId.nullable(),
  at: z.number().nullable(),
  /** Where it ran: another path when it was inherited or merged. */
  ranOn: PathId,
})
export type FigureReading = z.infer<typeof FigureReading>

/** Why a figure has nothing to show. */
export const absences = ['cell', 'output', 'place'] as const
export const FigureState = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('shown'),
    ...FigureReading.shape,
    /** The cell, or one that it depends on, was changed after this run. */
    stale: z.boolean(),
    /** What it was before, where that differs. */
    before: FigureReading.nullable(),
  }),
  z.object({ kind: z.literal('gone'), why: z.enum(absences), sentence: z.string() }),
])
export type FigureState = z.infer<typeof FigureState>

/** A figure as a path shows it. */
export const Figure = z.object({
  id: FigureId,
  name: z.string(),
  cell: CellId,
  place: FigurePlace,
  /** Pinned on the path that this one branched off. */
  inherited: z.boolean(),
  pinnedAt: z.number(),
  state: FigureState,
})
export type Figure = z.infer<typeof Figure>

/** Something in the outputs of a cell that can be pinned. */
export const Candidate = z.object({
  place: FigurePlace,
  name: z.string(),
  value: FigureValue,
  /** The figure that it is already, where it is pinned. */
  figure: FigureId.nullable(),
})
export type Candidate = z.infer<typeof Candidate>

export const PinFigure = z.object({ path: PathId, cell: CellId, place: FigurePlace, name: Name })
export type PinFigure = z.infer<typeof PinFigure>
export const FigureRef = z.object({ path: PathId, figure: FigureId })
export type FigureRef = z.infer<typeof FigureRef>
export const RenameFigure = FigureRef.extend({ name: Name })
export type RenameFigure = z.infer<typeof RenameFigure>
/** Behind another figure of the path, or to the front. */
export const MoveFigure = FigureRef.extend({ after: FigureId.nullable() })
export type MoveFigure = z.infer<typeof MoveFigure>

/** The figures of several paths in one table: a row for each figure, a column for each path. */
export const CompareFigures = z.object({ paths: z.array(PathId).min(1).max(50) })
export type CompareFigures = z.infer<typeof CompareFigures>
export const FigureComparison = z.object({
  paths: z.array(z.object({ id: PathId, name: z.string() })),
  rows: z.array(
    z.object({
      cell: CellId,
      place: FigurePlace,
      name: z.string(),
      unit: z.string(),
      /** One for each path, in order; `figure` is null where the path has it and has not pinned it. */
      states: z.array(z.object({ figure: FigureId.nullable(), state: FigureState })),
    }),
  ),
})
export type FigureComparison = z.infer<typeof FigureComparison>

/** Where a figure comes from, by the word of the record. */
export const Lineage = z.object({
  figure: Figure,
  cell: z.object({
    id: CellId,
    /** What the cell says now, and what it said when it ran. */
    revision: Version.nullable(),
    ranRevision: Version.nullable(),
    language: z.string(),
    codeHash: Sha256.nullable(),
  }),
  run: z
    .object({
      id: RunId,
      by: z.string(),
      at: z.number(),
      success: z.boolean(),
      risk: RiskLevel,
      sandbox: SandboxKind,
      sandboxId: SandboxId.nullable(),
      isolation: Isolation,
      image: z.string().nullable(),
      environment: z.object({ name: z.string(), digest: z.string() }).nullable(),
      /** Whether the output that is shown is the one that the record has by hash; null for a run from before there were hashes. */
      outputsMatch: z.boolean().nullable(),
    })
    .nullable(),
  /** Files that the run found, by hash; `read` where the guard says that the code reads them. */
  inputs: z.object({
    manifest: Sha256.nullable(),
    files: z.array(z.object({ path: z.string(), sha256: Sha256, bytes: z.number(), read: z.boolean() })),
    more: count,
  }),
  /** The cells before it that it takes variables or files from. */
  upstream: z.array(
    z.object({
      cell: CellId,
      run: RunId.nullable(),
      codeHash: Sha256.nullable(),
      stale: z.boolean(),
      firstLine: z.string(),
    }),
  ),
  decision: z
    .object({
      by: z.enum(['policy', 'reviewer']),
      name: z.string(),
      at: z.number(),
      comment: z.string(),
      request: RequestId.nullable(),
    })
    .nullable(),
  entries: z.array(z.object({ seq: z.number().int(), hash: Sha256, what: z.string(), at: z.number() })),
  /** Newest first; the first is what is shown now. */
  history: z.array(FigureReading),
})
export type Lineage = z.infer<typeof Lineage>
