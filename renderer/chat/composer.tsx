import { useQuery } from '@tanstack/react-query'
import {
  Calculator,
  Check,
  ChevronDown,
  Lock,
  LockOpen,
  MessageSquareText,
  Paperclip,
  Play,
  Plus,
  Send,
  Square,
  X,
} from 'lucide-react'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { type AskRequest, isUnderWay, type ModelRef } from '../../src/contract/chat.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { type Language, languages } from '../../src/contract/run.ts'
import { runCommand, useCommand } from '../commands/commands.ts'
import { expectNoEditor } from '../editor/type-ahead.ts'
import { chooseFile, upload } from '../home/upload.ts'
import { insertCell, insertItem, select } from '../notebook/actions.ts'
import { openSettings } from '../settings/section.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { setView } from '../state/view.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import styles from './composer.module.css'
import { Unseen } from './preview.tsx'
import {
  askSeen,
  prepareToAsk,
  setConfidential,
  useAsked,
  useChat,
  useChosenModel,
  useNewestTurn,
  useProviders,
} from './state.ts'
import { TurnBar } from './turn.tsx'

/** Messages stand above it, never over its buttons, however many rows it has. */
function useMessagesAbove(composer: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const place = () =>
      document.body.style.setProperty('--composer-height', `${composer.current?.getBoundingClientRect().height ?? 0}px`)
    const resized = new ResizeObserver(place)
    if (composer.current) resized.observe(composer.current)
    return () => resized.disconnect()
  }, [composer])
}

/** The end of the page: ask, write a note, run code by hand, or add a cell. */
export function Composer({ conversation, path }: { conversation: ConversationId; path: PathId }) {
  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly string[]>([])
  const model = useModel()
  const newest = useNewestTurn(path)
  const box = useRef<HTMLTextAreaElement>(null)
  useCommand('chat.ask', () => {
    // An editor that is still on its way would take what is typed here.
    expectNoEditor()
    setView({ editing: false })
    box.current?.focus()
  })
  useCommand('chat.models', () => openSettings('models'))
  const busy = newest && isUnderWay(newest.state) && newest.state !== 'resting' ? newest : null

  /** What was written must not be lost because it could not be sent. */
  const sending = (said: string, send: () => Promise<unknown>) => {
    setText('')
    void send().catch(error => {
      setText(now => now || said)
      showProblem(error)
    })
  }
  const note = () =>
    sending(text, () => insertItem(path, undefined, { kind: 'message', author: 'analyst', text: text.trim() }))
  const ask = (request: AskRequest) =>
    sending(request.text, async () => {
      const isSent = await askSeen(request, async each => {
        const { question } = await client.chat.ask(each)
        useAsked.setState({ question })
        // Whoever asks has left the cell: an editor that opens again would take the page back to it.
        setView({ editing: false })
        setText(now => (now === request.text ? '' : now))
        setFiles([])
      })
      if (!isSent) setText(request.text)
    })
  const send = () => {
    const said = text.trim()
    if (!said || busy) return
    if (model) ask({ path, text: said, model, attachments: [...files] })
    else note()
  }
  const runCode = (language: Language) =>
    sending(text, async () => {
      const { cell } = await client.chat.forceTool({ tool: 'run_code', path, language, code: text })
      select(cell)
    })
  const composer = useRef<HTMLDivElement>(null)
  useMessagesAbove(composer)
  return (
    <div ref={composer} className={styles.composer}>
      <TurnBar path={path} />
      <div className={styles.inner}>
        <textarea
          ref={box}
          aria-label="Write a question or a note"
          placeholder={model ? 'Ask a question…' : 'Write a question or a note…'}
          value={text}
          onChange={event => {
            setText(event.target.value)
            if (model) prepareToAsk(path)
          }}
          onKeyDown={event => {
            if (event.key === 'Escape' && busy) runCommand('chat.stop')
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            event.stopPropagation()
            send()
          }}
        />
        {busy ? (
          <Button icon={<Square />} onClick={() => runCommand('chat.stop')}>
            Stop
          </Button>
        ) : (
          model && (
            <Button look="primary" icon={<Send />} disabled={!text.trim()} onClick={send}>
              Ask
            </Button>
          )
        )}
        <Button icon={<MessageSquareText />} disabled={!text.trim()} onClick={note}>
          Add note
        </Button>
        <span className={styles.split}>
          <Button
            look={model ? 'plain' : 'primary'}
            icon={<Plus />}
            onClick={() => void insertCell(path, undefined).catch(showProblem)}
          >
            Cell
          </Button>
          <Menu
            trigger={
              <Button look={model ? 'plain' : 'primary'} aria-label="Cell of another language" className={styles.more}>
                <ChevronDown aria-hidden />
              </Button>
            }
            items={[...languages, 'markdown'].map(language => ({
              label: language,
              onSelect: () => void insertCell(path, undefined, language).catch(showProblem),
            }))}
          />
        </span>
      </div>
      <div className={styles.tools}>
        <ModelPicker chosen={model} />
        {model && <Attach path={path} onAttached={file => setFiles([...files, file])} />}
        {files.map(file => (
          <span key={file} className={styles.file}>
            {file}
            <IconButton
              label={`Do not attach ${file}`}
              icon={<X />}
              onClick={() => setFiles(files.filter(each => each !== file))}
            />
          </span>
        ))}
        <Menu
          trigger={
            <button type="button" className={styles.tool} disabled={!text.trim()}>
              <Play aria-hidden /> Run code
            </button>
          }
          items={languages.map(language => ({ label: `Run as ${language}`, onSelect: () => runCode(language) }))}
        />
        <button type="button" className={styles.tool} onClick={() => setView({ place: 'analyses' })}>
          <Calculator aria-hidden /> Run analysis
        </button>
        <Confidential conversation={conversation} path={path} />
        <span className={styles.space} />
        <Costs conversation={conversation} shown={model !== null} />
      </div>
      <Unseen />
    </div>
  )
}

