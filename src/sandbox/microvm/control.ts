import type { Duplex } from 'node:stream'
import { z } from 'zod'

const Message = z.object({
  id: z.number().optional(),
  return: z.unknown().optional(),
  error: z.object({ desc: z.string() }).optional(),
  event: z.string().optional(),
  data: z.unknown().optional(),
})

const Migration = z.object({ status: z.string().optional(), 'error-desc': z.string().optional() })

/** Memory that lies in a file of its own is not sent with the state; both ends must know. */
const capabilities = ['x-ignore-shared', 'events'].map(capability => ({ capability, state: true }))

/** More than QEMU ever says in one line: whoever sends it has lost its mind, or has been taken over. */
const maxLine = 1024 * 1024

/** QEMU's own control, one line of JSON a message. The guest cannot reach it; QEMU's word is parsed all the same. */
export class Control {
  readonly #stream: Duplex
  readonly #answers = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  readonly #migrated = new Set<(status: string) => void>()
  /** QEMU has said something, or never will. */
  readonly begun: Promise<void>
  #rest = ''
  #count = 0
  #ready: Promise<unknown> | null = null

  constructor(stream: Duplex) {
    this.#stream = stream
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => this.#receive(text))
    stream.on('error', () => stream.destroy())
    stream.on('close', () => this.#end())
    this.begun = new Promise(resolve => {
      stream.once('data', () => resolve())
      stream.once('close', () => resolve())
    })
  }

  async ask(execute: string, args: Record<string, unknown> = {}): Promise<unknown> {
    this.#ready ??= Promise.all([
      this.#send('qmp_capabilities', {}),
      this.#send('migrate-set-capabilities', { capabilities }),
    ])
    await this.#ready
    return this.#send(execute, args)
  }

  /** Stops the machine, sends all that it is to `uri`, and answers when it has been sent. It stays stopped. */
  async save(uri: string): Promise<void> {
    await this.ask('stop')
    await this.ask('migrate-set-parameters', { 'max-bandwidth': 64 * 1024 ** 3 })
    await this.#migration('migrate', uri)
  }

  /** Goes on from a state that was saved, in which the machine was stopped. */
  async load(uri: string): Promise<void> {
    await this.#migration('migrate-incoming', uri)
    await this.goOn()
  }

  async #migration(execute: string, uri: string): Promise<void> {
    const over = new Promise<string>(resolve => this.#migrated.add(resolve))
    await this.ask(execute, { uri })
    const status = await over
    if (status === 'completed') return
    const { 'error-desc': why } = Migration.parse(await this.ask('query-migrate'))
    throw new Error(`its state could not be moved: ${why ?? status}`)
  }

  /** Goes on after `save`. */
  async goOn(): Promise<void> {
    await this.ask('cont')
  }

  #send(execute: string, args: Record<string, unknown>): Promise<unknown> {
    const id = ++this.#count
    return new Promise((resolve, reject) => {
      if (this.#stream.destroyed) return reject(new Error('the machine has ended'))
      this.#answers.set(id, { resolve, reject })
      this.#stream.write(`${JSON.stringify({ execute, arguments: args, id })}\n`)
    })
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > maxLine) this.#stream.destroy()
    for (const line of lines) this.#message(line)
  }

  #message(line: string): void {
    const message = parsed(line)
    if (!message) return
    if (message.event === 'MIGRATION') {
      const { status = '' } = Migration.safeParse(message.data).data ?? {}
      if (!['completed', 'failed', 'cancelled'].includes(status)) return
      for (const tell of this.#migrated) tell(status)
      this.#migrated.clear()
    }
    const waiting = message.id === undefined ? undefined : this.#answers.get(message.id)
    if (message.id === undefined || !waiting) return
    this.#answers.delete(message.id)
    if (message.error) waiting.reject(new Error(message.error.desc))
    else waiting.resolve(message.return)
  }

  #end(): void {
    for (const { reject } of this.#answers.values()) reject(new Error('the machine has ended'))
    this.#answers.clear()
    for (const tell of this.#migrated) tell('failed')
    this.#migrated.clear()
  }
}

function parsed(line: string): z.infer<typeof Message> | null {
  try {
    return Message.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}
