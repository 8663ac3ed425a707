import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient } from '@tanstack/react-query'
import { client } from './connection.ts'

/** Server state: fetched once, kept fresh by engine events, never copied elsewhere. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false } },
})

// What was learned while an answer is on its way is newer than the answer: it is asked for again.
queryClient.getQueryCache().subscribe(event => {
  if (event.type !== 'updated' || event.action.type !== 'success' || !event.action.manual) return
  const { queryKey, state } = event.query
  if (state.fetchStatus === 'fetching') void queryClient.invalidateQueries({ queryKey, exact: true })
})

export const rpc = createTanstackQueryUtils(client)
