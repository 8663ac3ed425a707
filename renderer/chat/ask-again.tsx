import { RotateCcw } from 'lucide-react'
import { isUnderWay } from '../../src/contract/chat.ts'
import type { Message } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { settle } from '../notebook/typing.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { IconButton } from '../ui/button.tsx'
import { useChat, useChosenModel, useNewestTurn } from './state.ts'

/** Asks a question once more, as it reads now: after an edit this is "edit and resend". The answer before can be undone back. */
export function AskAgain({ path, message }: { path: PathId; message: Message }) {
  const asked = useChat(path, ({ turns }) => turns.findLast(turn => turn.question === message.id))
  const newest = useNewestTurn(path)
  const chosen = useChosenModel(state => state.model)
  if (!asked || (newest && isUnderWay(newest.state) && newest.state !== 'resting')) return null
  const again = async () => {
    await settle(path)
    await client.chat.retry({ path, question: message.id, model: chosen ?? asked.model, seen: true })
  }
  return <IconButton label="Ask again" icon={<RotateCcw />} onClick={() => void again().catch(showProblem)} />
}
