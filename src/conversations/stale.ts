import type { ItemId } from '../contract/conversations.ts'
import type { PathId } from '../contract/ids.ts'
import { Language } from '../contract/run.ts'
import type { Dependencies } from '../guard/guard.ts'
import { listOf } from '../storage/lists.ts'
import { hashOf, readTexts } from './texts.ts'
import { byPosition, type Chain, type Db, type Line } from './view.ts'

/** What a cell takes from the cells before it and leaves for those behind it. */
export type Depends = (code: string, language: Language) => Promise<Dependencies>

/**
 * The cells whose output does not follow from what the path says now: the cell itself, or an earlier one that it depends
 * on, was changed, added, removed or brought by a merge and has not been followed by a new run.
 */
export async function staleItems(
  db: Db,
  depends: Depends,
  chain: Chain,
  lines: readonly Line[],
  asOf: number,
): Promise<Set<ItemId>> {
  const history = await runsInOrder(db, chain, asOf)
  if (history.size === 0) return new Set()
  const removed = await removedCells(db, chain, asOf, lines, history)
  const cells = [...lines.map(line => ({ line, gone: false })), ...removed.map(line => ({ line, gone: true }))]
    .filter(({ line }) => Language.safeParse(line.language).success)
    .sort((left, right) => byPosition(left.line, right.line))
    .map(({ line, gone }) => ({ line, gone, runs: history.get(line.item) ?? [] }))
  const stale = new Set(cells.filter(cell => !cell.gone && isChanged(cell)).map(({ line }) => line.item))
  const first = firstInDoubt(cells)
  if (first < 0) return stale
  const doubtful = cells.slice(first)
  const known = await readDependencies(db, depends, doubtful)
  const left = new Effects()
  for (const cell of doubtful) {
    const { line, gone, runs } = cell
    const inputs = left.readBy(known(line.text, line.language))
    const last = runs.at(-1)
    if (!gone && last && (inputs.stale || isAfter(inputs.since, last))) stale.add(line.item)
    // Also what it left before its last change: whoever used that has lost it.
    for (const [text, language] of textsOf(cell))
      left.add(known(text, language), {
        stale: !gone && stale.has(line.item),
        since: gone || !last ? momentOf(line) : valueSince(runs, inputs.since, known(line.text, line.language)),
      })
  }
  return stale
}

/** When something became what it is: by the conversation's version and, for what one merge brought, by the clock. */
interface Moment {
  readonly version: number
  readonly merged: boolean
  readonly finishedAt: number
}

interface Ran extends Moment {
  readonly text: number | null
  readonly language: string | null
}

interface PathCell {
  readonly line: Line
  /** Removed from the path; what depends on it was made with it. */
  readonly gone: boolean
  readonly runs: readonly Ran[]
}

const never: Moment = { version: -1, merged: false, finishedAt: 0 }
const momentOf = ({ version }: Line): Moment => ({ version, merged: false, finishedAt: 0 })

function isAfter(one: Moment, other: Moment): boolean {
  if (one.version !== other.version) return one.version > other.version
  return one.merged && other.merged && one.finishedAt > other.finishedAt
}

const later = (one: Moment, other: Moment): Moment => (isAfter(other, one) ? other : one)

const isChanged = ({ line, runs }: PathCell): boolean => {
  const last = runs.at(-1)
  return last !== undefined && (last.text !== line.text || last.language !== line.language)
}

/** The first cell that changed or ran after one behind it last ran: no cell before it can make another stale. */
function firstInDoubt(cells: readonly PathCell[]): number {
  let first = -1
  let earliest: Moment | null = null
  for (let at = cells.length - 1; at >= 0; at--) {
    const cell = cells[at]
    if (!cell) continue
    const last = cell.gone ? undefined : cell.runs.at(-1)
    const touched = last ?? momentOf(cell.line)
    if (earliest && (isChanged(cell) || isAfter(touched, earliest))) first = at
    if (last && (!earliest || isAfter(earliest, last))) earliest = last
  }
  return first
}

/** Running the same again gives the same, so that nothing behind it is out of date: unless chance or a clock is in it. */
function valueSince(runs: readonly Ran[], inputs: Moment, { repeatable }: Dependencies): Moment {
  let since = runs.at(-1)
  if (!since) return never
  if (!repeatable) return since
  for (const run of runs.toReversed()) {
    if (run.text !== since.text || run.language !== since.language || isAfter(inputs, run)) break
    since = run
  }
  return since
}

function textsOf({ line, runs }: PathCell): [number, string | null][] {
  const last = runs.at(-1)
  const before = runs.findLast(run => run.text !== last?.text)
  return [line, last, before].flatMap(each => (each && each.text !== null ? [[each.text, each.language]] : []))
}

