import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConversationId } from '../../src/contract/ids.ts'
import { useCommand } from '../commands/commands.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './rename-dialog.module.css'

/** Gives the conversation that is open another title. */
export function RenameConversation({ conversation }: { conversation: ConversationId }) {
  const [asking, setAsking] = useState(false)
  useCommand('conversation.rename', () => setAsking(true))
  const { data } = useQuery(rpc.conversations.tree.queryOptions({ input: conversation }))
  return asking && data ? (
    <Rename conversation={conversation} title={data.conversation.title} onClose={() => setAsking(false)} />
  ) : null
}

interface RenameProps {
  readonly conversation: ConversationId
  readonly title: string
  onClose(): void
}

function Rename({ conversation, title, onClose }: RenameProps) {
  const [text, setText] = useState(title)
  const rename = () => {
    onClose()
    if (!text.trim() || text.trim() === title) return
    client.conversations
      .rename({ conversation, title: text.trim() })
      .then(() => queryClient.invalidateQueries({ queryKey: rpc.conversations.key() }))
      .catch(showProblem)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename conversation"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!text.trim()} onClick={rename}>
            Rename
          </Button>
        </>
      }
    >
      <input
        className={styles.title}
        aria-label="Title"
        maxLength={200}
        value={text}
        onFocus={event => event.target.select()}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => event.key === 'Enter' && rename()}
      />
    </Dialog>
  )
}
