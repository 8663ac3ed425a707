import { useQueries, useQuery } from '@tanstack/react-query'
import type { ConversationId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'

/** Names by id; what nobody did was done by the application. */
export function useNames(): (id: string | null) => string {
  const { data = [] } = useQuery(rpc.identities.list.queryOptions())
  const names = new Map<string, string>(data.map(({ id, name }) => [id, name]))
  return id => (id === null ? 'Countersign' : (names.get(id) ?? `Somebody (…${id.slice(-6)})`))
}

/** Titles of conversations by id; none for one that was deleted. */
export function useTitles(): (id: string | undefined) => string | undefined {
  const { data = [] } = useQuery(rpc.conversations.list.queryOptions({ input: {} }))
  const titles = new Map<string, string>(data.map(({ id, title }) => [id, title]))
  return id => (id === undefined ? undefined : titles.get(id))
}

/** Names of the paths of these conversations by id; none for one that was deleted. */
export function usePathNames(conversations: readonly ConversationId[]): (id: string | undefined) => string | undefined {
  const trees = useQueries({
    queries: conversations.map(input => ({ ...rpc.conversations.tree.queryOptions({ input }), retry: false })),
  })
  const names = new Map<string, string>(
    trees.flatMap(({ data }) => data?.paths ?? []).map(({ id, name }) => [id, name]),
  )
  return id => (id === undefined ? undefined : names.get(id))
}
