import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EnvironmentView } from '../../src/contract/environments.ts'
import { openSettings } from '../settings/section.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { chooseEnvironment, giveEnvironment, useChoosing } from './choosing.ts'
import styles from './environments.module.css'
import { kindWords } from './words.ts'

/** Which interpreter and packages a conversation's Python code is given. */
export default function ChooseDialog() {
  const { of, picked } = useChoosing()
  return of && <Choose key={`${of.conversation} ${picked}`} of={of} picked={picked} />
}

type Of = NonNullable<ReturnType<typeof useChoosing.getState>['of']>

function Choose({ of, picked }: { of: Of; picked: string | null }) {
  const close = () => chooseEnvironment(null)
  const all = useQuery({ ...rpc.environments.list.queryOptions(), refetchOnMount: 'always' })
  const now = useQuery(rpc.environments.chosen.queryOptions({ input: of.conversation }))
  const status = useQuery(rpc.sandbox.status.queryOptions({ input: of.path }))
  const [name, setName] = useState(picked)
  const [again, setAgain] = useState(true)
  const [busy, setBusy] = useState(false)
  const chosen = name ?? now.data ?? null
  const hasVariables = (status.data?.runs ?? 0) > 0
  const use = () => {
    if (chosen === null) return
    setBusy(true)
    giveEnvironment(of, chosen, again && hasVariables)
      .catch(showProblem)
      .finally(close)
  }
  const error = all.error ?? now.error
  return (
    <Dialog
      open
      onClose={close}
      title="Python environment of this conversation"
      description="The record of each run names the interpreter’s version and the hash of the package list."
      footer={
        <>
          <Button
            look="quiet"
            onClick={() => {
              close()
              openSettings('environments')
            }}
          >
            Environments…
          </Button>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" busy={busy} disabled={chosen === null || chosen === now.data} onClick={use}>
            Use it
          </Button>
        </>
      }
    >
      {error ? (
        <ProblemView error={error} />
      ) : !all.data || now.data === undefined ? (
        <Loading />
      ) : (
        <fieldset className={styles.choices}>
          <legend className={styles.hidden}>Environments</legend>
          {all.data.map(each => (
            <Choice key={each.name} environment={each} checked={each.name === chosen} onChoose={setName} />
          ))}
        </fieldset>
      )}
      {hasVariables && (
        <label className={styles.again}>
          <input type="checkbox" checked={again} onChange={event => setAgain(event.target.checked)} />
          Run the cells again: a new sandbox has the files, but no variables
        </label>
      )}
    </Dialog>
  )
}

interface ChoiceProps {
  readonly environment: EnvironmentView
  readonly checked: boolean
  onChoose(name: string): void
}

function Choice({ environment, checked, onChoose }: ChoiceProps) {
  const { name, kind, version, packages, state, why } = environment
  const note = state === 'found' ? 'Found on this machine. Add it on the Environments page first.' : why
  return (
    <label className={styles.choice} data-unusable={state !== 'ready' || undefined}>
      <input
        type="radio"
        name="environment"
        checked={checked}
        disabled={state !== 'ready'}
        onChange={() => onChoose(name)}
      />
      <span>
        <b>{name}</b>
        <span className={styles.about}>
          Python {version}, {packages === 1 ? '1 package' : `${packages} packages`}, {kindWords[kind]}
        </span>
        {note && <span className={styles.about}>{note}</span>}
      </span>
    </label>
  )
}
