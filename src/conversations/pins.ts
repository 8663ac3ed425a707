import type { Selectable } from 'kysely'
import type { ItemId } from '../contract/conversations.ts'
import { FigurePlace, type FigureRef, type MoveFigure, type PinFigure, type RenameFigure } from '../contract/figures.ts'
import { FigureId, type PathId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { isLatest } from '../storage/latest.ts'
import type { FiguresTable } from '../storage/tables/figures.ts'
import type { Caller } from './conversations.ts'
import { pushEdit } from './editing.ts'
import { type Desk, findPath, noItem, type Operation, operate } from './operation.ts'
import { positionsBetween } from './positions.ts'
import { byPosition, type Chain, type Db, inheritedBy, lineOf, loadChain } from './view.ts'

/** What a path has pinned. A branch sees the figures of its parent as they were at the branching, by reference. */

type PinRow = Selectable<FiguresTable>

/** A pinned figure: which place in the outputs of which cell. What stands there is looked up when somebody asks. */
export interface Pin {
  readonly id: FigureId
  readonly name: string
  readonly cell: ItemId
  readonly place: FigurePlace
  readonly inherited: boolean
  readonly pinnedAt: number
}

const open = { states: ['open'] } as const

export async function readPins(db: Db, who: Caller, path: PathId): Promise<Outcome<Pin[]>> {
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const chain = await loadChain(db, found.value.row)
  const rows = await pinsOf(db, chain, found.value.conversation.version)
  return ok(
    rows.flatMap(row => {
      const place = FigurePlace.safeParse(JSON.parse(row.place))
      const { figure: id, name, cell, at: pinnedAt } = row
      return place.success ? { id, name, cell, place: place.data, pinnedAt, inherited: row.path !== path } : []
    }),
  )
}

export function pin(desk: Desk, who: Caller, request: PinFigure): Promise<Outcome<FigureId>> {
  const { path, cell, name } = request
  return operate<FigureId>(desk, who, path, open, async operation => {
    const { db, chain, version, at } = operation
    const line = await lineOf(db, chain, version, cell)
    if (!line || line.language === null) return noItem()
    const place = placeText(request.place)
    const rows = await pinsOf(db, chain, version)
    const same = rows.find(row => row.cell === cell && row.place === place)
    if (same) return ok({ nothing: same.figure })
    const id = desk.ids.make(FigureId)
    const [position = ''] = positionsBetween(rows.at(-1)?.position ?? null, null, 1)
    await write(operation, [
      {
        ...{ path, figure: id, version, tenant: who.tenant, state: 'present' as const },
        ...{ position, name, cell, place, pinned_by: who.user, at },
      },
    ])
    return ok(done(operation, id, 'figure.pinned', { figure: id, name, place: request.place }, cell))
  })
}

export const unpin = (desk: Desk, who: Caller, { path, figure }: FigureRef): Promise<Outcome<void>> =>
  change(desk, who, path, figure, async (operation, row) => {
    await write(operation, [{ ...own(operation, row), state: 'removed' }])
    return done(operation, undefined, 'figure.unpinned', { figure, name: row.name }, row.cell)
  })

export const renamePin = (desk: Desk, who: Caller, { path, figure, name }: RenameFigure): Promise<Outcome<void>> =>
  change(desk, who, path, figure, async (operation, row) => {
    if (row.name === name) return { nothing: undefined }
    await write(operation, [{ ...own(operation, row), name }])
    const details = { change: 'renamed', figure, from: row.name, to: name }
    return done(operation, undefined, 'figure.changed', details, row.cell)
  })

export const movePin = (desk: Desk, who: Caller, { path, figure, after }: MoveFigure): Promise<Outcome<void>> =>
  change(desk, who, path, figure, async (operation, row, rows) => {
    const others = rows.filter(each => each.figure !== figure)
    const index = others.findIndex(each => each.figure === after)
    const unchanged = rows[rows.indexOf(row) - 1]?.figure ?? null
    if (after === unchanged || (after !== null && index < 0)) return { nothing: undefined }
    await write(operation, placed(operation, others, row, index + 1))
    const details = { change: 'moved', figure, name: row.name, after }
    return done(operation, undefined, 'figure.changed', details, row.cell)
  })

/** One row between its neighbours; all of them anew where two stand in one place, as after an undo. */
function placed(operation: Operation, others: readonly PinRow[], row: PinRow, at: number): PinRow[] {
  const [before, next] = [others[at - 1]?.position ?? null, others[at]?.position ?? null]
  if (before === null || next === null || before < next) {
    const [position = ''] = positionsBetween(before, next, 1)
    return [{ ...own(operation, row), position }]
  }
  const order = others.toSpliced(at, 0, row)
  const positions = positionsBetween(null, null, order.length)
  return order.map((each, index) => ({ ...own(operation, each), position: positions[index] ?? '' }))
}

/** Writes the figures that an edit touched as they stood at an earlier version. */
export async function restorePins(operation: Operation, edit: number, asOf: number): Promise<void> {
  const { db, chain, version, path } = operation
  const touched = await db
    .selectFrom('figures')
    .selectAll()
    .where('path', '=', path.id)
    .where('version', '=', edit)
    .execute()
  if (touched.length === 0) return
  const then = new Map((await ownPins(db, path.id, asOf)).map(row => [row.figure, row]))
  const above = new Set((await inheritedPins(db, chain)).map(row => row.figure))
  await db
    .insertInto('figures')
    .values(
      touched.map(row => {
        const before = then.get(row.figure)
        const without = above.has(row.figure) ? ('inherited' as const) : ('removed' as const)
        return before ? { ...before, version } : { ...row, version, state: without }
      }),
    )
    .execute()
}

async function pinsOf(db: Db, chain: Chain, asOf: number): Promise<PinRow[]> {
  const path = chain.at(-1)
  if (!path) return []
  const shown = new Map((await inheritedPins(db, chain)).map(row => [row.figure, row]))
  for (const row of await ownPins(db, path.id, asOf)) {
    if (row.state === 'present') shown.set(row.figure, row)
    if (row.state === 'removed') shown.delete(row.figure)
  }
  return [...shown.values()].sort(byPosition)
}

/** A figure of a cell beyond the branch point is none of the branch's: it has no such cell. */
async function inheritedPins(db: Db, chain: Chain): Promise<PinRow[]> {
  const path = chain.at(-1)
  if (!path?.parent) return []
  const pins = await pinsOf(db, chain.slice(0, -1), path.branch_version)
  if (pins.length === 0) return []
  const cells = await inheritedBy(db, chain)
  return pins.filter(row => cells.has(row.cell))
}

const ownPins = (db: Db, path: PathId, until: number): Promise<PinRow[]> =>
  db.selectFrom('figures').selectAll().where('path', '=', path).where(isLatest('figures', until)).execute()

function change(
  desk: Desk,
  who: Caller,
  path: PathId,
  figure: FigureId,
  work: (
    operation: Operation,
    row: PinRow,
    rows: readonly PinRow[],
  ) => Promise<ReturnType<typeof done<void>> | { nothing: undefined }>,
): Promise<Outcome<void>> {
  return operate<void>(desk, who, path, open, async operation => {
    const rows = await pinsOf(operation.db, operation.chain, operation.version)
    const row = rows.find(each => each.figure === figure)
    if (!row)
      return fail('not-found', 'This figure is not pinned on this path.', 'It may have been unpinned meanwhile.')
    return ok(await work(operation, row, rows))
  })
}

/** A row as this operation leaves it on its path, also where it was inherited until now. */
const own = ({ path, version, who, at }: Operation, row: PinRow): PinRow => ({
  ...row,
  ...{ path: path.id, version, state: 'present', tenant: who.tenant, pinned_by: who.user, at },
})

async function write(operation: Operation, rows: readonly PinRow[]): Promise<void> {
  await operation.db
    .insertInto('figures')
    .values([...rows])
    .execute()
  await pushEdit(operation)
}

type FigureAction = 'figure.pinned' | 'figure.unpinned' | 'figure.changed'

function done<T>(
  { version }: Operation,
  value: T,
  action: FigureAction,
  details: Record<string, string | null | FigurePlace>,
  cell: ItemId,
) {
  // No item changed; a window that hears of it asks for the figures again.
  return { value, action, details: { ...details, revision: version }, items: [], cell }
}

/** Parsed first, so that the same place is always the same text. */
const placeText = (place: FigurePlace): string => JSON.stringify(FigurePlace.parse(place))
