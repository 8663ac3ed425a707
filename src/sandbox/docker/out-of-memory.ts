import type Docker from 'dockerode'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { MemoryKills } from '../kernel/kernel-sandbox.ts'

const Event = z.object({ Action: z.string(), Actor: z.object({ Attributes: z.record(z.string(), z.string()) }) })

const waitMs = 500

/**
 * Hears from an engine which containers ran out of memory. The state of a container does not say it while its first
 * process lives; the events do.
 */
export class OutOfMemory {
  readonly #clock: Clock
  readonly #label: string
  readonly #owner: string
  readonly #kills = new Map<string, { count: number; heard: (() => void)[] }>()
  #stream: NodeJS.ReadableStream | null = null
  #opening: Promise<void> | null = null

  /** `label` names the sandbox on its container; `owner` is a label and its value, so that others' are not heard. */
  constructor(clock: Clock, label: string, owner: string) {
    this.#clock = clock
    this.#label = label
    this.#owner = owner
  }

  /** Begins to listen, where nobody does yet. An engine that tells nothing is no reason not to use it. */
  listen(docker: Docker): Promise<void> {
    if (this.#stream) return Promise.resolve()
    this.#opening ??= this.#open(docker)
      .catch(() => undefined)
      .finally(() => {
        this.#opening = null
      })
    return this.#opening
  }

  async #open(docker: Docker): Promise<void> {
    const stream = await docker.getEvents({ filters: { event: ['oom'], type: ['container'], label: [this.#owner] } })
    this.#stream = stream
    let rest = ''
    stream.on('data', data => {
      const lines = (rest + String(data)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#receive(line)
    })
    for (const event of ['end', 'close', 'error'])
      stream.on(event, () => {
        if (this.#stream === stream) this.#stream = null
      })
    const socket = (stream as { socket?: { unref?(): void } }).socket
    // Listening alone keeps no process alive.
    socket?.unref?.()
  }

  #receive(line: string): void {
    const event = Event.safeParse(parsed(line))
    const sandbox = event.success && event.data.Action === 'oom' && event.data.Actor.Attributes[this.#label]
    const known = sandbox && this.#kills.get(sandbox)
    if (!known) return
    known.count++
    for (const heard of known.heard.splice(0)) heard()
  }

  of(sandbox: string): MemoryKills & { forget(): void } {
    const known = { count: 0, heard: [] as (() => void)[] }
    this.#kills.set(sandbox, known)
    return {
      get count() {
        return known.count
      },
      another: since =>
        known.count > since
          ? Promise.resolve(true)
          : new Promise(resolve => {
              const cancel = this.#clock.after(waitMs, () => resolve(false))
              known.heard.push(() => {
                cancel()
                resolve(true)
              })
            }),
      forget: () => this.#kills.delete(sandbox),
    }
  }

  close(): void {
    ;(this.#stream as { destroy?(): void } | null)?.destroy?.()
    this.#stream = null
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
