import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { isAvailable, runCommand } from '../commands/commands.ts'
import styles from '../commands/palette.module.css'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { openPath } from '../state/view.ts'
import { createConversation, importNotebook, openSample } from './actions.ts'
import { ago } from './home.tsx'

/** All conversations by name, and the ways to begin another. */
export default function ConversationList({ onClose }: { onClose(): void }) {
  const { data = [] } = useQuery(rpc.conversations.list.queryOptions({ input: {} }))
  const choose = (act: () => unknown) => () => {
    onClose()
    Promise.resolve().then(act).catch(showProblem)
  }
  return (
    <Command.Dialog
      open
      onOpenChange={open => !open && onClose()}
      label="Conversations"
      overlayClassName={styles.overlay}
      contentClassName={styles.dialog}
      loop
    >
      <Command.Input className={styles.input} placeholder="Open a conversation…" />
      <Command.List className={styles.list}>
        <Command.Group heading="Conversations" className={styles.group}>
          {data.map(({ id, title, main, lastActivityAt }) => (
            <Command.Item
              key={id}
              value={`${title} ${id}`}
              className={styles.item}
              onSelect={choose(() => openPath(id, main))}
            >
              {title}
              <span className={styles.when}>{ago(lastActivityAt)}</span>
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group heading="Begin" className={styles.group} forceMount>
          <Command.Item className={styles.item} onSelect={choose(createConversation)}>
            New conversation
          </Command.Item>
          {isAvailable('conversation.rename') && (
            <Command.Item className={styles.item} onSelect={choose(() => runCommand('conversation.rename'))}>
              Rename this conversation…
            </Command.Item>
          )}
          <Command.Item className={styles.item} onSelect={choose(openSample)}>
            Open the sample conversation
          </Command.Item>
          <Command.Item className={styles.item} onSelect={choose(importNotebook)}>
            Import notebook…
          </Command.Item>
        </Command.Group>
      </Command.List>
    </Command.Dialog>
  )
}
