import type { Audit } from '../../audit/audit.ts'
import type { PathReportRequest } from '../../contract/path-report.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import type { Caller, Conversations } from '../../conversations/conversations.ts'
import { compareFigures } from '../compare.ts'
import { contentsOf } from '../contents.ts'
import { type ReadFigure, readFigures } from '../figures.ts'
import { type LineageSources, lineageOf } from '../lineage.ts'
import { chartAt, tableAt } from '../place.ts'
import type { ComparedRow, ReportContent, ReportDecision, ReportFigure } from './content.ts'
import { notAsPinned } from './pinned.ts'

export interface CollectSources extends LineageSources {
  readonly conversations: Pick<Conversations, 'pins' | 'results' | 'tree' | 'locate' | 'open'>
  readonly audit: LineageSources['audit'] & Pick<Audit, 'verify' | 'lastSigned'>
  readonly now: () => number
}

const mostRows = 40

/** Everything that a report says, or why it must not be made. */
export async function collectReport(
  sources: CollectSources,
  who: Caller,
  request: PathReportRequest,
  progress: { signal?: AbortSignal; onProgress?: (done: number, total: number) => void },
): Promise<Outcome<ReportContent>> {
  const { conversations } = sources
  const opened = await conversations.open(who, { path: request.path })
  if (!opened.ok) return opened
  const conversation = await conversations.locate(who, request.path)
  if (!conversation.ok) return conversation
  const tree = await conversations.tree(who, conversation.value)
  if (!tree.ok) return tree
  const read = await readFigures(conversations, who, request.path)
  if (!read.ok) return read
  const chosen = choose(read.value, request.figures)
  if (!chosen.ok) return chosen
  const forged = await notAsPinned(
    sources.audit,
    { tenant: who.tenant, conversation: conversation.value },
    chosen.value,
  )
  if (forged.length > 0) return refuseForged(forged)
  const told = []
  for (const each of chosen.value) told.push({ each, lineage: await lineageOf(sources, who, each) })
  const changed = told.filter(({ lineage }) => lineage.run?.outputsMatch === false)
  if (changed.length > 0) return refuseChanged(changed.map(({ each }) => each.figure.name))
  const behind = chosen.value.filter(({ figure: { state } }) => state.kind === 'gone' || state.stale)
  if (behind.length > 0 && !request.allowStale) return refuseStale(behind.map(({ figure }) => figure.name))
  const question = opened.value.items.find(item => item.kind === 'message' && item.author === 'analyst')
  const names = new Map<string, string>((await sources.identities.list(who.tenant)).map(({ id, name }) => [id, name]))
  const verified = await sources.audit.verify({ actor: who.user, ...progress })
  const { paths } = tree.value
  return ok({
    title: request.title ?? tree.value.conversation.title,
    path: opened.value.path.name,
    question: request.question ?? plainWords(question?.text ?? ''),
    madeAt: sources.now(),
    madeBy: names.get(who.user) ?? 'somebody',
    figures: told.map(({ each, lineage }) => reportFigure(each, lineage)),
    comparison:
      request.compare && paths.length > 1
        ? await comparisonOf(conversations, who, request.path, paths, chosen.value)
        : null,
    decisions: decisionsOf(told),
    code: request.withCode ? codeOf(chosen.value) : [],
    seal: {
      checkpoint: await sources.audit.lastSigned(),
      ok: verified.ok,
      entries: verified.entries,
      findings: verified.findings.map(({ message }) => message).slice(0, 20),
      notices: verified.notices,
    },
  })
}

