import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleSlash, Plug, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { CloudState } from '../../src/contract/cloud.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Words } from '../ui/words.tsx'
import styles from './cloud.module.css'

const placeholders: Record<CloudState['key'], string> = {
  environment: 'E2B_API_KEY is set and is used first',
  stored: 'A key is kept. Type to replace it',
  none: 'e2b_…',
}

/** The key of the service. It goes into the key store of this system and is never shown again. */
export function CloudKey() {
  const { data: state } = useQuery({ ...rpc.cloud.state.queryOptions(), staleTime: 0 })
  const [key, setKey] = useState('')
  const changed = () => void queryClient.invalidateQueries({ queryKey: rpc.cloud.key() })
  const test = useMutation({
    mutationFn: async () => {
      if (key) await client.cloud.setKey({ key })
      setKey('')
      return client.cloud.test()
    },
    onError: showProblem,
    onSettled: changed,
  })
  if (!state) return null
  return (
    <div className={styles.key}>
      <label htmlFor="cloud-key">
        Key of the service
        <span className={styles.note}>Kept by the key store of this system (E2B_API_KEY)</span>
      </label>
      <div className={styles.row}>
        <input
          id="cloud-key"
          type="password"
          autoComplete="off"
          placeholder={placeholders[state.key]}
          value={key}
          onChange={event => setKey(event.target.value)}
          onKeyDown={event => event.key === 'Enter' && test.mutate()}
        />
        <Button icon={<Plug />} busy={test.isPending} onClick={() => test.mutate()}>
          {key ? 'Save and test' : 'Test'}
        </Button>
        {state.key === 'stored' && (
          <IconButton
            label="Remove the key"
            icon={<Trash2 />}
            onClick={() => void client.cloud.setKey({ key: '' }).then(changed, showProblem)}
          />
        )}
      </div>
      {test.data && (
        <p role="status" className={test.data.available ? styles.good : styles.problem}>
          {test.data.available ? <CircleCheck aria-hidden /> : <CircleSlash aria-hidden />}{' '}
          <Words text={test.data.detail} />
          {test.data.hint ? ` ${test.data.hint}` : ''}
        </p>
      )}
      {!state.allowedByPolicy && (
        <p className={styles.note}>The policy does not let code and files leave this machine: see Policy, Cloud.</p>
      )}
    </div>
  )
}
