import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedTool, ListedTools } from '../../src/contract/mcp-servers.ts'
import { visible } from '../../src/contract/visible.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Call } from './call.tsx'
import { changesOf } from './changes.ts'
import styles from './mcp.module.css'
import { effectWords, standingWords, wordOf } from './words.ts'

/** The tools of a server as plain text, whatever they say; those to be looked at first. */
export function Tools({ server, listed }: { server: string; listed: ListedTools }) {
  const { tools, bad } = listed
  const asked = tools.filter(({ standing }) => standing !== 'accepted')
  const rest = tools.filter(({ standing }) => standing === 'accepted')
  const accept = useMutation({
    mutationFn: async (chosen: readonly ListedTool[]) => {
      await client.mcp.accept({ server, tools: chosen.map(({ name, hash }) => ({ name, hash })) })
      await queryClient.invalidateQueries({ queryKey: rpc.mcp.key() })
      return chosen.length
    },
    onSuccess: count => showToast({ kind: 'good', text: count === 1 ? 'Accepted.' : `Accepted ${count} tools.` }),
    onError: showProblem,
  })
  return (
    <>
      {asked.length > 0 && (
        <div className={styles.notice} data-state="new">
          <p>
            <strong>{asked.length === 1 ? 'One tool waits for you.' : `${asked.length} tools wait for you.`}</strong>
            <br />
            The server wrote these descriptions, and nobody has checked them.
          </p>
          <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate(asked)}>
            {asked.length === 1 ? 'Accept it' : `Accept all ${asked.length}`}
          </Button>
        </div>
      )}
      {tools.length + bad.length === 0 && <p className={styles.soft}>This server lists no tools.</p>}
      <ul className={styles.tools}>
        {[...asked, ...rest].map(tool => (
          <Tool key={tool.name} tool={tool} onAccept={() => accept.mutate([tool])} />
        ))}
        {bad.map(({ name, why }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bad tools have no name that one could rely on
          <li key={at} data-standing="bad">
            <header>
              <code>{visible(name) || 'without a name'}</code>
              <span className={styles.badge}>cannot be used</span>
            </header>
            <p className={styles.text}>{visible(why)}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

function Tool({ tool, onAccept }: { tool: ListedTool; onAccept(): void }) {
  const [calling, setCalling] = useState(false)
  const changes = changesOf(tool)
  return (
    <li data-standing={tool.standing} aria-label={tool.name}>
      <header>
        <code>{tool.name}</code>
        <span className={styles.badge}>{standingWords[tool.standing]}</span>
        <span className={styles.soft}>
          {effectWords[tool.effect]}, {wordOf[tool.effect]}
        </span>
        {tool.standing === 'accepted' ? (
          <Button look="quiet" aria-expanded={calling} onClick={() => setCalling(!calling)}>
            Try it
          </Button>
        ) : (
          <Button onClick={onAccept}>Accept</Button>
        )}
      </header>
      {changes.length > 0 ? (
        <table className={styles.changes}>
          <thead>
            <tr>
              <th>What changed</th>
              <th>You accepted</th>
              <th>It says now</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ what, before, now }) => (
              <tr key={what}>
                <th scope="row">{visible(what)}</th>
                <td>{visible(before)}</td>
                <td>{visible(now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className={styles.text}>{visible(tool.description) || 'It has no description.'}</p>
      )}
      <details>
        <summary>Schema</summary>
        <pre>{visible(JSON.stringify(tool.inputSchema, null, 2))}</pre>
      </details>
      {calling && <Call tool={tool} />}
    </li>
  )
}
