import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'
import { DisplayId, type MimeBundle, type Output, type RunError } from '../../contract/run.ts'
import { type Shown, sizeOf } from '../../contract/shown.ts'
import { type CutPlace, Room } from '../room.ts'
import type { OutputSink } from '../sandbox.ts'

const keptDisplayChars = 16 * 1024 * 1024
/** More displays than this have no name: a name is remembered also when its display was cleared. */
const maxNames = 10_000

type StreamName = 'stdout' | 'stderr'

/**
 * What a kernel can make, as it comes out of a frame. What JSON was parsed from holds nothing but JSON, and to go through
 * every cell of a large table once more would take longer than all the rest of a run.
 */
const Forms = z.record(z.string(), z.unknown())
const Made = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stream'), name: z.enum(['stdout', 'stderr']), text: z.string() }),
  z.object({ type: z.literal('result'), data: Forms, metadata: Forms.optional() }),
  z.object({ type: z.literal('display'), data: Forms, metadata: Forms.optional(), displayId: DisplayId.optional() }),
  z.object({ type: z.literal('update'), data: Forms, metadata: Forms.optional(), displayId: DisplayId }),
  z.object({ type: z.literal('clear'), wait: z.boolean() }),
])

type Rich = Extract<Shown, { data: MimeBundle }>

/** What the displays of one name show now. */
interface Named {
  now: Pick<Rich, 'data' | 'metadata'>
  size: number
  /** How many of them there are since the clearing of that number. */
  displays: number
  cleared: number
}

/**
 * Takes what a run shows, hands it on at once, keeps the first part for the record, and puts all of it into a file as
 * soon as it is more than is kept. Memory stays flat however much comes.
 */
export class Recorder {
  readonly #sink: OutputSink
  readonly #limit: number
  readonly #file: string
  readonly #place: CutPlace
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  /** All that was printed, also what the code cleared again. */
  readonly #kept = { stdout: '', stderr: '' }
  readonly #room: Room<StreamName>
  #outputs: Output[] = []
  #shownRoom: Room<StreamName>
  readonly #named = new Map<string, Named>()
  #displayChars = 0
  #isLeavingOut = false
  #cleared = 0
  /** The outputs are cleared when the next one comes. */
  #clearsNext = false
  #spill: WriteStream | null = null
  #early: Buffer[] = []
  bytes = 0
  /** What was printed and displayed, also what is gone again. */
  written = 0
  truncated = false

  constructor(sink: OutputSink, limit: number, file: string, place: CutPlace) {
    this.#sink = sink
    this.#limit = limit
    this.#file = file
    this.#place = place
    this.#room = new Room(limit)
    this.#shownRoom = new Room(limit)
  }

  stream(name: StreamName, bytes: Uint8Array): undefined | Promise<void> {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.bytes += chunk.length
    this.written += chunk.length
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
    if (parsed.data.type === 'clear') {
      this.#clearsNext = parsed.data.wait
      return parsed.data.wait ? undefined : this.#clear()
    }
    return this.#display(parsed.data as Rich)
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
    await this.#cut()
    const spill = this.#spill
    if (spill) await new Promise<void>(resolve => spill.end(() => resolve()))
    if (spill && this.#shownRoom.isFull) {
      const text = `The record keeps the first ${this.#limit.toLocaleString('en')} characters of this output.`
      await this.#hand({ type: 'notice', text, cut: true }, true)
    }
    return { ...this.#kept, outputs: this.#outputs.map(output => this.#asItIs(output)) }
  }

  /** Shows why the run failed, in the place of what waits to be cleared; what we said of the run ourselves stays. */
  async fail(error: RunError, outputs: readonly Output[]): Promise<Output[]> {
    const kept = this.#clearsNext ? outputs.filter(each => each.type === 'notice' && !each.cut) : outputs
    const again = this.#clearsNext ? kept : []
    const shown = { type: 'error', error } as const
    this.#clearBefore()
    for (const each of [...again, shown]) await Promise.resolve(this.show(each)).catch(() => undefined)
    return [...kept, shown]
  }

  /** Half of a value would leave with an export: nobody recognises it as one. */
  async #cut(): Promise<void> {
    for (const name of ['stdout', 'stderr'] as const) {
      this.#kept[name] = await this.#room.end(name, this.#kept[name], this.#place)
      const last = this.#outputs.findLast(each => each.type === 'stream' && each.name === name)
      if (last?.type === 'stream') last.text = await this.#shownRoom.end(name, last.text, this.#place)
    }
  }

  #show(name: StreamName, text: string): undefined | Promise<void> {
    this.#clearBefore()
    this.#kept[name] += this.#room.take(name, text)
    const part = this.#shownRoom.take(name, text)
    const last = this.#outputs.at(-1)
    if (last?.type === 'stream' && last.name === name) last.text += part
    else if (part) this.#outputs.push({ type: 'stream', name, text: part })
    if (this.#room.isFull) this.truncated = true
    return this.#hand({ type: 'stream', name, text }, false)
  }

  #display(shown: Rich): undefined | Promise<void> {
    const size = sizeOf(shown)
    this.written += size
    const name = shown.type === 'result' ? undefined : shown.displayId
    const known = name === undefined ? undefined : this.#named.get(name)
    if (shown.type !== 'update' || !known) this.#clearBefore()
    if (known && known.cleared !== this.#cleared) Object.assign(known, { displays: 0, cleared: this.#cleared })
    if (shown.type === 'update') {
      // What an earlier run displayed stands on the record as it was: the update is shown in the run that makes it.
      if (!known) return this.#display({ ...shown, type: 'display' })
      if (known.displays === 0) return undefined
    }
    const displays = (known?.displays ?? 0) + (shown.type === 'update' ? 0 : 1)
    const chars = this.#displayChars + displays * size - (known ? known.displays * known.size : 0)
    if (chars > keptDisplayChars) return this.#leaveOut()
    this.#displayChars = chars
    const now = { data: shown.data, ...(shown.metadata ? { metadata: shown.metadata } : {}) }
    if (known) Object.assign(known, { now, size, displays })
    else if (name !== undefined && this.#named.size < maxNames)
      this.#named.set(name, { now, size, displays, cleared: this.#cleared })
    if (shown.type !== 'update') this.#outputs.push(shown)
    return this.#hand(shown, false)
  }

  #leaveOut(): undefined | Promise<void> {
    this.truncated = true
    if (this.#isLeavingOut) return undefined
    this.#isLeavingOut = true
    return this.#hand({ type: 'notice', text: 'A display was left out: the run shows more than can be kept.' }, false)
  }

  #clearBefore(): void {
    if (!this.#clearsNext) return
    this.#clearsNext = false
    // What follows is handed on next and waited for.
    void this.#clear()
  }

  #clear(): undefined | Promise<void> {
    this.#outputs = []
    this.#shownRoom = new Room(this.#limit)
    this.#displayChars = 0
    this.#isLeavingOut = false
    this.#cleared++
    return this.#hand({ type: 'clear' }, false)
  }

  /** What a display of that name shows in the end; the name itself means nothing any more. */
  #asItIs(output: Output): Output {
    if (output.type !== 'display' || output.displayId === undefined) return output
    const { displayId, ...display } = output
    return { ...display, ...this.#named.get(displayId)?.now }
  }

  #hand(shown: Shown, keep: boolean): undefined | Promise<void> {
    if (keep && shown.type !== 'clear' && shown.type !== 'update') this.#outputs.push(shown)
    return this.#sink(shown) ?? undefined
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
