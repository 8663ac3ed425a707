import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client, problemFrom } from '../state/connection.ts'
import { Button } from '../ui/button.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import { configOf, emptyForm, type ServerForm } from './form.ts'
import styles from './mcp.module.css'

/** Adds a server by form, or by what another client keeps. Nothing is started by that. */
export function Add({ onAdded }: { onAdded(server: string): void }) {
  const [kind, setKind] = useState<'process' | 'http' | 'paste'>('process')
  const [form, setForm] = useState<ServerForm>(emptyForm)
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: () =>
      kind === 'paste'
        ? client.mcp.paste({ text })
        : client.mcp.add({ server: form.name.trim(), config: configOf(kind, form) }),
    onSuccess: ({ added }) => added[0] && onAdded(added[0]),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  const field = (name: keyof ServerForm & string) => ({
    value: String(form[name]),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  })
  const problem = add.error ? problemFrom(add.error) : null
  return (
    <form className={styles.view} onSubmit={submit}>
      <header>
        <div>
          <h2>Add a server</h2>
          <p>Its tools can be called once you have looked at them and accepted them.</p>
        </div>
        <Segmented
          label="Kind of server"
          value={kind}
          choices={[
            { value: 'process', label: 'A program' },
            { value: 'http', label: 'An address' },
            { value: 'paste', label: 'Paste JSON' },
          ]}
          onChange={setKind}
        />
      </header>
      {kind === 'paste' ? (
        <label>
          <span>Configuration of another client</span>
          <textarea
            className={styles.code}
            rows={12}
            spellCheck={false}
            placeholder={'{ "mcpServers": { "ledger": { "command": "npx", "args": ["-y", "…"] } } }'}
            value={text}
            onChange={event => setText(event.target.value)}
          />
        </label>
      ) : (
        <>
          <label>
            <span>Name</span>
            <input required pattern="[a-z][a-z0-9_-]{0,31}" placeholder="ledger" {...field('name')} />
            <small>Small letters, digits, - and _. Code calls its tools by this name.</small>
          </label>
          {kind === 'process' ? (
            <label>
              <span>Command</span>
              <input
                required
                className={styles.code}
                placeholder="npx -y @example/server /data"
                {...field('command')}
              />
              <small>As you would type it in a terminal; words with blanks in quotes.</small>
            </label>
          ) : (
            <label>
              <span>Address</span>
              <input
                required
                type="url"
                className={styles.code}
                placeholder="https://example.org/mcp"
                {...field('url')}
              />
            </label>
          )}
          <label>
            <span>{kind === 'process' ? 'Environment' : 'Headers'}</span>
            <textarea
              className={styles.code}
              rows={3}
              spellCheck={false}
              placeholder={kind === 'process' ? 'API_KEY=…' : 'Authorization: Bearer …'}
              {...field('secrets')}
            />
            <small>One to a line. The values are kept by the key store of this system, not in a file.</small>
          </label>
          {kind === 'http' && (
            <details>
              <summary>A client registered for the log-in</summary>
              <label>
                <span>Client id</span>
                <input className={styles.code} {...field('clientId')} />
                <small>Only where this application may not register itself.</small>
              </label>
              <label>
                <span>Client secret</span>
                <input type="password" autoComplete="off" className={styles.code} {...field('clientSecret')} />
                <small>If it has one. Kept by the key store of this system.</small>
              </label>
            </details>
          )}
          {kind === 'process' && (
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={form.network}
                onChange={event => setForm({ ...form, network: event.target.checked })}
              />
              <span>May use the network</span>
            </label>
          )}
        </>
      )}
      {problem && (
        <p role="alert" className={styles.problem}>
          <Words text={sentencesOf(problem)} />
        </p>
      )}
      <p>
        <Button look="primary" type="submit" busy={add.isPending}>
          Add
        </Button>
      </p>
    </form>
  )
}
