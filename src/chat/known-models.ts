import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { ChatModel } from '../contract/chat.ts'
import { resource } from '../places.ts'

const Known = z.object({
  asOf: z.string(),
  models: z.array(
    z.object({
      begins: z.string(),
      windowTokens: z.number(),
      price: z.object({ input: z.number(), output: z.number() }),
    }),
  ),
})

let known: z.infer<typeof Known> | null = null

/** Window and list price of a model that is known by the beginning of its name; a person can correct both. */
export function describeModel(id: string, options: { local: boolean; windowTokens?: number | null }): ChatModel {
  known ??= Known.parse(JSON.parse(readFileSync(resource('assistant', 'models.json'), 'utf8')))
  const name = id.toLowerCase().replace(/^.*\//, '')
  const match = known.models
    .filter(({ begins }) => name.startsWith(begins))
    .sort((a, b) => b.begins.length - a.begins.length)[0]
  return {
    id,
    windowTokens: options.windowTokens ?? (options.local ? null : (match?.windowTokens ?? null)),
    price: options.local ? { input: 0, output: 0 } : (match?.price ?? null),
  }
}

export function costOf(model: Pick<ChatModel, 'price'>, inputTokens: number, outputTokens: number): number | null {
  return model.price && (inputTokens * model.price.input + outputTokens * model.price.output) / 1_000_000
}
