import type { Part } from '../contract/chat.ts'
import type { ItemId } from '../contract/conversations.ts'
import { MessageId } from '../contract/ids.ts'
import { problem } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import { ended } from './active.ts'
import { type Desk, tell } from './desk.ts'
import { Kept } from './keeping.ts'
import { itemsOfTurn, upTo } from './path.ts'
import { saidMark } from './placing.ts'
import { addStep, type TurnRow, turnOf } from './store.ts'

const endedFirst = JSON.stringify({ success: false, reason: 'The application ended before this was over.' })

/**
 * What came before the application ended is put on the path and marked; the person can go on from it. At once or not at
 * all: an application that ends here too finds it as it was, and puts nothing there twice.
 */
export async function interrupted(desk: Desk, who: Caller, row: TurnRow): Promise<void> {
  const to = ended(
    desk,
    'interrupted',
    problem(
      'chat.interrupted',
      'Countersign ended while this was answered.',
      'What has arrived is kept. Go on, or ask again.',
    ),
  )
  const results = await openCalls(desk, row)
  const partial = row.partial ? Kept.safeParse(JSON.parse(row.partial)).data : undefined
  const isPut = partial !== undefined && (await putPartial(desk, who, row, { partial, results, to }))
  if (!isPut) await desk.store.addStep(row, results, to)
  tell(desk, row.tenant, { kind: 'turn', turn: turnOf({ ...row, ...to }) })
}

type Placed = { readonly item: ItemId; readonly part: Part }[]

/** A result for each call that has none: it is not known how far it came. */
async function openCalls(desk: Desk, row: TurnRow): Promise<Placed> {
  const parts = await desk.store.partsOf(row.id, row.step)
  const answered = new Set(parts.flatMap(({ part }) => (part.kind === 'result' ? [part.call] : [])))
  return parts.flatMap(({ item, part }) =>
    part.kind === 'call' && !answered.has(part.call)
      ? [{ item, part: { kind: 'result' as const, call: part.call, ok: false, text: endedFirst, run: null } }]
      : [],
  )
}

/** What a model had written of a step, as a message behind the rest of its answer. False where there is nothing, or no path. */
async function putPartial(
  desk: Desk,
  who: Caller,
  row: TurnRow,
  { partial, results, to }: { partial: Kept; results: Placed; to: Partial<TurnRow> },
): Promise<boolean> {
  const { text, reasoning, unfinished } = partial
  if (!text.trim() && !reasoning.trim() && unfinished.length === 0) return false
  const { path } = row
  const there = await desk.conversations.allItems(who, path)
  if (!there.ok) return false
  const after = upTo(there.value, await itemsOfTurn(desk, row)).at(-1)?.id
  const id = desk.ids.make(MessageId)
  const parts: Part[] = [
    saidMark,
    ...(reasoning.trim() ? [{ kind: 'reasoning' as const, text: reasoning }] : []),
    ...unfinished.map(({ tool, input }) => ({ kind: 'unfinished' as const, tool, text: input })),
  ]
  const inserted = await desk.conversations.insert(
    { ...who, assistant: row.model },
    {
      path,
      ...(after ? { after } : {}),
      items: [{ kind: 'message', author: 'assistant', text: text.trim() }],
      undoable: false,
    },
    {
      ids: [id],
      alongside: t => addStep(t, row, [...parts.map(part => ({ item: id, part })), ...results], to),
    },
  )
  return inserted.ok
}
