import { useQuery } from '@tanstack/react-query'
import { Cable, Plug, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Add } from './add.tsx'
import { Connect } from './connect.tsx'
import { FindTool } from './find.tsx'
import styles from './mcp.module.css'
import { ServerDetail } from './server.tsx'
import { stateWords } from './words.ts'

type Shown = { readonly view: 'connect' | 'add' | 'find' } | { readonly view: 'server'; readonly name: string }

/** Tools of other servers for code here, and this application as a server for other assistants. */
export default function Mcp() {
  const servers = useQuery({ ...rpc.mcp.servers.queryOptions(), staleTime: 0 })
  const [shown, setShown] = useState<Shown | null>(null)
  if (servers.isError) return <ProblemView error={servers.error} onRetry={() => servers.refetch()} />
  if (!servers.data) return <Loading />
  const show = (name: string) => setShown({ view: 'server', name })
  const open = shown?.view === 'server' ? servers.data.find(({ name }) => name === shown.name) : undefined
  const current = (view: Shown['view']) => shown?.view === view
  return (
    <div className={styles.page}>
      <section className={styles.list} aria-label="MCP">
        <header>
          <h1>MCP</h1>
          <p>Servers whose tools may be used here, and assistants that may run code here.</p>
          <Button look="primary" icon={<Plus aria-hidden size={14} />} onClick={() => setShown({ view: 'add' })}>
            Add a server
          </Button>
        </header>
        <ul>
          <li>
            <button type="button" aria-current={current('connect')} onClick={() => setShown({ view: 'connect' })}>
              <Cable aria-hidden size={16} />
              <strong>Connect an assistant</strong>
            </button>
          </li>
          <li>
            <button type="button" aria-current={current('find')} onClick={() => setShown({ view: 'find' })}>
              <Search aria-hidden size={16} />
              <strong>Find a tool</strong>
            </button>
          </li>
        </ul>
        <h2>Your servers</h2>
        <ul>
          {servers.data.map(({ name, health, accepted }) => (
            <li key={name}>
              <button type="button" aria-current={open?.name === name} onClick={() => show(name)}>
                <span className={styles.state} data-state={health.state} />
                <strong>{name}</strong>
                <small>
                  {stateWords[health.state]} · {accepted} accepted
                </small>
              </button>
            </li>
          ))}
          {servers.data.length === 0 && <li className={styles.soft}>None yet.</li>}
        </ul>
      </section>
      <div className={styles.detail}>
        {shown?.view === 'connect' ? (
          <Connect />
        ) : shown?.view === 'add' ? (
          <Add onAdded={show} />
        ) : shown?.view === 'find' ? (
          <FindTool onOpen={show} />
        ) : open ? (
          <ServerDetail key={open.name} server={open} onRemoved={() => setShown(null)} />
        ) : (
          <Empty icon={<Plug />} title={servers.data.length > 0 ? 'Choose a server' : 'No server yet'}>
            <p>Add one to use its tools from cells, or connect an assistant that may run code here.</p>
          </Empty>
        )}
      </div>
    </div>
  )
}
