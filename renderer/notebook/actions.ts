import type { Cell, Item, ItemId, NewItem } from '../../src/contract/conversations.ts'
import type { CellId, PathId } from '../../src/contract/ids.ts'
import { Language } from '../../src/contract/run.ts'
import type { RunView, WayOn } from '../../src/contract/runs.ts'
import { expectEditor, expectNoEditor } from '../editor/type-ahead.ts'
import { startOwn } from '../review/asking.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { dropRun } from '../state/runs.ts'
import { showToast, undone } from '../state/toasts.ts'
import { setView, useView } from '../state/view.ts'
import { likelyIn } from './likely-language.ts'
import { currentPath, findItem, placeItems, reloadPath } from './path-data.ts'
import { runSeries } from './series.ts'
import { changeLanguage as saveLanguage, settle, typed } from './typing.ts'

export function select(item: ItemId | null, editing = false): void {
  setView({ selected: item, editing })
}

const itemsOf = (path: PathId): readonly Item[] => currentPath(path)?.items ?? []
const neighbour = (path: PathId, item: ItemId | null, step: 1 | -1): Item | undefined =>
  itemsOf(path)[itemsOf(path).findIndex(each => each.id === item) + step]

export function selectNeighbour(path: PathId, step: 1 | -1): void {
  const next = neighbour(path, useView.getState().selected, step)
  if (next) select(next.id)
}

const isRunnable = (item: Item | undefined): item is Cell =>
  item?.kind === 'cell' && Language.safeParse(item.language).success && item.text.trim() !== ''

/** Runs a cell as it stands on the screen: what was typed a moment ago included. */
export async function runItem(
  path: PathId,
  item: ItemId | null,
  network: readonly string[] = [],
  wayOn: WayOn = 'ask',
  /** Also where a kept result would do. */
  anew = false,
): Promise<RunView | null> {
  await settle(path)
  const cell = findItem(path, item)
  if (!isRunnable(cell)) return null
  const { id, revision } = cell
  return startOwn(client.runs.start({ path, cell: id, revision, network: [...network], wayOn, anew }))
}

/** Keeps the results of a cell while nothing that they depend on changes, or keeps them no longer. */
export async function keepResult(path: PathId, cell: CellId, on: boolean): Promise<void> {
  await client.runs.keep({ path, cell, on })
  await queryClient.invalidateQueries({ queryKey: rpc.runs.kept.key() })
  showToast({
    kind: 'info',
    text: on ? 'Its result is kept and shown again while nothing that it depends on changes.' : 'It always runs again.',
  })
}

/** Runs several cells in order, up to the first that does not succeed. */
export async function runMany(path: PathId, choose: (items: readonly Item[]) => readonly Item[]): Promise<void> {
  await settle(path)
  const cells = choose(itemsOf(path)).filter(isRunnable)
  if (cells.length === 0) showToast({ kind: 'info', text: 'There is no code to run here.' })
  await runSeries(path, cells)
}

export const runAll = (path: PathId) => runMany(path, items => items)
export const runAbove = (path: PathId, item: ItemId | null) =>
  runMany(path, items =>
    items.slice(
      0,
      Math.max(
        0,
        items.findIndex(each => each.id === item),
      ),
    ),
  )
export const runToHere = (path: PathId, item: ItemId | null) =>
  runMany(path, items => items.slice(0, items.findIndex(each => each.id === item) + 1))

export async function runAndMoveOn(path: PathId, item: ItemId | null): Promise<void> {
  const next = neighbour(path, item, 1)
  if (!next) return runAndInsert(path, item)
  select(next.id)
  await runItem(path, item)
}

export async function runAndInsert(path: PathId, item: ItemId | null): Promise<void> {
  expectEditor()
  await runItem(path, item)
  await insertCell(path, item, languageAfter(path, item))
}

const likelyLanguage = (path: PathId, near: ItemId | null): string => likelyIn(itemsOf(path), near)

/** Below a cell that is being run goes on what it began; whether it runs well is not known yet. */
const languageAfter = (path: PathId, ran: ItemId | null): string => {
  const cell = itemsOf(path).find(each => each.id === ran)
  return cell?.kind === 'cell' && cell.language !== 'markdown' ? cell.language : likelyLanguage(path, ran)
}

