import { z } from 'zod'
import { Finding } from '../../contract/privacy.ts'

/** What the process with the model is started with. */
export interface NamesTask {
  readonly folder: string
  /** The network within the folder. */
  readonly network: string
  /** What the model is tried with. */
  readonly trial: string
}

/** What the application asks of the process with the model, and what it answers. */
export interface NamesRequest {
  readonly type: 'look'
  readonly id: number
  readonly texts: readonly string[]
}

export const NamesAnswerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('loaded'), ms: z.number() }),
  z.object({ type: z.literal('ready'), ms: z.number(), findings: z.array(Finding) }),
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('found'), id: z.number(), findings: z.array(z.array(Finding)) }),
])
export type NamesAnswer = z.infer<typeof NamesAnswerSchema>
