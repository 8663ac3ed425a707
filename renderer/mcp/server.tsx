import { useMutation, useQuery } from '@tanstack/react-query'
import { Lock, LockOpen, RotateCw, Server, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ServerView } from '../../src/contract/mcp-servers.ts'
import { visible } from '../../src/contract/visible.ts'
import { client, problemFrom } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { LoginFact, LoginNotice } from './login.tsx'
import styles from './mcp.module.css'
import { Tools } from './tools.tsx'
import { confinementWords, stateWords } from './words.ts'

const confinementIcons = { jail: Lock, none: LockOpen, elsewhere: Server }

/** One server: how it is, how it is kept from the rest, and its tools. */
export function ServerDetail({ server, onRemoved }: { server: ServerView; onRemoved(): void }) {
  const { name, address, confinement, health, secrets, login } = server
  const tools = useQuery({
    ...rpc.mcp.tools.queryOptions({ input: { server: name } }),
    staleTime: 60_000,
    retry: false,
  })
  const restart = useMutation({
    mutationFn: async () => {
      await client.mcp.restart({ server: name })
      await queryClient.invalidateQueries({ queryKey: rpc.mcp.tools.key({ input: { server: name } }) })
    },
    onError: showProblem,
  })
  const [removing, setRemoving] = useState(false)
  const remove = async () => {
    setRemoving(false)
    await client.mcp.remove({ server: name }).then(onRemoved, showProblem)
  }
  const wantsLogin = tools.isError && problemFrom(tools.error).code === 'mcp.sign-in'
  // Whoever has just logged in sees the tools without asking for them.
  const isIn = login?.state === 'in'
  useEffect(() => {
    if (isIn) void queryClient.invalidateQueries({ queryKey: rpc.mcp.tools.key({ input: { server: name } }) })
  }, [isIn, name])
  const ConfinementIcon = confinementIcons[confinement.kind]
  return (
    <section className={styles.view} aria-label={name}>
      <header>
        <div>
          <h2>{name}</h2>
          <p className={styles.address}>{visible(address)}</p>
        </div>
        <div className={styles.row}>
          <Button icon={<RotateCw aria-hidden />} busy={restart.isPending} onClick={() => restart.mutate()}>
            Restart
          </Button>
          <Button icon={<Trash2 aria-hidden />} onClick={() => setRemoving(true)}>
            Remove
          </Button>
        </div>
      </header>
      <dl className={styles.facts}>
        <dt>State</dt>
        <dd>
          <span className={styles.state} data-state={health.state} />
          {stateWords[health.state]}
          {health.introduced && health.state === 'up' && ` · ${visible(health.introduced)}`}
          {health.failures > 0 && ` · failed ${health.failures === 1 ? 'once' : `${health.failures} times`}`}
        </dd>
        <dt>Confinement</dt>
        <dd>
          <ConfinementIcon aria-hidden size={14} /> {confinementWords[confinement.kind]}. {visible(confinement.detail)}
        </dd>
        {secrets.length > 0 && (
          <>
            <dt>Secrets</dt>
            <dd>{secrets.join(', ')} (in the key store)</dd>
          </>
        )}
        {login && <LoginFact server={name} login={login} />}
      </dl>
      {login && <LoginNotice server={name} login={login} wanted={wantsLogin} />}
      {tools.isPending ? (
        <Loading />
      ) : wantsLogin ? null : tools.isError ? (
        <div className={styles.notice} data-state="waiting" role="alert">
          <p>
            <strong>{visible(problemFrom(tools.error).message)}</strong>
            <br />
            {problemFrom(tools.error).hint}
          </p>
          <Button onClick={() => restart.mutate()}>Try again</Button>
        </div>
      ) : (
        <Tools server={name} listed={tools.data} />
      )}
      {server.transport === 'process' && <ServerLog server={name} />}
      <Dialog
        open={removing}
        onClose={() => setRemoving(false)}
        title={`Remove ${name}?`}
        description="Its secrets and what you accepted of it go too. What it was asked stays on the record."
        footer={
          <>
            <Button onClick={() => setRemoving(false)}>Keep it</Button>
            <Button look="danger" onClick={() => void remove()}>
              Remove
            </Button>
          </>
        }
      >
        {null}
      </Dialog>
    </section>
  )
}

function ServerLog({ server }: { server: string }) {
  const [open, setOpen] = useState(false)
  const log = useQuery({ ...rpc.mcp.log.queryOptions({ input: { server } }), staleTime: 0, enabled: open })
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>What it wrote to its log</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long log is scrolled by keyboard too */}
      <pre tabIndex={0} className={styles.log}>
        {visible(log.data?.text || 'Nothing yet.')}
      </pre>
    </details>
  )
}