export async function insertCell(
  path: PathId,
  after: ItemId | null | undefined,
  language = likelyLanguage(path, after ?? null),
): Promise<void> {
  expectEditor()
  try {
    await insertItem(path, after, { kind: 'cell', author: 'analyst', language, text: '' })
  } catch (error) {
    expectNoEditor()
    throw error
  }
}

export async function insertItem(path: PathId, after: ItemId | null | undefined, item: NewItem): Promise<void> {
  await settle(path)
  const made = await client.paths.insert({ path, ...(after === undefined ? {} : { after }), items: [item] })
  placeItems(path, made, after)
  const [first] = made
  if (first) select(first.id, first.kind === 'cell')
}

export async function insertAbove(path: PathId, item: ItemId | null): Promise<void> {
  await insertCell(path, neighbour(path, item, -1)?.id ?? null)
}

export async function removeItem(path: PathId, item: ItemId | null): Promise<void> {
  if (!item) return
  const next = neighbour(path, item, 1) ?? neighbour(path, item, -1)
  await settle(path)
  await client.paths.removeItems({ path, items: [item] })
  select(next?.id ?? null)
  offerUndo(path, 'Cell deleted.')
}

export async function moveItem(path: PathId, item: ItemId | null, step: 1 | -1): Promise<void> {
  if (!item) return
  const items = itemsOf(path)
  const at = items.findIndex(each => each.id === item)
  const to = at + step
  if (to < 0 || to >= items.length) return
  await moveAfter(path, item, (step === 1 ? items[to]?.id : items[to - 1]?.id) ?? null)
}

export async function moveAfter(path: PathId, item: ItemId, after: ItemId | null): Promise<void> {
  // What was typed first is saved first: undo then takes back the move.
  await settle(path)
  await client.paths.move({ path, items: [item], after })
}

export function edit(): void {
  if (!useView.getState().editing) expectEditor()
  setView({ editing: true })
}

/** Markdown becomes code in the language of the code around it; what is code stays what it is. */
export async function makeCode(path: PathId, item: ItemId | null): Promise<void> {
  const cell = findItem(path, item)
  if (cell?.kind === 'cell' && cell.language === 'markdown')
    await changeLanguage(path, item, likelyLanguage(path, item))
}

export async function changeLanguage(path: PathId, item: ItemId | null, language: string): Promise<void> {
  const cell = findItem(path, item)
  if (cell?.kind === 'cell') await saveLanguage(path, cell.id, language)
}

export async function clearOutputs(path: PathId, cells?: readonly CellId[]): Promise<void> {
  for (const item of itemsOf(path))
    if (item.kind === 'cell' && (!cells || cells.includes(item.id))) dropRun(path, item.id)
  await client.paths.clearOutputs({ path, ...(cells ? { items: [...cells] } : {}) })
  offerUndo(path, 'Output cleared.')
}

const offerUndo = (path: PathId, text: string): void =>
  showToast({ kind: 'info', text, action: { label: 'Undo', run: () => void undo(path) }, untilUndo: true })

export async function undo(path: PathId): Promise<void> {
  undone()
  await settle(path)
  const { items } = await client.paths.undo(path)
  await selectChanged(path, items[0])
}

/** What comes back with undo is selected when it is there: the selection would otherwise fall back to the first cell. */
async function selectChanged(path: PathId, item: ItemId | undefined): Promise<void> {
  if (!item) return
  if (!findItem(path, item)) await reloadPath(path)
  if (findItem(path, item)) select(item)
}

export async function redo(path: PathId): Promise<void> {
  const { items } = await client.paths.redo(path)
  await selectChanged(path, items[0])
}

/** Formats a cell; in the editor that has it open, so that undo and the cursor stay what they were. */
export async function formatCell(path: PathId, item: ItemId | null): Promise<void> {
  await settle(path)
  const cell = findItem(path, item)
  const language = cell?.kind === 'cell' ? Language.safeParse(cell.language) : null
  if (cell?.kind !== 'cell' || !language?.success) return
  const text = await client.sandbox.format({ language: language.data, code: cell.text })
  if (text === cell.text) return
  typed(path, cell, text)
  await settle(path)
}
