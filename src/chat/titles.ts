import { plainName } from '../contract/plain-name.ts'
import type { Caller } from '../conversations/conversations.ts'
import { limitMet, modelOf, readSpending } from './allowed.ts'
import type { Desk } from './desk.ts'
import { requestStep } from './request.ts'
import type { TurnRow } from './store.ts'

const untitled = /^Untitled\b/

/** Names a conversation that nobody has named, by the model that has just answered in it. */
export async function nameConversation(desk: Desk, who: Caller, turn: TurnRow, signal: AbortSignal): Promise<void> {
  if (!desk.settings().titles) return
  const tree = await desk.conversations.tree(who, turn.conversation)
  if (!tree.ok || !untitled.test(tree.value.conversation.title)) return
  const asked = await desk.conversations.items(who, turn.path, [turn.question])
  const question = asked.ok ? asked.value[0]?.text : undefined
  if (!question) return
  // Asked again: limits, policy and the conversation itself may have changed since the question was allowed.
  if (limitMet(await readSpending(desk, turn.tenant, turn.conversation))) return
  const answering = await modelOf(desk, who, turn)
  // Cut after it was masked: half of a value is one that nobody recognises.
  const beginning = (await desk.privacy.forRecord(turn.conversation, question)).slice(0, 2000)
  const step = await requestStep(desk, {
    ...answering,
    signal,
    turn,
    purpose: 'title',
    prompt: [
      { role: 'system', content: 'Give the question a title of two to six words. Answer with the title alone.' },
      { role: 'user', content: [{ type: 'text', text: beginning }] },
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
  return /\[[A-Z][A-Z0-9_]*_\d+\]/.test(bare) ? '' : plainName(bare.slice(0, 80))
}
