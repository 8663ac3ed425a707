import { useMutation, useQuery } from '@tanstack/react-query'
import { Bot, Plug, Plus, Radar, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ChatModel, Provider, ProviderKind, SaveProvider } from '../../../src/contract/chat.ts'
import { client, problemFrom } from '../../state/connection.ts'
import { queryClient, rpc } from '../../state/queries.ts'
import { showProblem, showToast } from '../../state/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { sentencesOf, Words } from '../../ui/words.tsx'
import { Ledger } from './ledger.tsx'
import styles from './models.module.css'

const usual: Record<ProviderKind, { title: string; baseUrl: string; key: string }> = {
  anthropic: { title: 'Anthropic', baseUrl: 'https://api.anthropic.com/v1', key: 'sk-ant-…' },
  openai: { title: 'OpenAI', baseUrl: 'https://api.openai.com/v1', key: 'sk-…' },
  compatible: { title: 'OpenAI-compatible', baseUrl: 'http://127.0.0.1:11434/v1', key: 'empty where none is needed' },
}

/** Which models there are: providers with their keys, servers of this machine, and every request that was made. */
export function Models() {
  const providers = useQuery(rpc.chat.providers.queryOptions())
  const [adding, setAdding] = useState<ProviderKind | null>(null)
  if (!providers.data) return <Loading />
  return (
    <div className={styles.models}>
      <p className={styles.lead}>
        Keys are kept by the key store of this system. What is sent passes the privacy guard first; which providers may
        be used at all, the policy says.
      </p>
      {providers.data.length === 0 && !adding && (
        <Empty icon={<Bot />} small title="No model is connected">
          <p>Add a provider with its key, or look for a model server on this machine.</p>
        </Empty>
      )}
      {providers.data.map(provider => (
        <ProviderCard key={provider.id} provider={provider} />
      ))}
      {adding && <NewProvider kind={adding} onDone={() => setAdding(null)} />}
      <div className={styles.add}>
        {(Object.keys(usual) as ProviderKind[]).map(kind => (
          <Button key={kind} icon={<Plus />} onClick={() => setAdding(kind)}>
            {usual[kind].title}
          </Button>
        ))}
        <FindServers />
      </div>
      <Ledger />
    </div>
  )
}

function ProviderCard({ provider }: { provider: Provider }) {
  const [key, setKey] = useState('')
  const save = (change: Partial<SaveProvider>) => {
    const { id, kind, name, baseUrl, models } = provider
    return client.chat.saveProvider({ id, kind, name, baseUrl, models, ...change })
  }
  const check = useMutation({
    mutationFn: async () => {
      if (key) await save({ key })
      setKey('')
      const { models } = await client.chat.checkProvider(provider.id)
      await save({ models: withKnown(models, provider.models) })
      return models.length
    },
    onSuccess: count => showToast({ kind: 'good', text: `${provider.name} answers and has ${count} models.` }),
  })
  const problem = check.error ? problemFrom(check.error) : null
  return (
    <section className={styles.card} aria-label={provider.name}>
      <header>
        <h3>{provider.name}</h3>
        <span className={styles.where}>
          {provider.baseUrl} · {provider.local ? 'on this machine' : 'leaves this machine'}
        </span>
        <IconButton
          label={`Remove ${provider.name}`}
          icon={<Trash2 />}
          onClick={() => void client.chat.removeProvider(provider.id).catch(showProblem)}
        />
      </header>
      <div className={styles.row}>
        <input
          type="password"
          autoComplete="off"
          aria-label={`Key of ${provider.name}`}
          placeholder={provider.hasKey ? 'A key is kept. Type to replace it' : usual[provider.kind].key}
          value={key}
          onChange={event => setKey(event.target.value)}
          onKeyDown={event => event.key === 'Enter' && check.mutate()}
        />
        <Button icon={<Plug />} busy={check.isPending} onClick={() => check.mutate()}>
          {key ? 'Save and test' : 'Test'}
        </Button>
      </div>
      {problem && (
        <p role="alert" className={styles.problem}>
          <Words text={sentencesOf(problem)} />
        </p>
      )}
      <ModelList provider={provider} onChange={models => void save({ models }).catch(showProblem)} />
    </section>
  )
}

/** What a person corrected about a model stays when the list is fetched again. */
const withKnown = (listed: readonly ChatModel[], known: readonly ChatModel[]): ChatModel[] =>
  listed.map(model => known.find(({ id }) => id === model.id) ?? model).slice(0, 500)

