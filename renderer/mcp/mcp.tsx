import { useQuery } from '@tanstack/react-query'
import { Cable, Plug, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListEntry, ListPage } from '../ui/list-page.tsx'
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
    <ListPage
      label="MCP"
      title="MCP"
      about="Servers whose tools may be used here, and assistants that may run code here."
      tools={
        <Button look="primary" icon={<Plus />} onClick={() => setShown({ view: 'add' })}>
          Add a server
        </Button>
      }
      list={
        <>
          <ul>
            <ListEntry
              icon={<Cable aria-hidden size={16} />}
              title="Connect an assistant"
              current={current('connect')}
              onSelect={() => setShown({ view: 'connect' })}
            />
            <ListEntry
              icon={<Search aria-hidden size={16} />}
              title="Find a tool"
              current={current('find')}
              onSelect={() => setShown({ view: 'find' })}
            />
          </ul>
          <h2>Your servers</h2>
          {servers.data.length === 0 && <p>None yet.</p>}
          <ul>
            {servers.data.map(({ name, health, accepted }) => (
              <ListEntry
                key={name}
                icon={<span className={styles.state} data-state={health.state} />}
                title={name}
                current={open?.name === name}
                onSelect={() => show(name)}
              >
                {stateWords[health.state]} · {accepted} accepted
              </ListEntry>
            ))}
          </ul>
        </>
      }
      detail={
        shown?.view === 'connect' ? (
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
        )
      }
    />
  )
}
