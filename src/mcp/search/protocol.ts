import { z } from 'zod'

/** What the process with the sentence model is started with: a folder of the user's, or nothing for our own model. */
export interface EmbedTask {
  readonly folder: string | null
}

export interface EmbedRequest {
  readonly id: number
  readonly texts: readonly string[]
}

export const EmbedAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('vectors'), id: z.number(), vectors: z.array(z.instanceof(Float32Array)) }),
])
export type EmbedAnswer = z.infer<typeof EmbedAnswer>
