import type { z } from 'zod'
import { type ChatPreview, type PreviewRequest, toolNames } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Message } from '../contract/conversations.ts'
import { MessageId } from '../contract/ids.ts'
import { ok } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Privacy } from '../privacy/privacy.ts'
import { modelOf, tooLong } from './allowed.ts'
import { attach } from './attaching.ts'
import { type Desk, Refused } from './desk.ts'
import { noPlaceWords, placeWords } from './instructions.ts'
import type { PromptMessage } from './language-model.ts'
import { countTokens, maskPrompt } from './masking.ts'
import { allItems, contextOf } from './path.ts'
import { firstThatCouldFit, fitToWindow, roomIn } from './prompt.ts'

/** What would leave if this were asked now. Nothing leaves. */
export async function previewOf(
  desk: Desk,
  privacy: Pick<Privacy, 'dryRun'>,
  who: Caller,
  ref: PathRef,
  request: z.output<typeof PreviewRequest>,
): Promise<ChatPreview> {
  const { provider, model } = await modelOf(desk, who, { ...request.model, conversation: ref.conversation })
  const sandbox = await desk.sandboxFor(ref)
  const { items, question, asked } = await pathWith(desk, who, ref, request)
  const settings = desk.settings()
  const window = model.windowTokens ?? settings.windowTokens
  const outputTokens = Math.min(settings.outputTokens, Math.floor(window / 3))
  const context = await contextOf(desk, who, ref, {
    items,
    asked,
    environment: sandbox.ok ? placeWords(sandbox.value) : noPlaceWords,
    question: question.text,
    first: firstThatCouldFit(items, question.id, roomIn(window, outputTokens)),
  })
  const fitted = fitToWindow(context, question.id, window, outputTokens)
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

/** The path as it would be when the model is asked: what an answer before has put behind the question is gone then. */
async function pathWith(desk: Desk, who: Caller, ref: PathRef, request: z.output<typeof PreviewRequest>) {
  const items = await allItems(desk, who, ref)
  if ('question' in request) {
    const at = items.findIndex(({ id }) => id === request.question)
    const question = items[at]
    if (!question) throw new Refused({ code: 'not-found', message: 'This question is gone.', hint: 'Ask anew.' })
    return { items: items.slice(0, at + 1), question, asked: null }
  }
  const parts = await attach(desk, who, ref, request.attachments)
  const item: Message = {
    ...{ kind: 'message', author: 'analyst', text: request.text, id: desk.ids.make(MessageId) },
    ...{ revision: 0, inherited: false, changedAt: desk.clock.now() },
  }
  return { items: [...items, item], question: item, asked: { item, parts } }
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
