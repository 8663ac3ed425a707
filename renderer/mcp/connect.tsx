import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { type ClientLines, httpLines, processLines } from './clients.ts'
import { CopyButton } from './copied.tsx'
import styles from './mcp.module.css'

/** The lines that let another assistant run code here. */
export function Connect() {
  const info = useQuery({ ...rpc.mcp.connect.queryOptions(), staleTime: 0 })
  const [way, setWay] = useState<'process' | 'http'>('process')
  if (info.isError) return <ProblemView error={info.error} onRetry={() => info.refetch()} />
  if (!info.data) return <Loading />
  return (
    <div className={styles.view}>
      <header>
        <div>
          <h2>Connect an assistant</h2>
          <p>
            It may then ask for code to be run here. Every call is a run like any other: inspected, approved where the
            policy says so, confined, recorded. Private values leave as tokens.
          </p>
        </div>
        <Segmented
          label="How it connects"
          value={way}
          choices={[
            { value: 'process', label: 'It starts Countersign' },
            { value: 'http', label: 'Over HTTP' },
          ]}
          onChange={setWay}
        />
      </header>
      {way === 'process' ? <Lines lines={processLines(info.data)} /> : <Http http={info.data.http} />}
    </div>
  )
}

type HttpState = NonNullable<Awaited<ReturnType<typeof client.mcp.connect>>['http']>

function Http({ http }: { http: HttpState | null }) {
  const token = useMutation({ mutationFn: () => client.mcp.token() })
  const change = useMutation({
    mutationFn: (open: boolean) => client.settings.change({ mcp: { http: open } }),
    onError: showProblem,
  })
  if (!http)
    return (
      <p>
        Assistants cannot connect to this window over HTTP. Run <code>countersign mcp --http</code> instead.
      </p>
    )
  return (
    <>
      <div className={styles.notice} data-state={http.open ? 'up' : http.problem ? 'waiting' : 'stopped'}>
        <p>
          <strong>{http.open ? 'Assistants may connect over HTTP' : 'Connections over HTTP are off'}</strong>
          <br />
          {http.problem
            ? `${http.problem.message} ${http.problem.hint}`
            : http.open
              ? `Programs of this machine reach it at ${http.url} with the token.`
              : `Once on, programs of this machine reach it at ${http.url}. The choice is kept.`}
        </p>
        <Button
          look={http.open ? 'plain' : 'primary'}
          busy={change.isPending}
          onClick={() => change.mutate(!(http.open || http.problem))}
        >
          {http.open || http.problem ? 'Turn off' : 'Turn on'}
        </Button>
      </div>
      {token.data ? (
        <Lines lines={httpLines(http.url, token.data.token)} />
      ) : (
        <p className={styles.row}>
          <Button busy={token.isPending} onClick={() => token.mutate()}>
            Show the lines with the token
          </Button>
          <span className={styles.soft}>Whoever has the token acts as you.</span>
        </p>
      )}
    </>
  )
}

function Lines({ lines }: { lines: readonly ClientLines[] }) {
  return (
    <ul className={styles.clients}>
      {lines.map(({ client: name, place, text }) => (
        <li key={name} aria-label={name}>
          <header>
            <h3>{name}</h3>
            <span className={styles.soft}>{place}</span>
            <CopyButton text={text} label={`Copy the lines for ${name}`} />
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by keyboard too */}
          <pre tabIndex={0}>{text}</pre>
        </li>
      ))}
    </ul>
  )
}
