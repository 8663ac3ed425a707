import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react'
import type { NamesStatus } from '../../src/contract/privacy.ts'
import { rpc } from '../state/queries.ts'
import styles from './names.module.css'

const looks = {
  off: { icon: CircleDashed, word: 'Off' },
  loading: { icon: LoaderCircle, word: 'Loading' },
  ready: { icon: CircleCheck, word: 'Ready' },
  failed: { icon: CircleX, word: 'Failed' },
} as const satisfies Record<NamesStatus['state'], unknown>

/** Whether the model for names is at work, and if not, why. */
export function NamesState() {
  const { namesModel, namesByModel } = useQuery(rpc.settings.get.queryOptions()).data?.settings.privacy ?? {}
  const { data } = useQuery({
    ...rpc.privacy.names.queryOptions({ queryKey: [...rpc.privacy.names.key(), namesModel, namesByModel] }),
    staleTime: 0,
    refetchInterval: query => (query.state.data?.state === 'loading' ? 1000 : false),
  })
  if (!data) return null
  const { icon: Icon, word } = looks[data.state]
  return (
    <p className={styles.state} data-state={data.state} role="status">
      <Icon aria-hidden />
      <span>
        <strong>{word}.</strong> {data.detail}
      </span>
    </p>
  )
}
