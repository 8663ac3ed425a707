import { useQuery } from '@tanstack/react-query'
import { openStates, type RequestSummary } from '../../src/contract/approval.ts'
import type { CellId, ConversationId, PathId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import { useView } from '../state/view.ts'

/** What waits for a reviewer in a conversation. */
export const waitingIn = (conversation: ConversationId) =>
  rpc.approval.requests.queryOptions({ input: { conversation, states: [...openStates] } })

/** The request that a cell waits for: also one from before the application was closed. */
export function useWaitingFor(path: PathId, cell: CellId): RequestSummary | null {
  const conversation = useView(view => view.conversation)
  const { data } = useQuery({
    ...waitingIn(conversation as ConversationId),
    enabled: conversation !== null,
    select: requests => requests.find(request => request.path === path && request.cell === cell) ?? null,
  })
  return data ?? null
}
