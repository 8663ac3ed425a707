import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { ProgramFacts } from '../../src/contract/settings.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { dateAndTime } from '../ui/when.ts'
import styles from './interpreter.module.css'
import { Typed } from './typed.tsx'

interface InterpreterProps {
  readonly id: string
  readonly schema: z.ZodType
  readonly value: string
  /** Back to the best one that is found. */
  onClear(): void
}

/** The Python interpreter. It is started outside the sandbox, so it is shown and confirmed before it is set. */
export function Interpreter({ id, schema, value, onClear }: InterpreterProps) {
  const [asked, setAsked] = useState<string | null>(null)
  const typed = (next: string | number) => (next === '' ? onClear() : setAsked(String(next)))
  return (
    <>
      <Typed
        // What was typed and not confirmed goes back to what is in force.
        key={asked === null ? 'rest' : 'asked'}
        id={id}
        schema={schema}
        value={value}
        placeholder="The best one found"
        onChange={typed}
      />
      {asked !== null && <Confirm path={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function Confirm({ path, onClose }: { path: string; onClose(): void }) {
  const facts = useQuery({ ...rpc.settings.interpreter.queryOptions({ input: { path } }), staleTime: 0, gcTime: 0 })
  const choose = useMutation(
    rpc.settings.chooseInterpreter.mutationOptions({
      onSuccess(view) {
        queryClient.setQueryData(rpc.settings.get.queryKey(), view)
        showToast({ kind: 'good', text: 'Interpreter chosen.', hint: 'It is used from the next start on.' })
        onClose()
      },
      onError: showProblem,
    }),
  )
  return (
    <Dialog
      open
      onClose={onClose}
      title="Use this interpreter?"
      description="It is started outside the sandbox, with your rights. Choose one that you know."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={!facts.data}
            busy={choose.isPending}
            onClick={() => facts.data && choose.mutate({ path: facts.data.path, sha256: facts.data.sha256 })}
          >
            Use it
          </Button>
        </>
      }
    >
      {facts.isError ? <ProblemView error={facts.error} /> : facts.data ? <Facts facts={facts.data} /> : <Loading />}
    </Dialog>
  )
}

export function Facts({ facts }: { facts: ProgramFacts }) {
  const rows = [
    ['Path', facts.path],
    ...(facts.real === facts.path ? [] : [['Leads to', facts.real]]),
    ['Belongs to', facts.owner],
    ['Changed', dateAndTime(facts.modifiedAt)],
    ['Size', `${facts.bytes.toLocaleString('en')} bytes`],
    ['SHA-256', facts.sha256],
  ] as const
  return (
    <dl className={styles.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
