import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { visible } from '../../src/contract/visible.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import styles from './mcp.module.css'
import { effectWords } from './words.ts'

/** The five accepted tools that fit what somebody wants to do. */
export function FindTool({ onOpen }: { onOpen(server: string): void }) {
  const [intent, setIntent] = useState('')
  const search = useMutation({ mutationFn: () => client.mcp.search({ intent }), onError: showProblem })
  return (
    <section className={styles.view} aria-label="Find a tool">
      <header>
        <div>
          <h2>Find a tool</h2>
          <p>Say what you want to do. Assistants and cells find tools the same way.</p>
        </div>
      </header>
      <form
        className={styles.row}
        onSubmit={event => {
          event.preventDefault()
          search.mutate()
        }}
      >
        <input
          aria-label="What you want to do"
          required
          maxLength={2000}
          placeholder="which invoices are overdue"
          value={intent}
          onChange={event => setIntent(event.target.value)}
        />
        <Button look="primary" type="submit" busy={search.isPending}>
          Find
        </Button>
      </form>
      {search.data && (
        <p className={styles.soft} role="status">
          {search.data.found.length} of {search.data.searched} accepted tools, in {search.data.durationMs} ms, by{' '}
          {search.data.model ? 'words and meaning' : 'words alone'}.
        </p>
      )}
      <ol className={styles.tools}>
        {search.data?.found.map(({ server, name, description, effect, words, meaning }) => (
          <li key={`${server} ${name}`}>
            <header>
              <code>
                {server}.{name}
              </code>
              <span className={styles.soft}>
                {effectWords[effect]} · {words ? `${words}. by words` : 'no word in common'}
                {meaning ? `, ${meaning}. by meaning` : ''}
              </span>
              <Button look="quiet" onClick={() => onOpen(server)}>
                Open {server}
              </Button>
            </header>
            <p className={styles.text}>{visible(description)}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
