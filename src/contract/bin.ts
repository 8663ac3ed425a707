import { z } from 'zod'
import { ConversationId, PathId } from './ids.ts'

/** How long what was deleted can be had back. */
export const binDays = 30

export const BinRef = z.object({ conversation: ConversationId, path: PathId.nullable() })
export type BinRef = z.infer<typeof BinRef>

export const BinEntry = z.object({
  kind: z.enum(['conversation', 'path']),
  ...BinRef.shape,
  title: z.string(),
  /** Of a path. */
  name: z.string().nullable(),
  deletedAt: z.number(),
  goesAt: z.number(),
  /** A path that others branched off stays with them. */
  needed: z.boolean(),
})
export type BinEntry = z.infer<typeof BinEntry>
