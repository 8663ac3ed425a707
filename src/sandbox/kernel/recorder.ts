import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'
import type { Output } from '../../contract/run.ts'
import type { OutputSink } from '../sandbox.ts'

const keptDisplayChars = 16 * 1024 * 1024

type StreamName = 'stdout' | 'stderr'

/**
 * What a kernel can make, as it comes out of a frame. What JSON was parsed from holds nothing but JSON, and to go through
 * every cell of a large table once more would take longer than all the rest of a run.
 */
const Forms = z.record(z.string(), z.unknown())
const Made = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stream'), name: z.enum(['stdout', 'stderr']), text: z.string() }),
  z.object({ type: z.enum(['display', 'result']), data: Forms, metadata: Forms.optional() }),
])

/**
 * Takes what a run shows, hands it on at once, keeps the first part for the record, and puts all of it into a file as
 * soon as it is more than is kept. Memory stays flat however much comes.
 */
export class Recorder {
  readonly #sink: OutputSink
  readonly #limit: number
  readonly #file: string
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  readonly #kept = { stdout: '', stderr: '' }
  readonly #outputs: Output[] = []
  #chars = 0
  #displayChars = 0
  #spill: WriteStream | null = null
  #early: Buffer[] = []
  bytes = 0
  truncated = false

  constructor(sink: OutputSink, limit: number, file: string) {
    this.#sink = sink
    this.#limit = limit
    this.#file = file
  }

  stream(name: StreamName, bytes: Uint8Array): undefined | Promise<void> {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.bytes += chunk.length
    const text = this.#decoders[name].write(chunk)
    const written = this.#write(chunk)
    const shown = text ? this.#show(name, text) : undefined
    return written && shown ? Promise.all([written, shown]).then(() => undefined) : (written ?? shown)
  }

  /** An output that a kernel made, checked like anything that comes from there. */
  output(value: unknown): undefined | Promise<void> {
    const parsed = Made.safeParse(value)
    if (!parsed.success) return undefined
    if (parsed.data.type === 'stream') return this.stream(parsed.data.name, Buffer.from(parsed.data.text))
    const output = parsed.data as Output
    const size = JSON.stringify(output).length
    this.#displayChars += size
    if (this.#displayChars > keptDisplayChars) {
      this.truncated = true
      return this.#hand({ type: 'notice', text: 'A display was left out: the run shows more than can be kept.' }, false)
    }
    return this.#hand(output, true)
  }

  /** Hands an output on without keeping it. */
  show(output: Output): undefined | Promise<void> {
    return this.#hand(output, false)
  }

  notice(text: string): undefined | Promise<void> {
    return this.#hand({ type: 'notice', text }, true)
  }

  async end(): Promise<{ stdout: string; stderr: string; outputs: Output[] }> {
    for (const name of ['stdout', 'stderr'] as const) {
      const rest = this.#decoders[name].end()
      if (rest) await this.#show(name, rest)
    }
    const spill = this.#spill
    if (spill) await new Promise<void>(resolve => spill.end(() => resolve()))
    if (spill && this.#chars >= this.#limit) {
      const text = `The record keeps the first ${this.#limit.toLocaleString('en')} characters of this output.`
      await this.#hand({ type: 'notice', text, cut: true }, true)
    }
    return { ...this.#kept, outputs: this.#outputs }
  }

  #show(name: StreamName, text: string): undefined | Promise<void> {
    const room = this.#limit - this.#chars
    if (room > 0) {
      const part = text.length > room ? text.slice(0, wholeCharacters(text, room)) : text
      this.#kept[name] += part
      this.#chars += text.length > room ? room : part.length
      const last = this.#outputs.at(-1)
      if (last?.type === 'stream' && last.name === name) last.text += part
      else this.#outputs.push({ type: 'stream', name, text: part })
    }
    if (text.length > room) this.truncated = true
    return this.#hand({ type: 'stream', name, text }, false)
  }

  #hand(output: Output, keep: boolean): undefined | Promise<void> {
    if (keep) this.#outputs.push(output)
    return this.#sink(output) ?? undefined
  }

  #write(chunk: Buffer): undefined | Promise<void> {
    if (!this.#spill) {
      this.#early.push(Buffer.from(chunk))
      // A character takes at most four bytes, so below this nothing can have been cut yet.
      if (this.bytes <= this.#limit) return undefined
      return this.#open()
    }
    if (this.#spill.write(chunk)) return undefined
    const spill = this.#spill
    return new Promise(resolve => spill.once('drain', () => resolve()))
  }

  async #open(): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    const spill = createWriteStream(this.#file, { mode: 0o600 })
    // A full disk must not end the application; the record then has what is kept in memory.
    spill.on('error', () => spill.destroy())
    this.#spill = spill
    for (const chunk of this.#early.splice(0)) spill.write(chunk)
  }
}

/** Never cuts a character of two code units in half. */
function wholeCharacters(text: string, length: number): number {
  const code = text.charCodeAt(length - 1)
  return code >= 0xd800 && code < 0xdc00 ? length - 1 : length
}
