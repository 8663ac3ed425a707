import { useMutation, useQuery } from '@tanstack/react-query'
import type { NamesStatus } from '../../../src/contract/names.ts'
import { queryClient, rpc } from '../../state/queries.ts'
import { showProblem } from '../../state/toasts.ts'
import { ModelCard } from './card.tsx'

/** Whether the model for names is at work, and if not, why. */
export function NamesState() {
  const { namesModel = '', namesByModel } = useQuery(rpc.settings.get.queryOptions()).data?.settings.privacy ?? {}
  const queryKey = [...rpc.privacy.names.key(), namesModel, namesByModel]
  const { data } = useQuery({
    ...rpc.privacy.names.queryOptions({ queryKey }),
    staleTime: 0,
    // An answer about the folder before is one that overtook the change.
    refetchInterval: ({ state: { data: now } }) =>
      now && (now.state === 'loading' || now.folder !== namesModel) ? 300 : false,
  })
  const show = (status: NamesStatus) => queryClient.setQueryData(queryKey, status)
  const stop = useMutation(rpc.privacy.stopNames.mutationOptions({ onSuccess: show, onError: showProblem }))
  const again = useMutation(rpc.privacy.loadNames.mutationOptions({ onSuccess: show, onError: showProblem }))
  if (data?.folder !== namesModel) return null
  return <ModelCard status={data} onStop={() => stop.mutate(undefined)} onAgain={() => again.mutate(undefined)} />
}
