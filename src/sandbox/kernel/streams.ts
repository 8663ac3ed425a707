import type { Duplex } from 'node:stream'
import { z } from 'zod'
import type { Frame } from './frames.ts'
import type { Link } from './link.ts'

/**
 * The host's side of `network.py`: connections that user code makes to the proxy in its sandbox, carried as numbered
 * streams on the link. Neither side sends more than its credit ahead of what the other has passed on, so a slow reader
 * holds up its own stream and nothing else.
 */
export interface StreamTarget {
  /** Where streams lead to: one connection each. */
  connect(): Promise<Duplex>
  /** A name was asked of the resolver in the sandbox. */
  asked(name: string): void
}

/** The same numbers as in `network.py`. */
const credit = 256 * 1024
const piece = 32 * 1024
const maxStreams = 64

const number = z.number().int().positive()
const NetFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('net-open'), s: number, to: z.literal('proxy') }),
  z.object({ type: z.literal('net-data'), s: number }),
  z.object({ type: z.literal('net-credit'), s: number, n: z.number().int().positive().max(credit) }),
  z.object({ type: z.literal('net-end'), s: number }),
  z.object({ type: z.literal('net-close'), s: number }),
  z.object({ type: z.literal('net-name'), name: z.string().max(1024) }),
])

export class Streams {
  readonly #link: Link
  readonly #target: StreamTarget | null
  readonly #open = new Map<number, Stream>()
  #last = 0

  constructor(link: Link, target: StreamTarget | null) {
    this.#link = link
    this.#target = target
  }

  /** Takes a frame whose type begins with `net-`. One that cannot be right ends the link: no supervisor sends it. */
  receive({ header, payload }: Frame): void {
    const parsed = NetFrame.safeParse(header)
    if (!parsed.success || !this.#take(parsed.data, payload)) this.#link.destroy()
  }

  /** Cuts all of them off: the run that they belonged to is over. */
  closeAll(): void {
    for (const s of [...this.#open.keys()]) this.#close(s)
  }

  #take(frame: z.infer<typeof NetFrame>, payload: Uint8Array): boolean {
    if (frame.type === 'net-name') {
      this.#target?.asked(frame.name)
      return true
    }
    if (frame.type === 'net-open') return this.#begin(frame.s)
    const stream = this.#open.get(frame.s)
    // It may have been closed on this side a moment ago; a number that never was is a lie.
    if (!stream) return frame.s <= this.#last
    switch (frame.type) {
      case 'net-data':
        return stream.push(payload)
      case 'net-credit':
        return stream.allow(frame.n)
      case 'net-end':
        stream.finish()
        return true
      case 'net-close':
        this.#open.delete(frame.s)
        stream.destroy()
        return true
    }
  }

  #begin(s: number): boolean {
    if (s !== this.#last + 1 || this.#open.size >= maxStreams) return false
    this.#last = s
    if (!this.#target) {
      this.#link.send({ type: 'net-close', s })
      return true
    }
    const stream = new Stream(
      (type, more, payload) => this.#link.send({ type, s, ...more }, payload),
      () => this.#close(s),
    )
    this.#open.set(s, stream)
    this.#target.connect().then(
      socket => stream.attach(socket),
      () => this.#close(s),
    )
    return true
  }

  #close(s: number): void {
    const stream = this.#open.get(s)
    if (!stream) return
    this.#open.delete(s)
    stream.destroy()
    this.#link.send({ type: 'net-close', s })
  }
}

type Tell = (type: string, more?: Record<string, number>, payload?: Uint8Array) => void

/** One connection: bytes out of the sandbox go to the socket, bytes of the socket into the sandbox. */
class Stream {
  readonly #tell: Tell
  readonly #over: () => void
  #socket: Duplex | null = null
  /** Came before the socket was there. */
  #early: Uint8Array[] = []
  #isFinished = false
  #isDestroyed = false
  /** What the sandbox may still send. */
  #incoming = credit
  /** What the sandbox will still take. */
  #outgoing = credit
  #held: Buffer | null = null
  #hasEnded = false

  constructor(tell: Tell, over: () => void) {
    this.#tell = tell
    this.#over = over
  }

  attach(socket: Duplex): void {
    if (this.#isDestroyed) {
      socket.destroy()
      return
    }
    this.#socket = socket
    socket.on('data', (data: Buffer) => this.#received(data))
    socket.on('end', () => {
      this.#hasEnded = true
      this.#sendEnd()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (!this.#held) this.#over()
    })
    for (const data of this.#early) this.#write(data)
    this.#early = []
    if (this.#isFinished) socket.end()
  }

  /** False when the sandbox sends more than it may. */
  push(data: Uint8Array): boolean {
    this.#incoming -= data.length
    if (this.#incoming < 0 || this.#isFinished) return false
    if (this.#socket) this.#write(data)
    else this.#early.push(data)
    return true
  }

  allow(bytes: number): boolean {
    this.#outgoing += bytes
    if (this.#outgoing > credit) return false
    const held = this.#held
    if (!held) return true
    this.#held = null
    this.#received(held)
    if (this.#held) return true
    if (this.#hasEnded) this.#sendEnd()
    if (this.#socket?.destroyed) this.#over()
    else this.#socket?.resume()
    return true
  }

  finish(): void {
    this.#isFinished = true
    this.#socket?.end()
  }

  destroy(): void {
    this.#isDestroyed = true
    this.#held = null
    this.#early = []
    this.#socket?.destroy()
  }

  #write(data: Uint8Array): void {
    this.#socket?.write(data, error => {
      if (error || this.#isDestroyed) return
      this.#incoming += data.length
      this.#tell('net-credit', { n: data.length })
    })
  }

  #received(data: Buffer): void {
    let at = 0
    while (at < data.length && this.#outgoing > 0) {
      const part = data.subarray(at, at + Math.min(piece, this.#outgoing))
      this.#outgoing -= part.length
      at += part.length
      this.#tell('net-data', {}, part)
    }
    if (at === data.length) return
    this.#held = data.subarray(at)
    this.#socket?.pause()
  }

  #sendEnd(): void {
    if (!this.#held && !this.#isDestroyed) this.#tell('net-end')
  }
}
