import type { CountsByType } from '../contract/privacy.ts'
import { Failure, type Outcome } from '../contract/problem.ts'
import type { Passed } from '../privacy/privacy.ts'
import type { CallOptions, LanguageModel, Prompt, PromptMessage } from './language-model.ts'

/** Sends texts through the egress guard for the destination `model`: tokens in the place of values. */
export type PassToModel = (texts: readonly unknown[]) => Promise<Outcome<Passed<readonly unknown[]>>>

/**
 * The same model, behind the egress guard. Whatever is asked of it, by whichever step, has passed; what it answers keeps
 * its tokens, since what is stored, compared and approved must hold no values.
 */
export function maskedModel(model: LanguageModel, pass: PassToModel): LanguageModel {
  const masked = async (options: CallOptions): Promise<CallOptions> => ({
    ...options,
    prompt: await maskPrompt(options.prompt, pass),
  })
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    // None: nothing is ever fetched for a model in this process.
    supportedUrls: {},
    doStream: async options => model.doStream(await masked(options)),
    doGenerate: async options => model.doGenerate(await masked(options)),
  }
}

/** Each text of a prompt, in order, is taken out, passed and put back. A part that is not text does not leave. */
export async function maskPrompt(prompt: Prompt, pass: PassToModel): Promise<Prompt> {
  const texts: unknown[] = []
  visit(prompt, text => {
    texts.push(text)
    return text
  })
  const passed = await pass(texts)
  if (!passed.ok) throw new Failure(passed.problem.code, passed.problem.message, passed.problem.hint)
  const list = passed.value.value
  let at = 0
  return visit(prompt, () => wellFormed(list[at++]))
}

/** Half of a character, where a text was cut or a program printed one, is no JSON to many a provider. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}

type Replace = (text: unknown) => unknown

const visit = (prompt: Prompt, replace: Replace): Prompt => prompt.map(message => visitMessage(message, replace))

function visitMessage(message: PromptMessage, replace: Replace): PromptMessage {
  if (message.role === 'system') return { ...message, content: String(replace(message.content)) }
  const content = message.content.map(part => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return { ...part, text: String(replace(part.text)) }
      case 'tool-call':
        return { ...part, input: replace(part.input) }
      case 'tool-result': {
        const { output } = part
        if (!('value' in output) || output.type === 'content') throw unchecked(output.type)
        return { ...part, output: { ...output, value: replace(output.value) } }
      }
      default:
        throw unchecked(part.type)
    }
  })
  return { ...message, content } as PromptMessage
}

const unchecked = (type: string): Failure =>
  new Failure(
    'privacy.held',
    `A request was not sent: it holds a part (${type}) that cannot be checked for private data.`,
    'Attach text files only.',
  )

/** How many tokens stand in a payload that has passed, by type. */
export function countTokens(texts: unknown): CountsByType {
  const counts: CountsByType = {}
  for (const [, type = ''] of (JSON.stringify(texts) ?? '').matchAll(/\[([A-Z][A-Z0-9_]{1,39})_[1-9][0-9]{0,8}\]/g))
    counts[type] = (counts[type] ?? 0) + 1
  return counts
}
