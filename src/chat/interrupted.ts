import { problem } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import { end } from './active.ts'
import type { Desk } from './desk.ts'
import { Kept } from './keeping.ts'
import { itemsOfTurn, itemsUpTo } from './path.ts'
import type { TurnRow } from './store.ts'

const endedFirst = JSON.stringify({ success: false, reason: 'The application ended before this was over.' })

/** What came before the application ended is put on the path and marked; the person can go on from it. */
export async function interrupted(desk: Desk, who: Caller, row: TurnRow): Promise<void> {
  const partial = row.partial ? Kept.safeParse(JSON.parse(row.partial)).data : undefined
  if (partial && (partial.text.trim() || partial.reasoning.trim() || partial.unfinished.length > 0)) {
    const ref = { tenant: row.tenant, conversation: row.conversation, path: row.path }
    const items = await itemsUpTo(desk, who, ref, await itemsOfTurn(desk, row))
    const inserted = await desk.conversations.insert(who, {
      path: row.path,
      ...(items.at(-1) ? { after: items.at(-1)?.id } : {}),
      items: [{ kind: 'message', author: 'assistant', text: partial.text.trim() }],
      undoable: false,
    })
    const item = inserted.ok ? inserted.value[0]?.id : undefined
    if (item)
      await desk.store.addParts(row, row.step, [
        { item, part: { kind: 'figures', length: 0, figures: [] } },
        ...(partial.reasoning.trim() ? [{ item, part: { kind: 'reasoning' as const, text: partial.reasoning } }] : []),
        ...partial.unfinished.map(({ tool, input }) => ({
          item,
          part: { kind: 'unfinished' as const, tool, text: input },
        })),
      ])
  }
  const open = (await desk.store.partsOf(row.id, row.step)).filter(
    ({ part }, _, all) =>
      part.kind === 'call' && !all.some(each => each.part.kind === 'result' && each.part.call === part.call),
  )
  await desk.store.addParts(
    row,
    row.step,
    open.flatMap(({ item, part }) =>
      part.kind === 'call'
        ? [{ item, part: { kind: 'result' as const, call: part.call, ok: false, text: endedFirst, run: null } }]
        : [],
    ),
  )
  await end(
    desk,
    { ...row, partial: null },
    'interrupted',
    problem(
      'chat.interrupted',
      'Countersign ended while this was answered.',
      'What has arrived is kept. Go on, or ask again.',
    ),
  )
}
