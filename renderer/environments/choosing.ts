import { create } from 'zustand'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { runAll } from '../notebook/actions.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'

/** The dialog that chooses an environment: for whom, and what is picked already. */
interface Choosing {
  readonly of: { readonly conversation: ConversationId; readonly path: PathId } | null
  readonly picked: string | null
}

export const useChoosing = create<Choosing>(() => ({ of: null, picked: null }))

export const chooseEnvironment = (of: Choosing['of'], picked: string | null = null): void =>
  useChoosing.setState({ of, picked })

/** Gives a conversation another environment; its sandboxes end, and the cells run again where that is wanted. */
export async function giveEnvironment(
  { conversation, path }: NonNullable<Choosing['of']>,
  name: string,
  again: boolean,
): Promise<void> {
  await client.environments.choose({ conversation, name })
  queryClient.setQueryData(rpc.environments.chosen.queryKey({ input: conversation }), name)
  // Not waited for: whoever chose must not be held up by the cells.
  if (again) void runAll(path).catch(showProblem)
}