function ModelList({ provider, onChange }: { provider: Provider; onChange(models: ChatModel[]): void }) {
  const { models } = provider
  if (models.length === 0) return <p className={styles.where}>Test it to see its models.</p>
  const change = (id: string, part: Partial<ChatModel>) =>
    onChange(models.map(model => (model.id === id ? { ...model, ...part } : model)))
  return (
    <details>
      <summary>{models.length === 1 ? '1 model' : `${models.length} models`}</summary>
      <table className={styles.list}>
        <thead>
          <tr>
            <th>Model</th>
            <th>Window, tokens</th>
            <th>$ in, per million</th>
            <th>$ out, per million</th>
            <th>
              <span className="visually-hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ id, windowTokens, price }) => (
            <tr key={id}>
              <td>{id}</td>
              <td>
                <Figure
                  label={`Window of ${id}`}
                  value={windowTokens}
                  onChange={value => change(id, { windowTokens: value && Math.round(value) })}
                />
              </td>
              <td>
                <Figure
                  label={`Input price of ${id}`}
                  value={price?.input ?? null}
                  onChange={value =>
                    change(id, { price: value === null ? null : { input: value, output: price?.output ?? 0 } })
                  }
                />
              </td>
              <td>
                <Figure
                  label={`Output price of ${id}`}
                  value={price?.output ?? null}
                  onChange={value =>
                    change(id, { price: value === null ? null : { output: value, input: price?.input ?? 0 } })
                  }
                />
              </td>
              <td>
                <IconButton
                  label={`Hide ${id}`}
                  icon={<Trash2 />}
                  onClick={() => onChange(models.filter(each => each.id !== id))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function Figure({
  label,
  value,
  onChange,
}: {
  label: string
  value: number | null
  onChange(value: number | null): void
}) {
  return (
    <input
      type="number"
      aria-label={label}
      min={0}
      defaultValue={value ?? ''}
      placeholder="unknown"
      onBlur={event => {
        const next = event.target.value === '' ? null : Number(event.target.value)
        if (next !== value) onChange(next)
      }}
    />
  )
}

function NewProvider({ kind, onDone }: { kind: ProviderKind; onDone(): void }) {
  const [name, setName] = useState(usual[kind].title)
  const [baseUrl, setBaseUrl] = useState(usual[kind].baseUrl)
  const [key, setKey] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const made = await client.chat.saveProvider({ kind, name, baseUrl, models: [], ...(key ? { key } : {}) })
      await queryClient.invalidateQueries({ queryKey: rpc.chat.providers.key() })
      onDone()
      const { models } = await client.chat.checkProvider(made.id)
      const { id } = made
      await client.chat.saveProvider({ id, kind, name, baseUrl, models: models.slice(0, 500) })
    },
    onError: showProblem,
  })
  return (
    <form
      className={styles.card}
      aria-label={`New ${usual[kind].title} provider`}
      onSubmit={event => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <label>
        Name <input value={name} onChange={event => setName(event.target.value)} />
      </label>
      <label>
        Address <input type="url" value={baseUrl} onChange={event => setBaseUrl(event.target.value)} />
      </label>
      <label>
        Key{' '}
        <input
          type="password"
          autoComplete="off"
          placeholder={usual[kind].key}
          value={key}
          onChange={event => setKey(event.target.value)}
        />
      </label>
      <div className={styles.row}>
        <Button look="primary" type="submit" busy={add.isPending}>
          Connect
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}

function FindServers() {
  const find = useMutation({
    mutationFn: async () => {
      const servers = await client.chat.findServers()
      const known = await client.chat.providers()
      for (const { name, baseUrl, models } of servers)
        if (!known.some(each => each.baseUrl === baseUrl))
          await client.chat.saveProvider({ kind: 'compatible', name, baseUrl, models })
      return servers
    },
    onSuccess: servers =>
      showToast({
        kind: servers.length > 0 ? 'good' : 'info',
        text:
          servers.length > 0
            ? `Found ${servers.map(({ name }) => name).join(', ')}.`
            : 'No model server answers on the usual ports (Ollama 11434, LM Studio 1234, vLLM 8000, llama.cpp 8080).',
      }),
    onError: showProblem,
  })
  return (
    <Button icon={<Radar />} busy={find.isPending} onClick={() => find.mutate()}>
      Look on this machine
    </Button>
  )
}
