import type { z } from 'zod'
import { type AskRequest, type ChatPreview, toolNames } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import { MessageId } from '../contract/ids.ts'
import { ok } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Privacy } from '../privacy/privacy.ts'
import { modelOf, tooLong } from './allowed.ts'
import { attach } from './attaching.ts'
import { type Desk, Refused } from './desk.ts'
import { placeWords } from './instructions.ts'
import type { PromptMessage } from './language-model.ts'
import { countTokens, maskPrompt } from './masking.ts'
import { allItems, contextOf } from './path.ts'
import { firstThatCouldFit, fitToWindow, type Piece, roomIn } from './prompt.ts'

/** What would leave if this were asked now. Nothing leaves. */
export async function previewOf(
  desk: Desk,
  privacy: Pick<Privacy, 'dryRun'>,
  who: Caller,
  ref: PathRef,
  { text, model: asked, attachments }: z.infer<typeof AskRequest>,
): Promise<ChatPreview> {
  const { provider, model } = await modelOf(desk, who, { ...asked, conversation: ref.conversation })
  const sandbox = await desk.sandboxFor(ref)
  const items = await allItems(desk, who, ref)
  const settings = desk.settings()
  const window = model.windowTokens ?? settings.windowTokens
  const outputTokens = Math.min(settings.outputTokens, window / 3)
  const question = desk.ids.make(MessageId)
  const context = await contextOf(desk, who, ref, {
    items,
    environment: sandbox.ok ? placeWords(sandbox.value) : 'none',
    question: text,
    first: firstThatCouldFit(items, question, roomIn(window, outputTokens)),
  })
  const files = await attach(desk, who, ref, attachments)
  const said = [text, ...files.flatMap(part => (part.kind === 'attachment' ? [part.excerpt] : []))].join('\n\n')
  const piece: Piece = {
    item: question,
    messages: [{ role: 'user', content: [{ type: 'text', text: said }] }],
    chars: said.length,
  }
  const fitted = fitToWindow({ ...context, pieces: [...context.pieces, piece] }, question, window, outputTokens)
  if (!fitted) throw new Refused(tooLong(model.id, window))
  const prompt = await maskPrompt(fitted.prompt, async texts => ok(await privacy.dryRun(ref.conversation, texts)))
  return {
    to: `${provider.name} (${new URL(provider.baseUrl).host}), ${model.id}`,
    local: provider.local,
    messages: prompt.map(message => ({ role: message.role, text: textIn(message) })),
    tools: sandbox.ok ? [...toolNames] : [],
    counts: countTokens(prompt),
    leftOut: fitted.leftOut,
    estimatedTokens: fitted.estimatedTokens,
  }
}

function textIn(message: PromptMessage): string {
  if (message.role === 'system') return message.content
  return message.content
    .map(part => {
      if (part.type === 'text') return part.text
      if (part.type === 'tool-call') return `${part.toolName} ${JSON.stringify(part.input)}`
      if (part.type === 'tool-result' && 'value' in part.output) return String(part.output.value)
      return ''
    })
    .join('\n')
}
