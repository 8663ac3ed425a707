import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedTool } from '../../src/contract/mcp-servers.ts'
import { visible } from '../../src/contract/visible.ts'
import { client, problemFrom } from '../state/connection.ts'
import { Button } from '../ui/button.tsx'
import styles from './mcp.module.css'

/** One call by hand. It passes the egress guard and is on the record like any other. */
export function Call({ tool }: { tool: ListedTool }) {
  const [text, setText] = useState(() => JSON.stringify(exampleOf(tool.inputSchema), null, 2))
  const call = useMutation({
    mutationFn: () =>
      client.mcp.call({ server: tool.server, tool: tool.name, arguments: JSON.parse(text), hash: tool.hash }),
  })
  const problem = call.error
    ? call.error instanceof SyntaxError
      ? { message: 'The arguments are not JSON.', hint: call.error.message }
      : problemFrom(call.error)
    : null
  return (
    <div className={styles.call}>
      <label>
        <span>Arguments</span>
        <textarea
          className={styles.code}
          rows={4}
          spellCheck={false}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      </label>
      <p className={styles.row}>
        <Button look="primary" busy={call.isPending} onClick={() => call.mutate()}>
          Call {tool.name}
        </Button>
        {call.data && (
          <span className={styles.soft}>
            {call.data.isError ? 'It failed' : 'It answered'} after {call.data.durationMs} ms
          </span>
        )}
      </p>
      {problem && (
        <p role="alert" className={styles.problem}>
          {visible(problem.message)} {problem.hint}
        </p>
      )}
      {call.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long answer is scrolled by keyboard too
        <pre tabIndex={0}>{visible(JSON.stringify(call.data.structuredContent ?? call.data.content, null, 2))}</pre>
      )}
    </div>
  )
}

/** The parameters that must be there, empty. */
function exampleOf({ properties, required }: Record<string, unknown>): Record<string, unknown> {
  const names = Array.isArray(required) ? required.filter(each => typeof each === 'string') : []
  const types: Record<string, unknown> = typeof properties === 'object' && properties !== null ? { ...properties } : {}
  return Object.fromEntries(names.map(name => [name, emptyOf(types[name])]))
}

function emptyOf(schema: unknown): unknown {
  const type = typeof schema === 'object' && schema !== null && 'type' in schema ? schema.type : 'string'
  return type === 'number' || type === 'integer'
    ? 0
    : type === 'boolean'
      ? false
      : type === 'array'
        ? []
        : type === 'object'
          ? {}
          : ''
}
