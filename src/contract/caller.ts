import { z } from 'zod'
import { type TenantId, UserId } from './ids.ts'

/** On whose behalf something is done: derived by the door, never taken from what was asked. */
export interface Caller {
  readonly tenant: TenantId
  readonly user: UserId
  /** The model that acts for this person, where one does. What it writes counts as written by both. */
  readonly assistant?: string
}

/** Who wrote a revision: a person, or an assistant on behalf of one. */
export const Writer = z.object({ user: UserId, assistant: z.string().nullable() })
export type Writer = z.infer<typeof Writer>

export const writerOf = ({ user, assistant }: Caller): Writer => ({ user, assistant: assistant ?? null })
