import { useQuery } from '@tanstack/react-query'
import { Code, GitBranch, MessageSquare, NotebookPen, TextQuote } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import type { SearchHit } from '../../src/contract/conversations.ts'
import { rpc } from '../state/queries.ts'
import { openPath } from '../state/view.ts'
import { Dialog } from '../ui/dialog.tsx'
import styles from './search.module.css'

const icons = { title: NotebookPen, path: GitBranch, message: MessageSquare, code: Code, output: TextQuote } as const

/** Titles, paths, messages, code and outputs of every conversation. */
export default function Search({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const asked = useDeferredValue(text.trim())
  const { data: hits = [], isFetching } = useQuery({
    ...rpc.conversations.search.queryOptions({ input: { text: asked } }),
    enabled: asked.length > 1,
    staleTime: 0,
    placeholderData: before => before,
  })
  const open = (hit: SearchHit) => {
    openPath(hit.conversation, hit.path, hit.item)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} wide title="Search everything">
      <input
        className={styles.input}
        type="search"
        aria-label="Search for"
        placeholder="A word in a message, in code or in an output"
        value={text}
        autoFocus
        onChange={event => setText(event.target.value)}
        onKeyDown={event => event.key === 'Enter' && hits[0] && open(hits[0])}
      />
      <p role="status" className={styles.status}>
        {asked.length < 2
          ? 'Type two letters or more.'
          : isFetching
            ? 'Searching…'
            : hits.length === 0
              ? 'Nothing found.'
              : `${hits.length}${hits.length === 50 ? ' or more' : ''} found`}
      </p>
      <ul className={styles.hits}>
        {asked.length > 1 &&
          hits.map((hit, index) => {
            const Icon = icons[hit.where]
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two hits can lie in one item
              <li key={index}>
                <button type="button" onClick={() => open(hit)}>
                  <Icon aria-label={hit.where} />
                  <span className={styles.snippet}>{marked(hit)}</span>
                  <span className={styles.where}>
                    {hit.title} › {hit.pathName}
                  </span>
                </button>
              </li>
            )
          })}
      </ul>
    </Dialog>
  )
}

function marked({ snippet, marks }: SearchHit) {
  const parts = []
  let at = 0
  for (const [start, end] of marks) {
    parts.push(snippet.slice(at, start), <mark key={start}>{snippet.slice(start, end)}</mark>)
    at = end
  }
  return [...parts, snippet.slice(at)]
}