/** A question as people say it, without the marks that make it bold. */
const plainWords = (text: string): string =>
  text
    .replace(/^#+\s+/gm, '')
    .replace(/\*\*|__|`/g, '')
    .trim()
    .slice(0, 2000)

function choose(all: readonly ReadFigure[], wanted: PathReportRequest['figures']): Outcome<readonly ReadFigure[]> {
  const chosen = wanted ? wanted.flatMap(id => all.find(({ figure }) => figure.id === id) ?? []) : all
  if (chosen.length > 0) return ok(chosen)
  return fail(
    'request.invalid',
    'No figure is pinned on this path, so there is nothing to report.',
    'Pin a number, table or chart of an output first.',
  )
}

const listed = (names: readonly string[]) => names.map(name => `“${name}”`).join(', ')

const refuseStale = (names: readonly string[]) =>
  fail(
    'report.stale',
    `The report would show what no longer holds: ${listed(names)}.`,
    'Run the stale cells, or say that stale figures may be in it.',
  )

const refuseChanged = (names: readonly string[]) =>
  fail(
    'report.stale',
    `The output behind ${listed(names)} is not the one that is on the record.`,
    'Run the cell again; a report never shows an output that was changed after its run.',
  )

const refuseForged = (names: readonly string[]) =>
  fail(
    'report.stale',
    `The record and the database disagree on how ${listed(names)} was pinned.`,
    'Unpin it, then pin it again.',
  )

function reportFigure({ figure, result }: ReadFigure, lineage: ReportFigure['lineage']): ReportFigure {
  const { name, state, place } = figure
  const { cell, run, decision, inputs, upstream } = lineage
  const rest = {
    name,
    stale: state.kind === 'shown' && state.stale,
    lineage: { cell, run, decision, inputs, upstream },
  }
  if (state.kind === 'gone') return { ...rest, shown: state }
  const contents = contentsOf(result?.runs[0]?.outputs ?? [])
  if (place.kind === 'chart') {
    const chart = chartAt(contents.charts, place)
    if (chart) return { ...rest, shown: { kind: 'chart', drawing: chart.drawing } }
  }
  if (place.kind === 'table') {
    const table = tableAt(contents.tables, place)
    if (table) {
      const rows = table.rows.slice(0, mostRows).map(row => table.columns.map(column => row[column] ?? null))
      return { ...rest, shown: { kind: 'table', columns: table.columns, rows, more: table.rows.length - rows.length } }
    }
  }
  const before = state.before && 'shown' in state.before.value ? state.before.value.shown : null
  return { ...rest, shown: { kind: 'value', text: 'shown' in state.value ? state.value.shown : '', before } }
}

async function comparisonOf(
  conversations: CollectSources['conversations'],
  who: Caller,
  path: PathReportRequest['path'],
  paths: readonly { id: PathReportRequest['path']; state: string }[],
  chosen: readonly ReadFigure[],
): Promise<ReportContent['comparison']> {
  const others = paths.filter(each => each.state === 'open' && each.id !== path).map(each => each.id)
  const compared = await compareFigures(conversations, who, { paths: [path, ...others].slice(0, 8) })
  if (!compared.ok) return null
  const wanted = new Set(chosen.map(({ figure }) => `${figure.cell} ${JSON.stringify(figure.place)}`))
  const rows: ComparedRow[] = compared.value.rows
    .filter(row => wanted.has(`${row.cell} ${JSON.stringify(row.place)}`))
    .map(({ name, unit, states }) => ({
      name,
      unit,
      values: states.map(({ state }) =>
        state.kind === 'shown' && state.value.kind === 'number'
          ? { text: state.value.shown, number: state.value.value, stale: state.stale }
          : { text: '–', number: null, stale: false },
      ),
    }))
    .filter(({ values }) => values.some(value => value.number !== null))
  return rows.length === 0 ? null : { paths: compared.value.paths.map(({ name }) => name), rows }
}

/** Each decision once, however many figures come from its run. */
function decisionsOf(told: readonly { each: ReadFigure; lineage: ReportFigure['lineage'] }[]): ReportDecision[] {
  const byRun = new Map<string, { names: string[]; decision: NonNullable<ReportFigure['lineage']['decision']> }>()
  for (const { each, lineage } of told) {
    if (!lineage.run || !lineage.decision) continue
    const known = byRun.get(lineage.run.id)
    if (known) known.names.push(each.figure.name)
    else byRun.set(lineage.run.id, { names: [each.figure.name], decision: lineage.decision })
  }
  return [...byRun.values()].map(({ names, decision: { by, name, at, comment } }) => ({
    by: by === 'policy' ? 'policy' : name,
    what: names.join(', '),
    at,
    comment,
  }))
}

/** The cells that the figures come from, and those before them, each once. */
function codeOf(chosen: readonly ReadFigure[]): ReportContent['code'] {
  const cells = new Map<string, ReportContent['code'][number]>()
  for (const { figure, result } of chosen) {
    if (!result) continue
    for (const { cell, text } of result.upstream)
      if (!cells.has(cell)) cells.set(cell, { name: 'A cell before', language: result.language, text })
    cells.set(result.cell, { name: figure.name, language: result.language, text: result.text })
  }
  return [...cells.values()]
}
