import { z } from 'zod'
import { ConversationId, PathId, UserId } from './ids.ts'
import { CountsByType } from './privacy.ts'

/** A person let a path run at a service outside this machine. It holds until somebody takes it back. */
export const CloudConsent = z.object({
  conversation: ConversationId,
  path: PathId,
  /** The host of the service; another one is asked about anew. */
  service: z.string(),
  givenBy: UserId,
  givenAt: z.number(),
  /** The path that it was branched from with its variables, where nobody was asked anew. */
  branchedFrom: PathId.nullable(),
})
export type CloudConsent = z.infer<typeof CloudConsent>

/** What would leave if a path were moved to the cloud now. Nothing leaves when it is asked. */
export const CloudPreview = z.object({
  service: z.string(),
  /** Why it cannot be moved there whatever the person says; null where it can. */
  missing: z.string().nullable(),
  consent: CloudConsent.nullable(),
  /** Cells of the path that hold code. */
  cells: z.number().int(),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), isText: z.boolean() })).describe('The first of them'),
  fileCount: z.number().int(),
  fileBytes: z.number(),
  /** What the guard finds in the code, and how it would leave. */
  mode: z.enum(['enforce', 'report', 'off']),
  found: CountsByType,
  /** A piece of the code as it would leave. */
  example: z.string(),
})
export type CloudPreview = z.infer<typeof CloudPreview>

/** What a tenant has taken of the cloud in a calendar month (UTC), and what it may take. */
export const CloudFigures = z.object({
  month: z.string(),
  seconds: z.number(),
  sandboxes: z.number().int(),
  awake: z.number().int(),
  limits: z.object({ seconds: z.number(), sandboxes: z.number().int() }),
  /** From 80 % of a limit on, in sentences. */
  warnings: z.array(z.string()),
})
export type CloudFigures = z.infer<typeof CloudFigures>

export const CloudState = z.object({
  service: z.string(),
  /** Whose key is used; the environment goes first. Never the key itself. */
  key: z.enum(['environment', 'stored', 'none']),
  allowedByPolicy: z.boolean(),
  figures: CloudFigures,
  consents: z.array(CloudConsent.extend({ title: z.string(), name: z.string() })),
})
export type CloudState = z.infer<typeof CloudState>
