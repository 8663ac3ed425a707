import type { ItemId, OutputId } from '../contract/conversations.ts'
import type { PathId, RunId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import { Language, type Output, Output as OutputSchema } from '../contract/run.ts'
import { listOf } from '../storage/lists.ts'
import type { Caller } from './conversations.ts'
import { findPath } from './operation.ts'
import { type Depends, staleItems } from './stale.ts'
import { hashOf, readTexts } from './texts.ts'
import { type Chain, type Db, type Line, loadChain, viewOf } from './view.ts'

/** Runs of a cell that are looked at, the newest first: enough for a history that a person reads. */
const mostRuns = 12

export interface ShownOutput {
  readonly id: OutputId
  readonly output: Output
}

/** What a cell left on a path. */
export interface CellResult {
  readonly cell: ItemId
  readonly revision: number
  readonly language: string
  readonly text: string
  readonly stale: boolean
  /** Newest first; the first is what the path shows. Empty where the outputs were cleared or nothing ran. */
  readonly runs: readonly CellRun[]
  /** The cells before it that it takes something from, in order. */
  readonly upstream: readonly Upstream[]
}

export interface CellRun {
  readonly run: RunId | null
  readonly ranOn: PathId
  readonly at: number | null
  /** SHA-256 of what ran. */
  readonly codeHash: string | null
  readonly success: boolean | null
  readonly outputs: readonly ShownOutput[]
  /** SHA-256 over the outputs as they are kept, to compare with what the record has. */
  readonly outputsHash: string
}

export interface Upstream {
  readonly cell: ItemId
  readonly text: string
  readonly run: RunId | null
  readonly codeHash: string | null
  readonly stale: boolean
}

export async function resultsOf(
  db: Db,
  depends: Depends,
  who: Caller,
  path: PathId,
  cells: readonly ItemId[],
): Promise<Outcome<CellResult[]>> {
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const { version } = found.value.conversation
  const chain = await loadChain(db, found.value.row)
  const lines = await viewOf(db, chain, version)
  const stale = await staleItems(db, depends, chain, lines, version)
  const texts = await readTexts(
    db,
    lines.map(line => line.text),
  )
  const programs = lines.filter(line => Language.safeParse(line.language).success)
  const textOf = (line: Line) => texts.get(line.text) ?? ''
  const takes = await Promise.all(
    programs.map(async line => [line.item, await depends(textOf(line), Language.parse(line.language))] as const),
  )
  const dependencies = new Map(takes)
  const wanted = new Set(cells)
  const results: CellResult[] = []
  for (const line of lines) {
    if (!wanted.has(line.item) || line.language === null) continue
    const above: Upstream[] = []
    for (const other of upstreamOf(programs, line.item, item => dependencies.get(item))) {
      const [last] = await runsOfCell(db, chain, version, other.item, 1)
      above.push({
        cell: other.item,
        text: textOf(other),
        run: last?.run ?? null,
        codeHash: last?.codeHash ?? null,
        stale: stale.has(other.item),
      })
    }
    results.push({
      cell: line.item,
      revision: line.version,
      language: line.language,
      text: textOf(line),
      stale: stale.has(line.item),
      runs: await runsOfCell(db, chain, version, line.item, mostRuns),
      upstream: above,
    })
  }
  return ok(results)
}

type Takes = Awaited<ReturnType<Depends>>

/** Back from a cell: whatever leaves what it, or a cell already found, takes. What nobody can tell counts. */
export function upstreamOf<Cell extends { readonly item: ItemId }>(
  cells: readonly Cell[],
  of: ItemId,
  takes: (item: ItemId) => Takes | undefined,
): Cell[] {
  const at = cells.findIndex(cell => cell.item === of)
  const own = takes(of)
  if (at < 0 || !own) return []
  const wanted = new Set([...own.reads, ...own.filesRead])
  let all = own.unknown
  const found: Cell[] = []
  for (const cell of cells.slice(0, at).reverse()) {
    const it = takes(cell.item)
    if (!it) continue
    const leaves = [...it.writes, ...it.filesWritten]
    if (!(all && (leaves.length > 0 || it.unknown)) && !it.unknown && !leaves.some(name => wanted.has(name))) continue
    found.unshift(cell)
    for (const name of [...it.reads, ...it.filesRead]) wanted.add(name)
    all ||= it.unknown
  }
  return found
}

/** The runs of a cell that a path sees; going back to an earlier one, as undo does, forgets the later. */
async function runsOfCell(db: Db, chain: Chain, asOf: number, item: ItemId, most: number): Promise<CellRun[]> {
  const rows = await db
    .selectFrom('executions')
    .leftJoin('texts', 'texts.id', 'executions.text')
    .select([
      'executions.path',
      'version',
      'outputs_of',
      'run',
      'ran_on',
      'finished_at',
      'success',
      'texts.text as code',
    ])
    .where('executions.path', 'in', listOf(chain.map(path => path.id)))
    .where('item', '=', item)
    .orderBy('version')
    .execute()
  const until = new Map(chain.map((path, level) => [path.id, chain[level + 1]?.branch_version ?? asOf]))
  const kept: typeof rows = []
  let cleared = false
  for (const row of rows) {
    if (row.version > (until.get(row.path) ?? -1)) continue
    cleared = row.outputs_of === null
    if (cleared) continue
    const known = kept.findIndex(each => each.outputs_of === row.outputs_of)
    if (known >= 0) kept.length = known + 1
    else kept.push(row)
  }
  if (cleared) return []
  const runs: CellRun[] = []
  for (const row of kept.reverse().slice(0, most)) {
    const set = row.outputs_of
    if (set === null) continue
    const { outputs, hash } = await outputsOf(db, set)
    runs.push({
      run: row.run,
      ranOn: row.ran_on,
      at: row.finished_at,
      codeHash: row.code === null ? null : hashOf(row.code),
      success: row.success === null ? null : row.success === 1,
      outputs,
      outputsHash: hash,
    })
  }
  return runs
}

async function outputsOf(db: Db, set: string): Promise<{ outputs: ShownOutput[]; hash: string }> {
  const rows = await db
    .selectFrom('outputs')
    .select(['id', 'body'])
    .where('set_id', '=', set)
    .orderBy('place')
    .execute()
  return {
    outputs: rows.map(({ id, body }) => ({ id, output: OutputSchema.parse(JSON.parse(body)) })),
    hash: hashOf(rows.map(({ body }) => body).join('\n')),
  }
}
