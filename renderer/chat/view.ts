import { type ChatView, type ItemParts, isUnderWay, type Turn, type TurnId } from '../../src/contract/chat.ts'
import type { ItemId } from '../../src/contract/conversations.ts'

/** A chat with ways to what one item needs of it: each item in sight asks, of thousands of answers. */
export interface IndexedChat extends ChatView {
  readonly partsOf: ReadonlyMap<ItemId, ItemParts>
  readonly turnOf: ReadonlyMap<TurnId, Turn>
  /** What an answer has said last: there stands what all of it took. */
  readonly lastOf: ReadonlyMap<TurnId, ItemId>
}

const known = new WeakMap<ChatView, IndexedChat>()

export function indexed(view: ChatView): IndexedChat {
  const before = known.get(view)
  if (before) return before
  const made = {
    ...view,
    partsOf: new Map(view.parts.map(each => [each.item, each])),
    turnOf: new Map(view.turns.map(turn => [turn.id, turn])),
    // Every message of an answer has its figures looked for; a cell has none of its own.
    lastOf: new Map(view.parts.filter(hasFigures).map(({ turn, item }) => [turn, item])),
  }
  known.set(view, made)
  return made
}

const hasFigures = ({ parts }: ItemParts): boolean => parts.some(({ kind }) => kind === 'figures')

/** A view with answers that came since, or that are older; each as it was told last. */
export function withAnswers(view: ChatView, { turns, parts }: Pick<ChatView, 'turns' | 'parts'>): ChatView {
  const replaced = new Set(turns.map(({ id }) => id))
  const items = new Set(parts.map(({ item }) => item))
  return {
    ...view,
    turns: [...view.turns.filter(({ id }) => !replaced.has(id)), ...turns].sort((a, b) => (a.id < b.id ? -1 : 1)),
    parts: items.size === 0 ? view.parts : [...view.parts.filter(({ item }) => !items.has(item)), ...parts],
  }
}

/** Why a question has no whole answer, for whoever reads it later: the bar below tells only of the newest one. */
export function unanswered({ state, problem }: Pick<Turn, 'state' | 'problem'>): string | null {
  if (isUnderWay(state) || state === 'done') return null
  if (state === 'stopped') return 'The answer was stopped.'
  if (state === 'superseded') return 'Something else was asked before a reviewer had decided.'
  return problem?.message ?? 'The answer did not come to its end.'
}
