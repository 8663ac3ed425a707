import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleDashed, FolderPlus } from 'lucide-react'
import { useState } from 'react'
import type { EnvironmentView } from '../../src/contract/environments.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { AddDialog } from './add-dialog.tsx'
import styles from './environments.module.css'
import { kindWords } from './words.ts'

const icons = { ready: CircleCheck, found: CircleDashed, refused: CircleAlert } as const

/** The Python environments of this machine: what can be used, and what was found and nobody has looked at. */
export function Environments() {
  const all = useQuery({ ...rpc.environments.list.queryOptions(), refetchOnMount: 'always' })
  const [asked, setAsked] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  if (all.error) return <ProblemView error={all.error} onRetry={() => all.refetch()} />
  if (!all.data) return <Loading />
  return (
    <>
      <p className={styles.lead}>
        Code runs in the interpreter and with the packages of its conversation’s environment, which a sandbox sees and
        cannot change. Packages are installed outside of Countersign, with the tool that made the environment.
      </p>
      <ul className={styles.list} aria-label="Python environments">
        {all.data.map(each => (
          <Row key={each.name} environment={each} onLook={() => setAsked(each.python)} />
        ))}
      </ul>
      <form
        className={styles.add}
        onSubmit={event => {
          event.preventDefault()
          if (typed.trim()) setAsked(typed.trim())
        }}
      >
        <label htmlFor="environment-path">Another one</label>
        <input
          id="environment-path"
          value={typed}
          placeholder="/home/me/project/.venv"
          spellCheck={false}
          onChange={event => setTyped(event.target.value)}
        />
        <Button type="submit" icon={<FolderPlus />} disabled={!typed.trim()}>
          Add…
        </Button>
      </form>
      {asked !== null && <AddDialog path={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function Row({ environment, onLook }: { environment: EnvironmentView; onLook(): void }) {
  const { name, kind, version, packages, state, added, why, python, digest } = environment
  const [open, setOpen] = useState(false)
  const Icon = icons[state]
  const remove = useMutation(
    rpc.environments.remove.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: rpc.environments.list.key() }),
      onError: showProblem,
    }),
  )
  return (
    <li data-state={state}>
      <Icon aria-label={state === 'ready' ? 'can be used' : state === 'found' ? 'not added yet' : 'cannot be used'} />
      <div className={styles.what}>
        <strong>{name}</strong>
        <p>
          Python {version}, {kindWords[kind]}, <code>{python}</code>
        </p>
        {why && <p>{why}</p>}
        <button type="button" className={styles.unfold} aria-expanded={open} onClick={() => setOpen(!open)}>
          {packages === 1 ? '1 package' : `${packages} packages`}{' '}
          <span title={digest}>(SHA-256 {digest.slice(0, 12)})</span>
        </button>
        {open && <Packages name={name} />}
      </div>
      {state === 'found' && <Button onClick={onLook}>Add…</Button>}
      {added && (
        <Button look="quiet" busy={remove.isPending} onClick={() => remove.mutate({ name })}>
          Take out of use
        </Button>
      )}
    </li>
  )
}

function Packages({ name }: { name: string }) {
  const detail = useQuery(rpc.environments.show.queryOptions({ input: { name } }))
  if (detail.error) return <ProblemView error={detail.error} />
  if (!detail.data) return <Loading />
  return (
    <ul className={styles.packages}>
      {detail.data.packages.map(each => (
        <li key={each.name}>
          {each.name} <span>{each.version}</span>
        </li>
      ))}
    </ul>
  )
}
