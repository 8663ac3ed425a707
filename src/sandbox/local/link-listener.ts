import { randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, chownSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { type Frame, FrameDecoder } from '../kernel/frames.ts'
import { Link } from '../kernel/link.ts'
import { listenerFolder } from './orphans.ts'

const Hello = z.object({
  type: z.literal('hello'),
  token: z.string(),
  role: z.enum(['zygote', 'sandbox']),
  id: z.string().optional(),
  loaded: z.array(z.string()).optional(),
  grouped: z.boolean().optional(),
})
export type Hello = z.infer<typeof Hello>

/**
 * The place where supervisors report. They connect by themselves, because Node cannot pass descriptors on; a token that
 * each was told tells them from any other program of the same user.
 */
export class LinkListener {
  readonly folder: string
  readonly #server: Server
  readonly #expected = new Map<string, { token: Buffer; arrive: (link: Link, hello: Hello) => void }>()

  private constructor(folder: string, server: Server) {
    this.folder = folder
    this.#server = server
    server.on('connection', socket => this.#greet(socket))
  }

  static async open(owner: number | null): Promise<LinkListener> {
    const folder = await listenerFolder()
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(join(folder, 'link'), () => resolve())
    })
    server.unref()
    if (owner !== null) {
      chownSync(folder, owner, owner)
      chownSync(join(folder, 'link'), owner, owner)
    }
    chmodSync(join(folder, 'link'), 0o600)
    return new LinkListener(folder, server)
  }

  /**
   * Waits for whoever reports as `id` (`zygote`, or a sandbox's id) with the token, which serves once: what is left of it
   * in the memory of a process that runs user code is worth nothing.
   */
  expect(id: string, signal: AbortSignal): { token: string; arrived: Promise<{ link: Link; hello: Hello }> } {
    const token = randomBytes(24).toString('base64url')
    const arrived = new Promise<{ link: Link; hello: Hello }>((resolve, reject) => {
      const give = () => {
        this.#expected.delete(id)
        reject(signal.reason)
      }
      if (signal.aborted) return give()
      signal.addEventListener('abort', give, { once: true })
      this.#expected.set(id, {
        token: Buffer.from(token),
        arrive: (link, hello) => {
          signal.removeEventListener('abort', give)
          this.#expected.delete(id)
          resolve({ link, hello })
        },
      })
    })
    arrived.catch(() => undefined)
    return { token, arrived }
  }

  async close(): Promise<void> {
    this.#server.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  #greet(socket: Socket): void {
    socket.unref()
    const decoder = new FrameDecoder()
    const onData = (data: Buffer) => {
      let frames: Frame[]
      try {
        frames = decoder.feed(data)
      } catch {
        socket.destroy()
        return
      }
      const first = frames.shift()
      if (!first) return
      socket.off('data', onData)
      const hello = Hello.safeParse(first.header)
      const expected = hello.success ? this.#expected.get(hello.data.id ?? 'zygote') : undefined
      if (!hello.success || !expected || !isSame(expected.token, Buffer.from(hello.data.token))) {
        socket.destroy()
        return
      }
      expected.arrive(new Link(socket, decoder, frames), hello.data)
    }
    socket.on('data', onData)
    socket.on('error', () => socket.destroy())
  }
}

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)
