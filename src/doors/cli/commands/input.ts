import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { Failure } from '../../../contract/problem.ts'
import type { Io } from '../command.ts'
import { TextCodec } from './encoding.ts'

const chunkBytes = 1 << 18

/** The text of a file, or of standard input for `-`, in chunks. The mark at the start stays, so that offsets count it. */
export async function* readText(
  file: string,
  io: Io,
  codec = new TextCodec(false),
): AsyncGenerator<string, void, undefined> {
  const source = file === '-' ? io.stdin : createReadStream(resolve(io.cwd, file), { highWaterMark: chunkBytes })
  try {
    for await (const chunk of source) {
      io.signal.throwIfAborted()
      yield typeof chunk === 'string' ? chunk : codec.decode(chunk)
    }
    yield codec.decode(new Uint8Array(), true)
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code)) {
      throw new Failure(
        'not-found',
        `Cannot read ${file}: ${reasons[error.code] ?? error.message}`,
        'Check the name, or use - for standard input.',
      )
    }
    throw error
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file.',
  EACCES: 'you may not read it.',
  EISDIR: 'it is a folder.',
}

/**
 * Lines of a text that comes in chunks, those of a chunk together; null in the place of a line beyond the limit, which
 * would fill the memory.
 */
export async function* readLines(
  chunks: AsyncIterable<string>,
  longest: number,
): AsyncGenerator<(string | null)[], void, undefined> {
  let rest = ''
  let tooLong = false
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    const whole = lines.map((line, at) => ((tooLong && at === 0) || line.length > longest ? null : line))
    if (lines.length > 0) tooLong = false
    if (rest.length > longest) {
      rest = ''
      tooLong = true
    }
    if (whole.length > 0) yield whole
  }
  if (tooLong) yield [null]
  else if (rest !== '') yield [rest]
}

/** Levels of a line of JSON. Whoever looks at what is wrong with it goes into it level by level, and would not come back. */
const deepest = 100

/** A line of JSON, or undefined for what is none; and the id that its answer needs also where the line cannot be used. */
export function jsonOf(line: string): { readonly json: unknown; readonly id: unknown } {
  try {
    // Some editors put a mark before the first line.
    const json: unknown = JSON.parse(line.replace(/^\ufeff/, ''))
    const id = isRecord(json) && !isDeeper(json.id, deepest) ? (json.id ?? null) : null
    return { json: isDeeper(json, deepest) ? undefined : json, id }
  } catch {
    // Other languages write NaN and Infinity into their JSON.
    const [, id] = /^\ufeff?\s*\{\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)\s*[,}]/.exec(line) ?? []
    return { json: undefined, id: id === undefined ? null : scalar(id) }
  }
}

function scalar(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(each => isDeeper(each, levels - 1)))

/** Writes and waits when the reader is slower than we are; without this a gigabyte would pile up in memory. */
export async function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  if (text.length === 0 || stream.write(text)) return
  // Takes its listeners away again: one left behind for each wait would add up over a gigabyte.
  await once(stream, 'drain')
}
