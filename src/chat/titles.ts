import type { ChatModel, Provider } from '../contract/chat.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Desk } from './desk.ts'
import { requestStep } from './request.ts'
import type { TurnRow } from './store.ts'

const untitled = /^Untitled\b/

/** Names a conversation that nobody has named, by the model that has just answered in it. */
export async function nameConversation(
  desk: Desk,
  who: Caller,
  turn: TurnRow,
  by: { provider: Provider; model: ChatModel; signal: AbortSignal },
): Promise<void> {
  if (!desk.settings().titles) return
  const tree = await desk.conversations.tree(who, turn.conversation)
  if (!tree.ok || !untitled.test(tree.value.conversation.title)) return
  const asked = await desk.conversations.items(who, turn.path, [turn.question])
  const question = asked.ok ? asked.value[0]?.text : undefined
  if (!question) return
  const step = await requestStep(desk, {
    ...by,
    turn,
    purpose: 'title',
    prompt: [
      { role: 'system', content: 'Give the question a title of two to six words. Answer with the title alone.' },
      { role: 'user', content: [{ type: 'text', text: question.slice(0, 2000) }] },
    ],
    tools: [],
    outputTokens: 200,
  })
  const title = titleIn(step.text)
  if (step.problem || !title) return
  await desk.conversations.rename(who, { conversation: turn.conversation, title })
}

/** One short line, without the marks that models like to put around one. A title goes everywhere, so it keeps tokens out. */
export function titleIn(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  const bare = line
    .replace(/^(?:#+\s*|title:\s*)/i, '')
    .replace(/^["'“*_`]+|["'”*_`.]+$/g, '')
    .trim()
  return /\[[A-Z][A-Z0-9_]*_\d+\]/.test(bare) ? '' : bare.slice(0, 80)
}
