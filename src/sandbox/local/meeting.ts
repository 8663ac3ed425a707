import { randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, chownSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { type Frame, FrameDecoder } from '../kernel/frames.ts'
import { Link } from '../kernel/link.ts'
import { meetingFolder } from './orphans.ts'

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
 * only the zygote was told tells them from any other program of the same user.
 */
export class Meeting {
  readonly folder: string
  readonly token = randomBytes(24).toString('base64url')
  readonly #server: Server
  readonly #expected = new Map<string, (link: Link, hello: Hello) => void>()

  private constructor(folder: string, server: Server) {
    this.folder = folder
    this.#server = server
    server.on('connection', socket => this.#greet(socket))
  }

  static async open(owner: number | null): Promise<Meeting> {
    const folder = await meetingFolder()
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
    return new Meeting(folder, server)
  }

  /** Waits for whoever reports as `id` (`zygote`, or a sandbox's id). */
  expect(id: string, signal: AbortSignal): Promise<{ link: Link; hello: Hello }> {
    return new Promise((resolve, reject) => {
      const give = () => {
        this.#expected.delete(id)
        reject(signal.reason)
      }
      if (signal.aborted) return give()
      signal.addEventListener('abort', give, { once: true })
      this.#expected.set(id, (link, hello) => {
        signal.removeEventListener('abort', give)
        this.#expected.delete(id)
        resolve({ link, hello })
      })
    })
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
      const expected = hello.success && this.#knows(hello.data.token) && this.#expected.get(hello.data.id ?? 'zygote')
      if (!hello.success || !expected) {
        socket.destroy()
        return
      }
      expected(new Link(socket, decoder, frames), hello.data)
    }
    socket.on('data', onData)
    socket.on('error', () => socket.destroy())
  }

  #knows(token: string): boolean {
    const given = Buffer.from(token)
    const ours = Buffer.from(this.token)
    return given.length === ours.length && timingSafeEqual(given, ours)
  }
}
