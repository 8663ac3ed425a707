import type { Duplex } from 'node:stream'
import { encodeFrame, type Frame, FrameDecoder } from './frames.ts'

/** What carries frames: a socket, or two pipes. `ref` and `unref` say whether it keeps this process alive. */
export interface Carrier extends Duplex {
  ref?(): unknown
  unref?(): unknown
}

/** One end of a connection to a supervisor, over any byte stream. Frames are handed over one at a time, in order. */
export class Link {
  readonly #stream: Carrier
  readonly #decoder: FrameDecoder
  #onFrame: (frame: Frame) => undefined | Promise<void> = () => undefined
  #waiting: Frame[] = []
  #listening = false
  #busy = false
  readonly closed: Promise<void>

  constructor(stream: Carrier, decoder = new FrameDecoder(), waiting: Frame[] = []) {
    this.#stream = stream
    this.#decoder = decoder
    this.#waiting = waiting
    this.closed = new Promise(resolve => stream.once('close', () => resolve()))
    stream.on('data', data => this.#receive(data))
    stream.on('error', () => stream.destroy())
    // A carrier whose other end has gone says no more; its own end need not close by itself.
    stream.on('end', () => stream.destroy())
  }

  /** From now on frames go to `onFrame`. While a promise that it returns is open nothing more is read: back-pressure. */
  listen(onFrame: (frame: Frame) => undefined | Promise<void>): void {
    this.#onFrame = onFrame
    this.#listening = true
    this.#deliver()
  }

  send(header: { type: string } & Record<string, unknown>, payload?: Uint8Array): void {
    if (!this.#stream.destroyed) this.#stream.write(encodeFrame(header, payload))
  }

  /** Whether an open connection keeps the process alive: it does while somebody uses it, not while it waits in a pool. */
  keepsAlive(yes: boolean): void {
    if (yes) this.#stream.ref?.()
    else this.#stream.unref?.()
  }

  destroy(): void {
    this.#stream.destroy()
  }

  #receive(data: Buffer): void {
    try {
      this.#waiting.push(...this.#decoder.feed(data))
    } catch {
      this.#stream.destroy()
      return
    }
    this.#deliver()
  }

  #deliver(): void {
    while (this.#listening && !this.#busy) {
      const frame = this.#waiting.shift()
      if (!frame) return
      const held = this.#onFrame(frame)
      if (!held) continue
      this.#busy = true
      this.#stream.pause()
      const goOn = () => {
        this.#busy = false
        this.#deliver()
        if (!this.#busy) this.#stream.resume()
      }
      held.then(goOn, goOn)
    }
  }
}

/** Waits for the supervisor's word that it is ready, which it gives when all confinement is in place. */
export const ready = (link: Link): Promise<void> => told(link, 'ready')

/** Waits for one word of the supervisor. */
export function told(link: Link, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    void link.closed.then(() => reject(new Error('it ended while it was starting')))
    link.listen(({ header }) => {
      if (header.type === word) resolve()
      if (header.type === 'failed') reject(new Error(String(header.message)))
      return undefined
    })
  })
}
