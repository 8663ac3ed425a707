import { RotateCcw } from 'lucide-react'
import { isUnderWay } from '../../src/contract/chat.ts'
import type { Message } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { settle } from '../notebook/typing.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { IconButton } from '../ui/button.tsx'
import { useChat, useChosenModel } from './state.ts'

/** Asks a question once more, as it reads now: after an edit this is "edit and resend". The answer before can be undone back. */
export function AskAgain({ path, message }: { path: PathId; message: Message }) {
  const turns = useChat(path).data?.turns ?? []
  const chosen = useChosenModel(state => state.model)
  const asked = turns.findLast(turn => turn.question === message.id)
  if (!asked || turns.some(turn => isUnderWay(turn.state) && turn.state !== 'resting')) return null
  const again = async () => {
    await settle(path)
    await client.chat.retry({ path, question: message.id, model: chosen ?? asked.model, seen: true })
  }
  return <IconButton label="Ask again" icon={<RotateCcw />} onClick={() => void again().catch(showProblem)} />
}
