import type { Clock } from '../../clock.ts'
import type { AuditItem, AuditScope, Checkpoint, Verification } from '../../contract/audit.ts'
import type { UserId } from '../../contract/ids.ts'
import { Failure } from '../../contract/problem.ts'
import type { Report, ReportRun } from '../../contract/report.ts'
import type { Storage } from '../../storage/storage.ts'
import { type TextsOfAnalysis, textsThatMayLeave } from '../analysis-texts.ts'
import { readBody } from '../bodies.ts'
import type { PassEgress } from '../bundle.ts'
import { parseEntry, readItems } from '../query.ts'
import type { Present } from '../run-state.ts'
import { chainUpTo, inScope } from '../scope.ts'
import { Collection } from './collect.ts'

export interface ReportRequest {
  readonly scope: AuditScope
  readonly actor: UserId | null
  readonly title?: string
  /** Code and output on their way into a file go through here. */
  readonly passEgress?: PassEgress
  /** Sees every run of the scope, for a table of all of them. */
  readonly onRun?: (run: ReportRun, title: string) => void
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/** Of a longer output a report shows the beginning and the end, where the result or the error stands. */
const shownLines = { first: 14, last: 12 }
const longestLine = 400

export interface ReportDeps {
  readonly storage: Storage
  readonly clock: Clock
  readonly isLive: Present['isLive']
  readonly textsOf?: TextsOfAnalysis | undefined
}

export async function makeReport(
  { storage, clock, isLive, textsOf }: ReportDeps,
  checkpoint: Checkpoint,
  verification: Verification,
  { scope, actor, title, passEgress, onRun, signal, onProgress }: ReportRequest,
): Promise<Report> {
  const names = new Names()
  const { nameOf } = names
  const wanted = await inScope(storage, scope, checkpoint.size)
  const present = { now: clock.now(), isLive }
  const collection = new Collection(nameOf, scope.kind === 'conversation' || scope.kind === 'run', present)
  if (onRun) collection.onRun = run => onRun(run, names.titleOf(run.conversation))
  for await (const rows of chainUpTo(storage, checkpoint.size)) {
    for (const row of rows) {
      names.learn(row.entry)
      const entry = wanted(row)
      if (entry) collection.take({ entry, hash: row.hash })
      else collection.pass(row.entry)
    }
    onProgress?.((rows.at(-1)?.seq ?? 0) + 1, checkpoint.size)
    if (signal?.aborted) throw new Failure('request.cancelled', 'The report was stopped.', 'Nothing was written.')
  }
  const collected = collection.finish()
  const period = scope.kind === 'period' ? { from: scope.from, to: scope.to } : {}
  return {
    format: 1,
    title: title ?? titles[scope.kind],
    scope,
    generatedAt: clock.now(),
    generatedBy: nameOf(actor),
    record: {
      log: checkpoint.log,
      checkpoint,
      firstKey: verification.firstKey,
      verified: verification.ok,
      findings: verification.findings.map(each => each.message),
      notices: verification.notices,
    },
    ...collected,
    ...period,
    highRisk: await withTexts(storage, collected.highRisk, passEgress),
    analyses: await withExamples(collected.analyses, textsOf, passEgress),
  }
}

const titles: Record<AuditScope['kind'], string> = {
  all: 'Compliance report',
  period: 'Compliance report',
  conversation: 'Report on a conversation',
  run: 'Report on a calculation',
}

const introducing = /^\{"action":"(identity\.created|conversation\.(created|imported|renamed))"/

/** Names as the record itself introduced them; the end of the id where it did not. */
class Names {
  readonly #names = new Map<string, string>()
  readonly #titles = new Map<string, string>()

  learn(text: string | null): void {
    if (!text || !introducing.test(text)) return
    const entry = parseEntry(text)
    const details = entry?.details
    if (typeof details !== 'object' || details === null || Array.isArray(details)) return
    const title = details.to ?? details.title
    if (entry?.conversation && typeof title === 'string') this.#titles.set(entry.conversation, title)
    if (typeof details.identity === 'string' && typeof details.name === 'string')
      this.#names.set(details.identity, details.name)
  }

  /** As it was called when the run was taken down; empty where the record does not say. */
  readonly titleOf = (conversation: string | null): string => this.#titles.get(conversation ?? '') ?? ''

  readonly nameOf = (id: string | null): string =>
    id === null ? 'Countersign' : (this.#names.get(id) ?? `user ${id.slice(-6)}`)
}

async function withExamples(
  analyses: Report['analyses'],
  textsOf: TextsOfAnalysis | undefined,
  passEgress: PassEgress | undefined,
): Promise<Report['analyses']> {
  const filled: Report['analyses'] = []
  for (const ran of analyses) {
    const texts = await textsThatMayLeave(ran, textsOf, passEgress)
    filled.push({ ...ran, worked: texts ? [...texts.worked] : null })
  }
  return filled
}

async function withTexts(storage: Storage, runs: readonly ReportRun[], passEgress?: PassEgress): Promise<ReportRun[]> {
  const filled: ReportRun[] = []
  for (const run of runs) {
    const bodies = bodiesOf(await readItems(storage, run.seqs))
    const text = async (name: string) => (bodies[name] ? await readBody(storage, bodies[name]) : null)
    const output = [await text('stdout'), await text('stderr')].filter(Boolean).join('\n')
    const shown = shortened(output)
    const code = await text('code')
    const texts = [code ?? '', shown]
    const passed = await passEgress?.(texts)
    // What the guard holds back is left out; its hash still stands in the report.
    const [safeCode = '', safeOutput = ''] = !passed ? texts : passed.ok ? passed.value.value : []
    filled.push({ ...run, code: code === null ? null : safeCode || null, output: safeOutput || null })
  }
  return filled
}

function shortened(output: string): string {
  const lines = output
    .trimEnd()
    .split('\n')
    .map(line =>
      line.length > longestLine
        ? `${line.slice(0, longestLine)} [… ${line.length - longestLine} more characters]`
        : line,
    )
  const { first, last } = shownLines
  const left = lines.length - first - last
  if (left <= 2) return lines.join('\n')
  return [...lines.slice(0, first), `[… ${left} more lines; the bundle has all of them]`, ...lines.slice(-last)].join(
    '\n',
  )
}

const bodiesOf = (items: readonly AuditItem[]): Record<string, string> =>
  Object.assign({}, ...items.map(item => item.entry.bodies ?? {}))
