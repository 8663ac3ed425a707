import { z } from 'zod'
import { CellId, ConversationId, PathId, RunId, TenantId, UserId } from '../contract/ids.ts'
import { Inspection } from '../contract/inspection.ts'
import { Placement } from '../contract/placement.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { Language, maxCodeBytes } from '../contract/run.ts'
import type { PlacedRun } from '../runs/run.ts'

/**
 * A lone half of a surrogate pair has no bytes in UTF-8: it would be hashed as a replacement character, and two
 * different programs would share a hash.
 */
const text = z.string().refine(value => value.isWellFormed(), 'is not well-formed Unicode')
const noNul = text.refine(value => !value.includes('\0'), 'has a NUL character')

const Run = z.object({
  id: RunId,
  tenant: TenantId,
  conversation: ConversationId,
  path: PathId,
  cell: CellId.nullable(),
  revision: z.number().int().nullable(),
  authors: z.array(UserId).min(1).max(1000),
  requester: UserId,
  language: Language,
  code: text.refine(code => Buffer.byteLength(code) <= maxCodeBytes, 'is longer than 100 KB'),
  args: z.array(noNul.max(32_768)).max(256),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), noNul.max(32_768)),
  createdAt: z.number(),
  inspection: Inspection,
  placement: Placement.extend({ network: z.array(text.min(1).max(300)).max(256) }),
})

/** A run as it may enter the gate; the copy shares nothing that its sender could still change. */
export function admit(run: PlacedRun): Outcome<PlacedRun> {
  const parsed = Run.safeParse(run)
  return parsed.success ? ok(parsed.data) : invalid('This run cannot be decided on', parsed.error)
}

export function invalid(what: string, error: z.ZodError): Outcome<never> {
  const first = error.issues[0]
  const where = first?.path.join('.') || 'it'
  return fail('request.invalid', `${what}: ${where} ${first?.message ?? 'is wrong'}.`, 'Correct it and try again.')
}

export const notLoggedIn = fail('access.denied', 'You are not logged in as a reviewer.', 'Choose an identity first.')