interface Effect {
  readonly stale: boolean
  readonly since: Moment
}

/** What the cells so far have left: by variable and file, and by those of which nobody can tell. */
class Effects {
  readonly #named = new Map<string, Effect>()
  #all: Effect = { stale: false, since: never }
  #unknown: Effect = { stale: false, since: never }

  readBy({ reads, filesRead, unknown }: Dependencies): Effect {
    if (unknown) return this.#all
    return [...reads.map(variable), ...filesRead.map(file)].reduce(
      (sum, name) => both(sum, this.#named.get(name)),
      this.#unknown,
    )
  }

  add({ writes, filesWritten, unknown }: Dependencies, effect: Effect): void {
    this.#all = both(this.#all, effect)
    if (unknown) this.#unknown = both(this.#unknown, effect)
    for (const name of [...writes.map(variable), ...filesWritten.map(file)])
      this.#named.set(name, both(effect, this.#named.get(name)))
  }
}

const variable = (name: string) => `variable ${name}`
const file = (name: string) => `file ${name}`
const both = (one: Effect, other: Effect | undefined): Effect =>
  other ? { stale: one.stale || other.stale, since: later(one.since, other.since) } : one

/** The runs of each cell as the path saw them come; going back to an earlier one, as undo does, forgets the later. */
async function runsInOrder(db: Db, chain: Chain, asOf: number): Promise<Map<ItemId, Ran[]>> {
  const rows = await db
    .selectFrom('executions')
    .select(['path', 'item', 'version', 'outputs_of', 'ran_on', 'finished_at', 'text', 'language'])
    .where('path', 'in', listOf(chain.map(path => path.id)))
    .where('outputs_of', 'is not', null)
    .orderBy('version')
    .execute()
  const isSeen = seenBy(chain, asOf)
  const history = new Map<ItemId, (Ran & { outputs: string })[]>()
  for (const row of rows) {
    if (!isSeen(row)) continue
    const { item, version, outputs_of, ran_on, finished_at, text, language } = row
    const runs = history.get(item) ?? []
    history.set(item, runs)
    const known = runs.findIndex(run => run.outputs === outputs_of)
    if (known >= 0) runs.length = known + 1
    else
      runs.push({
        outputs: outputs_of ?? '',
        version,
        merged: ran_on !== row.path,
        finishedAt: finished_at ?? 0,
        text,
        language,
      })
  }
  return history
}

/** Cells that ran and were then taken from the path, or from one that it inherits from. */
async function removedCells(
  db: Db,
  chain: Chain,
  asOf: number,
  shown: readonly Line[],
  history: ReadonlyMap<ItemId, readonly Ran[]>,
): Promise<Line[]> {
  const rows = await db
    .selectFrom('revisions')
    .selectAll()
    .where('path', 'in', listOf(chain.map(path => path.id)))
    .where('state', '=', 'removed')
    .orderBy('version')
    .execute()
  const isSeen = seenBy(chain, asOf)
  const removed = new Map(rows.filter(row => isSeen(row) && history.has(row.item)).map(row => [row.item, row]))
  for (const { item } of shown) removed.delete(item)
  return [...removed.values()]
}

/** Whether something that happened on a path of the chain happened before the next one left it. */
function seenBy(chain: Chain, asOf: number): (row: { path: PathId; version: number }) => boolean {
  const until = new Map(chain.map((path, level) => [path.id, chain[level + 1]?.branch_version ?? asOf]))
  return ({ path, version }) => version <= (until.get(path) ?? -1)
}

async function readDependencies(db: Db, depends: Depends, cells: readonly PathCell[]) {
  const wanted = new Map(cells.flatMap(textsOf).map(each => [each.join(' '), each]))
  const texts = await readTexts(
    db,
    [...wanted.values()].map(([text]) => text),
  )
  const found = new Map<string, Dependencies>()
  await Promise.all(
    [...wanted].map(async ([key, [text, of]]) => {
      const language = Language.safeParse(of)
      if (language.success) found.set(key, await depends(texts.get(text) ?? '', language.data))
    }),
  )
  return (text: number, language: string | null) => found.get(`${text} ${language}`) ?? nothing
}

/** Of what is no program. */
const nothing: Dependencies = {
  reads: [],
  writes: [],
  filesRead: [],
  filesWritten: [],
  unknown: false,
  repeatable: true,
}

/** The same cells are asked about after every change. */
export function remembering(depends: Depends, most = 5_000): Depends {
  const known = new Map<string, Promise<Dependencies>>()
  return (code, language) => {
    const key = `${language} ${hashOf(code)}`
    const found = known.get(key) ?? depends(code, language)
    known.delete(key)
    known.set(key, found)
    found.catch(() => known.delete(key))
    if (known.size > most) known.delete(known.keys().next().value ?? '')
    return found
  }
}
