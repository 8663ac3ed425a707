import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ConversationChange, Item, ItemId, OpenedPath } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { queryClient } from '../state/queries.ts'
import { noteLive, underWay } from '../state/runs.ts'

export const pathKey = (path: PathId) => ['path', path] as const

export const pathQuery = (path: PathId) => ({ queryKey: pathKey(path), queryFn: () => loadPath(path) })

/** A path with all its items, put together from its pieces, and the runs that are under way on it. */
export const usePath = (path: PathId): UseQueryResult<OpenedPath> => useQuery(pathQuery(path))

async function loadPath(path: PathId): Promise<OpenedPath> {
  const before = underWay(path)
  const live = client.runs.live(path).then(runs => noteLive(runs, before))
  const first = await client.paths.open({ path })
  const items: Item[] = [...first.items]
  for (let next = first.next; next; ) {
    const piece = await client.paths.open({ path, cursor: next })
    items.push(...piece.items)
    next = piece.next
  }
  await live
  return { ...first, items, next: null }
}

/** A path as it is now, also one that no window shows yet. */
export const fetchPath = (path: PathId): Promise<OpenedPath> =>
  queryClient.fetchQuery({ ...pathQuery(path), staleTime: 0 })

export const currentPath = (path: PathId): OpenedPath | undefined => queryClient.getQueryData(pathKey(path))

export const findItem = (path: PathId, item: ItemId | null): Item | undefined =>
  currentPath(path)?.items.find(each => each.id === item)

export function patchItems(path: PathId, changed: readonly Item[]): void {
  const byId = new Map(changed.map(item => [item.id as string, item]))
  queryClient.setQueryData<OpenedPath>(
    pathKey(path),
    opened => opened && { ...opened, items: opened.items.map(item => newer(item, byId.get(item.id))) },
  )
}

/** An answer that was overtaken by a later change must not bring back the text from before it. */
const newer = (known: Item, answer: Item | undefined): Item =>
  answer && answer.revision >= known.revision ? answer : known

/** A change of one cell may leave the outputs of others behind it stale, or make them current again. */
function markStale(path: PathId, stale: readonly ItemId[]): void {
  const all = new Set<string>(stale)
  patchItems(
    path,
    (currentPath(path)?.items ?? []).flatMap(item =>
      item.kind === 'cell' && item.lastRun && item.lastRun.stale !== all.has(item.id)
        ? { ...item, lastRun: { ...item.lastRun, stale: all.has(item.id) } }
        : [],
    ),
  )
}

/** Puts new items where they were inserted, so that one can be selected and typed into before the news of it has come. */
export function placeItems(path: PathId, made: readonly Item[], after: ItemId | null | undefined): void {
  queryClient.setQueryData<OpenedPath>(pathKey(path), opened => {
    if (!opened || made.every(item => opened.items.some(each => each.id === item.id))) return opened
    const at = after === undefined ? opened.items.length : opened.items.findIndex(item => item.id === after) + 1
    return { ...opened, items: opened.items.toSpliced(at, 0, ...made) }
  })
}

/** A few changed items are fetched by themselves: fetching ten thousand anew for one edit would be felt. */
const fewItems = 50

const refreshing = new Map<PathId, Promise<void>>()

/**
 * Brings an open path up to date with a change that somebody made, here or in another window. One after the other: the
 * answer about a run that has begun may otherwise come after the answer about its end, and would stay.
 */
export function refreshPath(path: PathId, change: ConversationChange): Promise<void> {
  const mine = (refreshing.get(path) ?? Promise.resolve())
    .catch(() => {})
    .then(() => refresh(path, change))
    .finally(() => {
      if (refreshing.get(path) === mine) refreshing.delete(path)
    })
  refreshing.set(path, mine)
  return mine
}

/** Resolves when a path has all that this window was told of until now. */
export const refreshed = async (path: PathId): Promise<void> => {
  await refreshing.get(path)?.catch(() => undefined)
}

async function refresh(path: PathId, { items, appended }: ConversationChange): Promise<void> {
  // What is fetched for the first time may have been read before the change.
  const known = currentPath(path) ?? (await queryClient.getQueryCache().find<OpenedPath>(pathQuery(path))?.promise)
  if (!known) return
  if (appended && items && items.length <= fewItems) {
    const fresh = await client.paths.items({ path, items })
    if (fresh.length === items.length) return placeItems(path, fresh, undefined)
  }
  if (items && items.length <= fewItems && items.every(id => known.items.some(item => item.id === id))) {
    const fresh = await client.paths.items({ path, items })
    if (fresh.length === items.length && inSameOrder(known.items, fresh)) {
      patchItems(path, fresh)
      return markStale(path, await client.paths.stale(path))
    }
  }
  await reloadPath(path)
}

export const reloadPath = (path: PathId): Promise<void> => queryClient.invalidateQueries({ queryKey: pathKey(path) })

/** One changed item may have been moved as well, which a patch in place would not show. */
const inSameOrder = (all: readonly Item[], some: readonly Item[]): boolean => {
  const first = some[0]
  if (some.length !== 1 || !first) return false
  const before = all.find(item => item.id === first.id)
  // Moving changes the revision and nothing else that a window can see.
  return (
    before !== undefined &&
    (before.revision === first.revision || before.text !== first.text || before.kind !== first.kind)
  )
}
