import type { Checkpoint, Verification } from '../../contract/audit.ts'
import type { Lineage } from '../../contract/figures.ts'
import type { ChartAt } from '../contents.ts'

/** All that a report of a path says, as plain data: it goes through the egress guard before a page is made of it. */
export interface ReportContent {
  readonly title: string
  readonly path: string
  readonly question: string
  readonly madeAt: number
  readonly madeBy: string
  readonly figures: readonly ReportFigure[]
  readonly comparison: { readonly paths: readonly string[]; readonly rows: readonly ComparedRow[] } | null
  readonly decisions: readonly ReportDecision[]
  readonly code: readonly { readonly name: string; readonly language: string; readonly text: string }[]
  readonly seal: {
    readonly checkpoint: Checkpoint
    readonly ok: boolean
    readonly entries: number
    readonly findings: readonly string[]
    readonly notices: Verification['notices']
  }
}

export interface ReportFigure {
  readonly name: string
  readonly shown:
    | { readonly kind: 'value'; readonly text: string; readonly before: string | null }
    | {
        readonly kind: 'table'
        readonly columns: readonly string[]
        readonly rows: readonly unknown[][]
        readonly more: number
      }
    | { readonly kind: 'chart'; readonly drawing: ChartAt['drawing'] }
    | { readonly kind: 'gone'; readonly sentence: string }
  readonly stale: boolean
  readonly lineage: Pick<Lineage, 'cell' | 'run' | 'decision' | 'inputs' | 'upstream'>
}

export interface ComparedRow {
  readonly name: string
  readonly unit: string
  readonly values: readonly { readonly text: string; readonly number: number | null; readonly stale: boolean }[]
}

export interface ReportDecision {
  readonly by: string
  readonly what: string
  readonly at: number
  readonly comment: string
}

type Replace = (text: string) => string

/**
 * Puts other texts in the place of all that people and programs wrote, always in the same order. Hashes, ids and
 * signatures of ours stay: they would not be checkable otherwise.
 */
export function mapTexts(content: ReportContent, replace: Replace): ReportContent {
  const { title, path, question, madeBy, figures, comparison, decisions, code, seal } = content
  return {
    ...content,
    ...deep({ title, path, question, madeBy }, replace),
    figures: figures.map(figure => ({
      ...figure,
      name: replace(figure.name),
      shown: mapShown(figure.shown, replace),
      lineage: mapLineage(figure.lineage, replace),
    })),
    ...deep({ comparison, decisions, code }, replace),
    seal: { ...seal, ...deep({ findings: seal.findings, notices: seal.notices }, replace) },
  }
}

function mapShown(shown: ReportFigure['shown'], replace: Replace): ReportFigure['shown'] {
  if (shown.kind !== 'chart') return { ...deep(shown, replace), kind: shown.kind } as ReportFigure['shown']
  const { drawing } = shown
  if (drawing.kind === 'spec') return { kind: 'chart', drawing: { kind: 'spec', spec: deep(drawing.spec, replace) } }
  // There is nothing to read in the bytes of a picture; an SVG is text.
  const data = drawing.mime === 'image/svg+xml' ? replace(drawing.data) : drawing.data
  return { kind: 'chart', drawing: { ...drawing, data } }
}

function mapLineage(lineage: ReportFigure['lineage'], replace: Replace): ReportFigure['lineage'] {
  const { run, decision, inputs, upstream } = lineage
  return {
    ...lineage,
    run: run && {
      ...run,
      by: replace(run.by),
      environment: run.environment && { ...run.environment, name: replace(run.environment.name) },
    },
    decision: decision && { ...decision, name: replace(decision.name), comment: replace(decision.comment) },
    inputs: { ...inputs, files: inputs.files.map(file => ({ ...file, path: replace(file.path) })) },
    upstream: upstream.map(each => ({ ...each, firstLine: replace(each.firstLine) })),
  }
}

function deep<T>(value: T, replace: Replace): T {
  if (typeof value === 'string') return replace(value) as T
  if (Array.isArray(value)) return value.map(each => deep(each, replace)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, deep(each, replace)])) as T
}
