import { z } from 'zod'
import { Name } from './conversations.ts'
import { FigureId, PathId } from './ids.ts'

export const pathReportFormats = ['pdf', 'html'] as const

/** What a report of a path holds: for people who never open a notebook. */
export const PathReportRequest = z.object({
  path: PathId,
  format: z.enum(pathReportFormats),
  /** Otherwise the title of the conversation. */
  title: Name.optional(),
  /** Otherwise the first question that somebody asked on the path. */
  question: z.string().trim().max(4000).optional(),
  /** Some of the pinned figures, in this order; otherwise all. */
  figures: z.array(FigureId).max(500).optional(),
  withCode: z.boolean().default(false),
  /** The numbers of the other paths beside this one's. */
  compare: z.boolean().default(true),
  allowStale: z.boolean().default(false),
})
export type PathReportRequest = z.input<typeof PathReportRequest>
