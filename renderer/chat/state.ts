import { useQuery } from '@tanstack/react-query'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { ChatEvent, ChatView, LivePart, ModelRef, Provider, Turn, TurnId } from '../../src/contract/chat.ts'
import type { ConversationId, MessageId, PathId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { type IndexedChat, indexed, withAnswers } from './view.ts'

/** What models are writing now, by path. It is gone when the step is on the path. */
interface Live {
  readonly paths: ReadonlyMap<PathId, { readonly turn: TurnId; readonly parts: readonly LivePart[] }>
}
export const useLive = create<Live>(() => ({ paths: new Map() }))

/** The question that this window asked last: it is brought into sight, and the answer below it is followed. */
export const useAsked = create<{ question: MessageId | null }>(() => ({ question: null }))

/** The model that was chosen last, for the next question. */
export const useChosenModel = create<{ model: ModelRef | null }>()(
  persist(() => ({ model: null as ModelRef | null }), { name: 'countersign.model' }),
)

const keyOf = (path: PathId) => rpc.chat.open.queryKey({ input: { path } })

/** What `pick` takes from the chat of a path; whoever uses it is drawn anew only when that has changed. */
export const useChat = <T>(path: PathId, pick: (chat: IndexedChat) => T): T | undefined =>
  useQuery({
    queryKey: keyOf(path),
    queryFn: () => openChat(path),
    // Thousands of answers would be compared with each other whenever one of them has changed.
    structuralSharing: false,
    select: view => pick(indexed(view)),
  }).data

/** The newest answer on a path; not one that it has from the path that it branched off. */
export const useNewestTurn = (path: PathId): Turn | undefined =>
  useChat(path, ({ turns }) => turns.findLast(turn => turn.path === path))

export const useProviders = (): readonly Provider[] => useQuery(rpc.chat.providers.queryOptions()).data ?? noProviders
const noProviders: readonly Provider[] = []

async function openChat(path: PathId): Promise<ChatView> {
  const view = await client.chat.open({ path })
  const { live, older } = view
  // A window that comes in the middle begins with what was written before it came.
  const known = useLive.getState().paths.get(path)
  if (live && known?.turn !== live.turn) setLive(path, { turn: live.turn, parts: live.parts })
  if (older) void addOlder(path, older).catch(() => undefined)
  return view
}

/** The answers before the newest, while the person reads: nobody waits for them. */
async function addOlder(path: PathId, from: TurnId): Promise<void> {
  for (let before: TurnId | null = from; before; ) {
    const page: ChatView = await client.chat.open({ path, before })
    queryClient.setQueryData(keyOf(path), view => view && withAnswers(view, page))
    before = page.older
  }
}

function setLive(path: PathId, live: { turn: TurnId; parts: readonly LivePart[] } | null): void {
  useLive.setState(({ paths }) => {
    const next = new Map(paths)
    if (live) next.set(path, live)
    else next.delete(path)
    return { paths: next }
  })
}

export async function setConfidential(
  path: PathId,
  conversation: ConversationId,
  confidential: boolean,
): Promise<void> {
  await client.chat.setConfidential({ conversation, confidential })
  queryClient.setQueryData(keyOf(path), view => view && { ...view, confidential })
}

export function noteChat(event: ChatEvent): void {
  switch (event.kind) {
    case 'turn':
      patchTurn(event.turn)
      break
    case 'delta': {
      const known = useLive.getState().paths.get(event.path)
      const parts = known?.turn === event.turn ? [...known.parts] : []
      const before = parts[event.at]
      parts[event.at] = before
        ? { ...before, language: event.part.language ?? before.language, text: before.text + event.part.text }
        : event.part
      setLive(event.path, { turn: event.turn, parts })
      break
    }
    case 'settled':
      setLive(event.path, null)
      void readAgain(event.path, event.turn)
      void queryClient.invalidateQueries({ queryKey: rpc.chat.spending.key() })
      break
    case 'providers':
      void queryClient.invalidateQueries({ queryKey: rpc.chat.providers.key() })
      break
  }
}

function patchTurn(turn: Turn): void {
  queryClient.setQueryData(keyOf(turn.path), view => view && withAnswers(view, { turns: [turn], parts: [] }))
  if (turn.endedAt === null) return
  // Parts, figures and values are complete now; so is what it cost.
  void readAgain(turn.path, turn.id)
  void queryClient.invalidateQueries({ queryKey: rpc.chat.spending.key() })
}

/** One answer as it is now. What cannot be read is read with the whole path. */
async function readAgain(path: PathId, id: TurnId): Promise<void> {
  const key = keyOf(path)
  try {
    const { turn, parts, values } = await client.chat.turn(id)
    queryClient.setQueryData(key, view => view && { ...withAnswers(view, { turns: [turn], parts }), values })
  } catch {
    void queryClient.invalidateQueries({ queryKey: key })
  }
}
