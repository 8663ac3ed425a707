import { z } from 'zod'
import { RunId } from './ids.ts'

/** Something that a person should know now, as a window shows it. */
export const Alert = z.object({
  rule: z.string(),
  level: z.enum(['warning', 'critical']),
  title: z.string(),
  text: z.string(),
  at: z.number(),
  /** The entry that it is about. */
  seq: z.number().int().nullable(),
  /** The run that it is about, so that whoever started it is not told what they see anyway. */
  run: RunId.nullable(),
})
export type Alert = z.infer<typeof Alert>

/** One series of figures since the application was started. */
export const MetricPoint = z.object({
  name: z.string(),
  unit: z.string(),
  description: z.string(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Of something that is counted: how much in all; else the value now. */
  value: z.number(),
  /** How many values went into it, and the largest of them, where each was measured. */
  count: z.number().nullable(),
  most: z.number().nullable(),
})
export type MetricPoint = z.infer<typeof MetricPoint>
