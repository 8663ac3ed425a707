import { create } from 'zustand'
import type { EditResult, Item, ItemId } from '../../src/contract/conversations.ts'
import type { CellId, PathId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { windowName } from '../state/view.ts'
import { findItem, patchItems } from './path-data.ts'

/** A text that another window changed while it was edited here: both are shown and the person chooses. */
type Conflict = Extract<EditResult, { result: 'conflict' }> & { path: PathId }
export const useConflict = create<{ conflict: Conflict | null }>(() => ({ conflict: null }))

/** Items whose typed text was given up for what is on the record, and how often: an open editor then starts again from it. */
const useGivenUp = create<{ times: ReadonlyMap<ItemId, number> }>(() => ({ times: new Map() }))
export const useTimesGivenUp = (item: ItemId): number => useGivenUp(({ times }) => times.get(item) ?? 0)
export const giveUpTyped = (item: ItemId): void =>
  useGivenUp.setState(({ times }) => ({ times: new Map(times).set(item, (times.get(item) ?? 0) + 1) }))

interface Unsettled {
  readonly path: PathId
  readonly text: string
  /** What was on the record when the typing began. */
  readonly base: Item
  readonly timers: readonly ReturnType<typeof setTimeout>[]
}

/** Text that was typed and is not yet an edit on the record. */
const unsettled = new Map<ItemId, Unsettled>()

/** A crash loses at most this much typing … */
const draftMs = 250
/** … and a text that has rested this long becomes an edit. */
const settleMs = 1000

export function typed(path: PathId, item: Item, text: string): void {
  const before = unsettled.get(item.id)
  before?.timers.forEach(clearTimeout)
  const base = before?.base ?? item
  const draft = { path, item: item.id, window: windowName, baseRevision: base.revision, text }
  const timers = [
    setTimeout(() => void client.paths.saveDraft(draft).catch(showProblem), draftMs),
    setTimeout(() => void save(item.id).catch(showProblem), settleMs),
  ]
  unsettled.set(item.id, { path, text, base, timers })
}

/** Saves that are on their way, the text of each, and the text that this window saved last of each item. */
const saving = new Map<ItemId, Promise<void>>()
const onTheWay = new Map<ItemId, string>()
const savedHere = new Map<ItemId, string>()

/** The text as the person sees it. */
export const typedText = (item: Item): string => unsettled.get(item.id)?.text ?? onTheWay.get(item.id) ?? item.text

/** Saves what was typed on a path now: before a run, before leaving it. */
export async function settle(path: PathId): Promise<void> {
  await saveAll(path)
  await Promise.all(changing)
}

async function saveAll(path: PathId): Promise<void> {
  for (const [item, entry] of [...unsettled]) if (entry.path === path) await save(item)
  // A save that its timer began a moment ago counts as well: a run would otherwise take the text from before it.
  await Promise.all(saving.values())
}

/** Changes of another kind that a run must not overtake. */
const changing = new Set<Promise<void>>()

/** Another language for a cell: whoever runs it a moment later runs it in that one. */
export async function changeLanguage(path: PathId, item: CellId, language: string): Promise<void> {
  const change = saveAll(path)
    .then(() => client.paths.changeLanguage({ path, item, language }))
    .then(changed => patchItems(path, [changed]))
  changing.add(change)
  await change.finally(() => changing.delete(change))
}

/** One after the other for each item: the second would otherwise know nothing of the first, and be in conflict with it. */
function save(item: ItemId): Promise<void> {
  const mine = (saving.get(item) ?? Promise.resolve())
    .catch(() => {})
    .then(() => saveNow(item))
    .finally(() => {
      if (saving.get(item) === mine) saving.delete(item)
    })
  saving.set(item, mine)
  return mine
}

async function saveNow(item: ItemId): Promise<void> {
  const entry = unsettled.get(item)
  if (!entry) return
  entry.timers.forEach(clearTimeout)
  unsettled.delete(item)
  const { path, text, base } = entry
  if (text === base.text) {
    await client.paths.dropDraft({ path, item, window: windowName })
    return
  }
  // An edit of our own moved the revision on while somebody typed; another window's did so too, but to another text.
  const now = findItem(path, item)
  const isOurs = now && (now.text === base.text || now.text === savedHere.get(item))
  const expectedRevision = isOurs ? now.revision : base.revision
  onTheWay.set(item, text)
  try {
    const result = await client.paths.edit({ path, item, text, expectedRevision, window: windowName })
    if (result.result === 'saved') {
      savedHere.set(item, text)
      patchItems(path, [result.item])
    } else useConflict.setState({ conflict: { ...result, path } })
  } catch (error) {
    // The text stays what the person typed, and is tried again with the next stroke or run.
    if (!unsettled.has(item)) unsettled.set(item, { ...entry, timers: [] })
    throw error
  } finally {
    onTheWay.delete(item)
  }
}
