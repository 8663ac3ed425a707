import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { ChatEvent, ChatView, LivePart, ModelRef, Provider, Turn, TurnId } from '../../src/contract/chat.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { queryClient, rpc } from '../state/queries.ts'

/** What models are writing now, by path. It is gone when the step is on the path. */
interface Live {
  readonly paths: ReadonlyMap<PathId, { readonly turn: TurnId; readonly parts: readonly LivePart[] }>
}
export const useLive = create<Live>(() => ({ paths: new Map() }))

/** The model that was chosen last, for the next question. */
export const useChosenModel = create<{ model: ModelRef | null }>()(
  persist(() => ({ model: null as ModelRef | null }), { name: 'countersign.model' }),
)

export const useChat = (path: PathId): UseQueryResult<ChatView> =>
  useQuery({ ...rpc.chat.open.queryOptions({ input: path }), select: noteLiveOf(path) })

export const useProviders = (): readonly Provider[] => useQuery(rpc.chat.providers.queryOptions()).data ?? noProviders
const noProviders: readonly Provider[] = []

/** A window that comes in the middle begins with what was written before it came. */
const noteLiveOf = (path: PathId) => (view: ChatView) => {
  const { live } = view
  const known = useLive.getState().paths.get(path)
  if (live && known?.turn !== live.turn) queueMicrotask(() => setLive(path, { turn: live.turn, parts: live.parts }))
  return view
}

function setLive(path: PathId, live: { turn: TurnId; parts: readonly LivePart[] } | null): void {
  useLive.setState(({ paths }) => {
    const next = new Map(paths)
    if (live) next.set(path, live)
    else next.delete(path)
    return { paths: next }
  })
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
      void queryClient.invalidateQueries({ queryKey: rpc.chat.open.queryKey({ input: event.path }) })
      break
    case 'providers':
      void queryClient.invalidateQueries({ queryKey: rpc.chat.providers.key() })
      break
  }
}

function patchTurn(turn: Turn): void {
  const key = rpc.chat.open.queryKey({ input: turn.path })
  queryClient.setQueryData(key, view =>
    view ? { ...view, turns: [...view.turns.filter(({ id }) => id !== turn.id), turn] } : view,
  )
  if (turn.endedAt === null) return
  // Parts, figures and values are complete now; so is what it cost.
  void queryClient.invalidateQueries({ queryKey: key })
  void queryClient.invalidateQueries({ queryKey: rpc.chat.spending.key() })
}
