import { Bot, Cog, EyeOff, GitBranch, Pencil, UserRound } from 'lucide-react'
import { memo, useRef, useState } from 'react'
import type { Message } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { Answer } from '../chat/answer.tsx'
import { AskAgain, Unanswered } from '../chat/ask-again.tsx'
import { runCommand } from '../commands/commands.ts'
import { MarkdownText } from '../output/markdown.tsx'
import { showProblem } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { select } from './actions.ts'
import { useDropTarget } from './drag.ts'
import { useFollowFocus } from './follow-focus.ts'
import styles from './message.module.css'
import { outputActions } from './output-actions.ts'
import { settle, typed } from './typing.ts'

const icons = { analyst: UserRound, assistant: Bot, system: Cog } as const

interface MessageProps {
  readonly path: PathId
  readonly message: Message
  readonly place: number
  readonly selected: boolean
  readonly editing: boolean
  readonly readOnly: boolean
}

/** What somebody said. */
export const MessageView = memo(function MessageView({
  path,
  message,
  place,
  selected,
  editing,
  readOnly,
}: MessageProps) {
  const Icon = icons[message.author]
  const drop = useDropTarget(path, message.id)
  const box = useRef<HTMLElement>(null)
  useFollowFocus(box, selected, editing)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard selects items by its own commands
    <article
      ref={box}
      className={[styles.message, selected && styles.selected, styles[message.author], drop.mark]
        .filter(Boolean)
        .join(' ')}
      aria-label={`Message ${place}, by the ${message.author}`}
      data-item
      tabIndex={selected ? 0 : -1}
      // As it is by now: a button in it may have selected it already, to be edited.
      onClick={() => useView.getState().selected !== message.id && select(message.id)}
      {...drop.handlers}
    >
      <span className={styles.who} title={message.author}>
        <Icon aria-hidden />
      </span>
      <div className={styles.text}>
        {editing ? <Editor path={path} message={message} /> : <Said path={path} message={message} />}
      </div>
      <span className={styles.tools}>
        {!readOnly && message.author === 'analyst' && <AskAgain path={path} message={message} />}
        {!readOnly && (
          <IconButton label="Edit" keys="Enter" icon={<Pencil />} onClick={() => select(message.id, true)} />
        )}
        <IconButton
          label="What would be sent"
          icon={<EyeOff />}
          onClick={() => {
            select(message.id)
            runCommand('privacy.sending')
          }}
        />
        <IconButton
          label="Branch from here"
          keys="Mod+Shift+B"
          icon={<GitBranch />}
          onClick={() => {
            select(message.id)
            runCommand('path.branch')
          }}
        />
      </span>
    </article>
  )
})

function Said({ path, message }: { path: PathId; message: Message }) {
  if (message.author === 'assistant') return <Answer path={path} message={message} />
  return (
    <>
      <MarkdownText text={message.text} actions={outputActions(path, message.id as never)} />
      <Unanswered path={path} message={message} />
    </>
  )
}

function Editor({ path, message }: { path: PathId; message: Message }) {
  const [text, setText] = useState(message.text)
  const done = () => {
    void settle(path).catch(showProblem)
    select(message.id)
  }
  return (
    <div className={styles.editor}>
      <textarea
        aria-label="Message"
        value={text}
        rows={Math.min(20, text.split('\n').length + 1)}
        ref={element => element?.focus()}
        onChange={event => {
          setText(event.target.value)
          typed(path, message, event.target.value)
        }}
        onKeyDown={event => {
          if (event.key !== 'Escape' && !(event.key === 'Enter' && (event.ctrlKey || event.metaKey))) return
          event.preventDefault()
          event.stopPropagation()
          done()
        }}
      />
      <Button onClick={done}>Done</Button>
    </div>
  )
}
