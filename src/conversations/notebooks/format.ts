import { z } from 'zod'
import type { Output } from '../../contract/run.ts'

/** A notebook file as we hold it: strings in one piece, outputs in our words, and whatever else it carried beside them. */

export type Json = z.core.util.JSONType
export type JsonObject = { [key: string]: Json }

export interface NotebookOutput {
  readonly output: Output
  /** Keys of the file that ours has no place for; null when there are none. */
  readonly extra: JsonObject | null
}

export interface NotebookCell {
  readonly id: string
  readonly type: 'code' | 'markdown' | 'raw'
  readonly source: string
  readonly metadata: JsonObject
  readonly attachments: JsonObject | null
  readonly executionCount: number | null
  readonly outputs: readonly NotebookOutput[]
  /** Keys that the format does not know and that came along all the same. */
  readonly extra: JsonObject | null
}

export interface Notebook {
  readonly metadata: JsonObject
  readonly cells: readonly NotebookCell[]
  /** What was repaired on reading, in sentences. */
  readonly notices: readonly string[]
}

export const maxNotebookBytes = 100 * 1024 * 1024
export const maxCells = 50_000
/** Deeper nesting is never data that a person made, and would exhaust the stack of whoever writes it out again. */
export const maxDepth = 100

export const cellIdPattern = /^[a-zA-Z0-9-_]{1,64}$/

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const object = z.custom<JsonObject>(isObject, 'expected an object')
/** Text in one string, or in lines that end in their line breaks. */
const text = z.union([z.string(), z.array(z.string()).transform(lines => lines.join(''))])
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null)

/** As lenient as the files in the wild need: what is missing is empty, what is wrong is said. */
export const RawCell = z.object({
  id: optional(z.string()),
  cell_type: z.enum(['code', 'markdown', 'raw']),
  source: text.default(''),
  metadata: optional(object),
  attachments: optional(object),
  execution_count: optional(z.number().int()),
  outputs: z.array(object).nullish(),
})

export const RawOutput = z.discriminatedUnion('output_type', [
  z.object({ output_type: z.literal('stream'), name: z.string().default('stdout'), text: text.default('') }),
  z.object({ output_type: z.literal('display_data'), data: object.default({}), metadata: optional(object) }),
  z.object({
    output_type: z.literal('execute_result'),
    data: object.default({}),
    metadata: optional(object),
    execution_count: optional(z.number().int()),
  }),
  z.object({
    output_type: z.literal('error'),
    ename: z.string().default(''),
    evalue: z.string().default(''),
    traceback: z.array(z.string()).default([]),
  }),
])

export const RawNotebook = z.object({
  nbformat: z.number().int(),
  nbformat_minor: z.number().int().default(0),
  metadata: optional(object),
  cells: z.array(z.unknown()),
})

export const isJsonMime = (type: string) => type === 'application/json' || /^application\/.*\+json$/.test(type)

/** The keys of an object that are not among the known ones; null when there are none. */
export function others(value: JsonObject, known: readonly string[]): JsonObject | null {
  const rest = Object.entries(value).filter(([key]) => !known.includes(key))
  return rest.length === 0 ? null : Object.fromEntries(rest)
}
