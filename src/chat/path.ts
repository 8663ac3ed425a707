import type { TurnId } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Item, ItemId } from '../contract/conversations.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Asked } from './active.ts'
import { type Desk, orProblem } from './desk.ts'
import { instructions } from './instructions.ts'
import { type Context, piecesOf } from './prompt.ts'

/** A path with all its items, put together from its pieces, up to and with one of them. */
export async function itemsUpTo(desk: Desk, who: Caller, ref: PathRef, last: ReadonlySet<ItemId>): Promise<Item[]> {
  return upTo(await allItems(desk, who, ref), last)
}

export function upTo(items: Item[], last: ReadonlySet<ItemId>): Item[] {
  const end = items.findLastIndex(item => last.has(item.id))
  return end < 0 ? items : items.slice(0, end + 1)
}

export const allItems = async (desk: Desk, who: Caller, { path }: PathRef): Promise<Item[]> =>
  orProblem(await desk.conversations.allItems(who, path))

/** The pieces of a prompt, and the instructions with what the path has. */
export async function contextOf(
  desk: Desk,
  who: Caller,
  ref: PathRef,
  options: {
    readonly items: readonly Item[]
    readonly environment: string
    readonly question: string
    /** A question that is not in the database yet. */
    readonly asked?: (Pick<Asked, 'item' | 'parts'> & Partial<Pick<Asked, 'analyses'>>) | null
    /** The first of the items that can fit; the ones before it are only counted. */
    readonly first: number
  },
): Promise<Context> {
  const { items, environment, question, asked, first } = options
  const near = items.slice(first)
  // Side by side: the catalogue is looked up on disk.
  const [parts, status, analyses] = await Promise.all([
    desk.store.partsOfItems(
      ref,
      near.map(({ id }) => id),
    ),
    desk.contexts.status(ref),
    asked?.analyses ?? desk.analyses.search(question),
  ])
  if (asked && !parts.has(asked.item.id)) parts.set(asked.item.id, asked.parts)
  const mask = (text: string) => desk.privacy.forRecord(ref.conversation, text)
  const isLive = status.state === 'ready' || status.state === 'running'
  const variables = isLive ? await desk.contexts.variables(ref, 'python') : null
  const files = isLive ? await desk.contexts.files(ref, who.user).list() : null
  const system = instructions({
    environment,
    variables: variables?.ok ? variables.value : [],
    files: files?.ok ? files.value : [],
    analyses,
  })
  const far = items.slice(0, first)
  const cellsBefore = far.filter(({ kind }) => kind === 'cell').length
  const skipped = far.filter(({ text }) => text.trim() !== '').length
  return { system, skipped, pieces: await piecesOf({ items: near, cellsBefore, parts, mask }) }
}

/** The question and whatever its answer has put on the path. */
export async function itemsOfTurn(desk: Desk, turn: { id: TurnId; question: ItemId }): Promise<Set<ItemId>> {
  const parts = await desk.store.partsOf(turn.id)
  return new Set<ItemId>([turn.question, ...parts.map(({ item }) => item)])
}
