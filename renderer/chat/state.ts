import { useQuery } from '@tanstack/react-query'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type {
  ChatEvent,
  ChatView,
  ModelRef,
  PreviewRequest,
  Provider,
  Turn,
  TurnId,
  Writing,
} from '../../src/contract/chat.ts'
import type { ItemId } from '../../src/contract/conversations.ts'
import type { ConversationId, MessageId, PathId } from '../../src/contract/ids.ts'
import { refreshed } from '../notebook/path-data.ts'
import { client, problemFrom } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { withDelta, withWhole } from './live.ts'
import { type IndexedChat, indexed, withAnswers } from './view.ts'

/** What models are writing now, by path. It is gone when the step is on the path, and shown there. */
interface Live {
  readonly paths: ReadonlyMap<PathId, LiveWriting>
}
/** `items`: where it stands on the path, once it does. */
type LiveWriting = Writing & { readonly items?: readonly ItemId[] }
export const useLive = create<Live>(() => ({ paths: new Map() }))

/** The question that this window asked last: it is brought into sight, and the answer below it is followed. */
export const useAsked = create<{ question: MessageId | null }>(() => ({ question: null }))

/** What was asked of a provider that nothing was sent to before, until the person has seen what would leave. */
export const useUnseen = create<{ asked: { readonly request: PreviewRequest; send(): void } | null }>(() => ({
  asked: null,
}))

/** Asks. Where nothing was sent to the provider before, the person is shown first what would leave: then it is false. */
export async function askSeen<T extends PreviewRequest>(request: T, ask: (request: T) => Promise<void>) {
  try {
    await ask(request)
    return true
  } catch (error) {
    if (problemFrom(error).code !== 'chat.unseen') throw error
    const send = () => void ask({ ...request, seen: true }).catch(showProblem)
    useUnseen.setState({ asked: { request, send } })
    return false
  }
}

/** The model that was chosen last, for the next question. */
export const useChosenModel = create<{ model: ModelRef | null }>()(
  persist(() => ({ model: null as ModelRef | null }), { name: 'countersign.model' }),
)

/** While somebody types. Each keeps for twice as long. */
const prepareEveryMs = 5000
let prepared: { readonly path: PathId | null; readonly at: number } = { path: null, at: 0 }

/** A question is being written: what it will wait for is looked up meanwhile. Without it the question is asked all the same. */
export function prepareToAsk(path: PathId, now = Date.now()): void {
  if (prepared.path === path && now - prepared.at < prepareEveryMs) return
  prepared = { path, at: now }
  void client.chat.prepare(path).catch(() => undefined)
}

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
  if (live && settled.get(path) !== stepOf(live)) setLive(path, withWhole(useLive.getState().paths.get(path), live))
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

/** The step of each path that was put on it last: what an answer on its way still says of it is over. */
const settled = new Map<PathId, string>()
const stepOf = ({ turn, step }: Pick<Writing, 'turn' | 'step'>): string => `${turn} ${step}`

function setLive(path: PathId, live: LiveWriting | null): void {
  useLive.setState(({ paths }) => {
    const next = new Map(paths)
    if (live) next.set(path, live)
    else next.delete(path)
    return { paths: next }
  })
}

/** The step is on the path now: what was shown of it goes when its items have come, in whose place nothing would stand. */
function settle({ path, turn, step, items }: Extract<ChatEvent, { kind: 'settled' }>): void {
  settled.set(path, stepOf({ turn, step }))
  const live = () => useLive.getState().paths.get(path)
  const written = live()
  if (written?.turn !== turn || written.step !== step || items.length === 0) {
    setLive(path, null)
    return
  }
  setLive(path, { ...written, items })
  const drop = () => {
    if (live()?.items === items) setLive(path, null)
  }
  // Views hear of what has come in a task of its own.
  void refreshed(path).then(() => setTimeout(drop))
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
      const next = withDelta(useLive.getState().paths.get(event.path), event)
      if (next) setLive(event.path, next)
      else void queryClient.invalidateQueries({ queryKey: keyOf(event.path) }, { cancelRefetch: false })
      break
    }
    case 'settled':
      settle(event)
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
