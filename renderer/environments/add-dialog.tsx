import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EnvironmentDetail } from '../../src/contract/environments.ts'
import { Facts } from '../settings/interpreter.tsx'
import { queryClient, rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './environments.module.css'

/** An environment's interpreter is started outside the sandbox, so it is shown and confirmed before it is used. */
export function AddDialog({ path, onClose }: { path: string; onClose(): void }) {
  const found = useQuery({ ...rpc.environments.inspect.queryOptions({ input: { path } }), staleTime: 0, gcTime: 0 })
  const [typed, setTyped] = useState<string | null>(null)
  const add = useMutation(
    rpc.environments.add.mutationOptions({
      onSuccess() {
        void queryClient.invalidateQueries({ queryKey: rpc.environments.key() })
        onClose()
      },
    }),
  )
  const name = typed ?? found.data?.name ?? ''
  const program = found.data?.program
  return (
    <Dialog
      open
      onClose={onClose}
      title="Use this environment?"
      description="Its interpreter is started outside the sandbox, with your rights. Choose one that you know."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={!program || !name.trim()}
            busy={add.isPending}
            onClick={() => program && add.mutate({ path: program.path, name: name.trim(), sha256: program.sha256 })}
          >
            Add it
          </Button>
        </>
      }
    >
      {found.error ? <ProblemView error={found.error} /> : found.data ? <Found found={found.data} /> : <Loading />}
      {program && (
        <label className={styles.name}>
          Name
          <input value={name} maxLength={64} onChange={event => setTyped(event.target.value)} />
        </label>
      )}
      {add.error && <ProblemView error={add.error} />}
    </Dialog>
  )
}

function Found({ found }: { found: EnvironmentDetail }) {
  if (!found.program) return <p role="alert">{found.why}</p>
  return (
    <>
      <p>
        Python {found.version} with {found.packages.length} packages.
      </p>
      <Facts facts={found.program} />
    </>
  )
}
