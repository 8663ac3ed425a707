import { z } from 'zod'
import { Finding } from '../../contract/privacy.ts'

/** What the application asks of the thread with the model, and what it answers. */
export interface NamesRequest {
  readonly type: 'look'
  readonly id: number
  readonly texts: readonly string[]
}

export const NamesAnswerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('found'), id: z.number(), findings: z.array(z.array(Finding)) }),
])
export type NamesAnswer = z.infer<typeof NamesAnswerSchema>
