import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient } from '@tanstack/react-query'
import { client } from './connection.ts'

/** Server state: fetched once, kept fresh by engine events, never copied elsewhere. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false } },
})

export const rpc = createTanstackQueryUtils(client)
