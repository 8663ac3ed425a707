import { z } from 'zod'
import { maxTextChars } from '../conversations.ts'
import { ConversationId } from '../ids.ts'
import { NamesStatus } from '../names.ts'
import { Allowed, CountsByType, Departure, Destination, EntityType, NewAllowed, Redaction } from '../privacy.ts'
import { procedure } from './base.ts'

const Text = z.string().max(maxTextChars)
const Token = z.string().max(64)
const Reason = z.string().trim().min(3, 'Say in a few words what it is for.').max(1000)

/** A rule as people read it. */
export const RuleWords = z.object({ rule: z.string(), type: EntityType, title: z.string() })
export type RuleWords = z.infer<typeof RuleWords>

export const privacyContract = {
  rules: procedure.output(z.array(RuleWords)),
  /** What would be sent for a text of a conversation. Its values come hidden: `reveal` shows one, for a reason. */
  preview: procedure.input(z.object({ conversation: ConversationId, text: Text })).output(Redaction),
  /** The same for a text that somebody has just typed. Nothing is kept, so its tokens count from one. */
  tryText: procedure.input(z.object({ conversation: ConversationId.nullable(), text: Text })).output(Redaction),
  /** The value behind a token. Who asked, when and why is on the record before this answers. */
  reveal: procedure
    .input(z.object({ conversation: ConversationId, token: Token, reason: Reason }))
    .output(z.object({ value: z.string() })),

  allowed: procedure.output(z.array(Allowed)),
  allow: procedure.input(NewAllowed).output(Allowed),
  /** Allows the value behind a token without showing it. */
  allowToken: procedure
    .input(NewAllowed.omit({ kind: true, value: true }).extend({ token: Token, of: ConversationId }))
    .output(Allowed),
  disallow: procedure.input(z.uuid()).output(z.void()),

  /** What left the machine, newest first; `before` is the last id of the page before. */
  departures: procedure
    .input(
      z.object({
        conversation: ConversationId.optional(),
        destination: Destination.optional(),
        before: z.uuid().optional(),
        limit: z.number().int().min(1).max(500).default(200),
      }),
    )
    .output(z.array(Departure)),
  /** What was found on the way out, by type; of one conversation or of all. */
  statistics: procedure.input(z.object({ conversation: ConversationId.optional() })).output(CountsByType),

  names: procedure.output(NamesStatus),
  /** Stops a model that is being loaded. One that is ready stays. */
  stopNames: procedure.output(NamesStatus),
  /** Loads the model that is set once more, after it was stopped or has failed. */
  loadNames: procedure.output(NamesStatus),
  /** Erases the values behind a conversation's tokens, for good. */
  forget: procedure
    .input(z.object({ conversation: ConversationId, reason: Reason }))
    .output(z.object({ count: z.number().int().nonnegative() })),
}
