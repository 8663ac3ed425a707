import { z } from 'zod'
import { ConversationId } from './ids.ts'

/** What a finding is of, in upper snake case: `EMAIL`, `IE_PPSN`, `AWS_ACCESS_KEY`. `docs/privacy-detectors.md` lists all. */
export const EntityType = z.string().regex(/^[A-Z][A-Z0-9_]{1,39}$/)
export type EntityType = z.infer<typeof EntityType>

/** Something that was found in a text. Offsets count UTF-16 units, as JavaScript strings do; `end` is exclusive. */
export const Finding = z.object({
  start: z.number().int().nonnegative(),
  end: z.number().int().positive(),
  type: EntityType,
  /** The rule that found it, e.g. `iban` or `github-token`. */
  rule: z.string(),
  /** How sure the rule is, 0 to 1. */
  score: z.number().min(0).max(1),
})
export type Finding = z.infer<typeof Finding>

/** A finding as the redaction view shows it: what stood there, what was sent in its place, and the words around it. */
export const ShownFinding = Finding.extend({
  /** Where the finding lies in structured data, e.g. `messages[2].content`; empty for plain text. */
  field: z.string(),
  token: z.string(),
  before: z.string(),
  after: z.string(),
})
export type ShownFinding = z.infer<typeof ShownFinding>

/** Where data can leave for. */
export const destinations = ['model', 'cloud-sandbox', 'log', 'export', 'alert', 'telemetry'] as const
export const Destination = z.enum(destinations)
export type Destination = z.infer<typeof Destination>

/** `enforce` replaces what is found, `report` sends it as it is and records the findings, `off` does not look. */
export const egressModes = ['enforce', 'report', 'off'] as const
export const EgressMode = z.enum(egressModes)
export type EgressMode = z.infer<typeof EgressMode>

/** One thing that was found and is not to be found again: a value, or everything that a pattern matches whole. */
export const Allowed = z.object({
  id: z.uuid(),
  kind: z.enum(['exact', 'pattern']),
  value: z.string().min(1).max(1000),
  /** Only findings of this type; any type when absent. */
  type: EntityType.nullable(),
  /** Only in this conversation; everywhere when absent. */
  conversation: ConversationId.nullable(),
  note: z.string().max(1000),
  createdAt: z.number(),
})
export type Allowed = z.infer<typeof Allowed>
export const NewAllowed = Allowed.omit({ id: true, createdAt: true })
export type NewAllowed = z.infer<typeof NewAllowed>

export const CountsByType = z.record(EntityType, z.number().int().nonnegative())
export type CountsByType = z.infer<typeof CountsByType>

/** One thing that left the machine, or was held back. */
export const Departure = z.object({
  id: z.uuid(),
  at: z.number(),
  destination: Destination,
  /** To whom: a model's name, a host, a file. */
  to: z.string(),
  conversation: ConversationId.nullable(),
  mode: EgressMode,
  /** `held` when it did not leave because the guard could not do its work. */
  result: z.enum(['sent', 'held']),
  characters: z.number().int().nonnegative(),
  found: CountsByType,
})
export type Departure = z.infer<typeof Departure>

/** The redaction view: original and sent text side by side. */
export const Redaction = z.object({
  original: z.string(),
  sent: z.string(),
  findings: z.array(ShownFinding),
  counts: CountsByType,
})
export type Redaction = z.infer<typeof Redaction>