/** The model that the next question goes to: the one chosen last, or the first there is. */
function useModel(): ModelRef | null {
  const providers = useProviders()
  const { model } = useChosenModel()
  const isThere = providers.some(
    each => each.id === model?.provider && each.models.some(({ id }) => id === model.model),
  )
  if (model && isThere) return model
  const first = providers.find(each => each.models.length > 0)
  return first?.models[0] ? { provider: first.id, model: first.models[0].id } : null
}

function ModelPicker({ chosen }: { chosen: ModelRef | null }) {
  const providers = useProviders()
  if (!chosen)
    return (
      <span className={styles.none}>
        No model is connected.{' '}
        <button type="button" onClick={() => openSettings('models')}>
          Connect a model…
        </button>
      </span>
    )
  const name = providers.find(each => each.id === chosen.provider)?.name ?? ''
  return (
    <Menu
      trigger={
        <button type="button" className={styles.tool} title="The model that is asked">
          {chosen.model} <span>{name}</span> <ChevronDown aria-hidden />
        </button>
      }
      items={[
        ...providers.flatMap(provider =>
          provider.models.map(({ id }) => ({
            icon: id === chosen.model && provider.id === chosen.provider && <Check aria-label="chosen" />,
            label: `${id} · ${provider.name}`,
            onSelect: () => useChosenModel.setState({ model: { provider: provider.id, model: id } }),
          })),
        ),
        'line' as const,
        { label: 'Set up models…', onSelect: () => openSettings('models') },
      ]}
    />
  )
}

function Attach({ path, onAttached }: { path: PathId; onAttached(file: string): void }) {
  const attach = async () => {
    const file = await chooseFile('')
    if (!file) return
    await client.sandbox.writeFile({ path, file: file.name, upload: await upload(file) })
    onAttached(file.name)
  }
  return (
    <button type="button" className={styles.tool} onClick={() => void attach().catch(showProblem)}>
      <Paperclip aria-hidden /> Attach
    </button>
  )
}

/** Which models may see a conversation that is marked so is for the policy to say. */
function Confidential({ conversation, path }: { conversation: ConversationId; path: PathId }) {
  const confidential = useChat(path, chat => chat.confidential) ?? false
  return (
    <button
      type="button"
      className={styles.tool}
      aria-pressed={confidential}
      title={
        confidential
          ? 'Only the models that the policy allows for confidential conversations see this one'
          : 'Keep this conversation from models that the policy does not allow for confidential ones'
      }
      onClick={() => void setConfidential(path, conversation, !confidential).catch(showProblem)}
    >
      {confidential ? <Lock aria-hidden /> : <LockOpen aria-hidden />} Confidential
    </button>
  )
}

function Costs({ conversation, shown }: { conversation: ConversationId; shown: boolean }) {
  const spending = useQuery({ ...rpc.chat.spending.queryOptions({ input: conversation }), enabled: shown }).data
  if (!shown || !spending) return null
  const [warning] = spending.warnings
  return (
    <span
      className={warning ? styles.near : styles.cost}
      title={`Today: $${spending.day.cost.toFixed(2)} of $${spending.day.costLimit.toFixed(2)}`}
    >
      {warning ??
        [costWords(spending.conversation.cost), `${spending.conversation.tokens.toLocaleString('en')} tokens`]
          .filter(Boolean)
          .join(' · ')}
    </span>
  )
}

const costWords = (cost: number): string => (cost === 0 ? '' : cost < 0.01 ? 'under $0.01' : `$${cost.toFixed(2)}`)
