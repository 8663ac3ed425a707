import { RotateCcw } from 'lucide-react'
import { isUnderWay } from '../../src/contract/chat.ts'
import type { Message } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { settle } from '../notebook/typing.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { IconButton } from '../ui/button.tsx'
import styles from './answer.module.css'
import { askSeen, useChat, useChosenModel, useNewestTurn } from './state.ts'
import { unanswered } from './view.ts'

/** Under a question of before: why it has no whole answer. */
export function Unanswered({ path, message }: { path: PathId; message: Message }) {
  const why = useChat(path, ({ turns }) => {
    const asked = turns.findLast(turn => turn.question === message.id)
    const newest = turns.findLast(turn => turn.path === path)
    return asked && asked.id !== newest?.id ? unanswered(asked) : null
  })
  return why && <p className={styles.facts}>{why}</p>
}

/** Asks a question once more, as it reads now: after an edit this is "edit and resend". The answer before can be undone back. */
export function AskAgain({ path, message }: { path: PathId; message: Message }) {
  const asked = useChat(path, ({ turns }) => turns.findLast(turn => turn.question === message.id))
  const newest = useNewestTurn(path)
  const chosen = useChosenModel(state => state.model)
  if (!asked || (newest && isUnderWay(newest.state) && newest.state !== 'resting')) return null
  const again = async () => {
    await settle(path)
    await askSeen({ path, question: message.id, model: chosen ?? asked.model }, async each => {
      await client.chat.retry(each)
    })
  }
  return <IconButton label="Ask again" icon={<RotateCcw />} onClick={() => void again().catch(showProblem)} />
}
