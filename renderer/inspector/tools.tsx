import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { KnownTool } from '../../src/contract/tools.ts'
import { VisibleText } from '../review/visible-text.tsx'
import { rpc } from '../state/queries.ts'
import { SearchField } from '../ui/search-field.tsx'
import styles from './inspector.module.css'
import own from './tools.module.css'

const effects: Record<KnownTool['effect'], string> = {
  reads: 'says that it only reads',
  writes: 'changes something: asked about before it runs',
  destroys: 'may destroy something: asked about before it runs',
}

/** Tools that a cell may call by naming them: how each is called, and what it says of itself. */
export function ToolsView() {
  const { data = [], isPending } = useQuery(rpc.tools.known.queryOptions())
  const [text, setText] = useState('')
  if (isPending) return null
  if (data.length === 0)
    return (
      <section className={styles.section} aria-label="Tools">
        <h3>Tools</h3>
        None yet. Add an MCP server on the page MCP and accept its tools; then a cell calls them as{' '}
        <code>tools.server.name(…)</code>.
      </section>
    )
  const wanted = text.trim().toLowerCase()
  const shown = data.filter(tool => `${tool.server}.${tool.tool} ${tool.description}`.toLowerCase().includes(wanted))
  return (
    <section className={styles.section} aria-label="Tools">
      <h3>Tools</h3>
      <p>A cell is given the tools that its code names.</p>
      <SearchField label="Find a tool" placeholder="Find a tool" value={text} onSearch={setText} />
      {shown.length === 0 && <p>None of {data.length} tools matches.</p>}
      <ul className={own.tools}>
        {shown.map(tool => (
          <li key={`${tool.server} ${tool.tool}`}>
            <details>
              <summary>
                <code>
                  tools.{tool.calledAs.server}.<b>{tool.calledAs.tool}</b>
                </code>
                <span className={tool.effect === 'reads' ? undefined : own.effect}>{effects[tool.effect]}</span>
              </summary>
              <pre>{tool.typescript}</pre>
              <pre>{tool.python}</pre>
              <p>
                <VisibleText text={tool.description || 'It has no description.'} />
              </p>
            </details>
          </li>
        ))}
      </ul>
    </section>
  )
}
