import { z } from 'zod'
import { type ToolGrant, toolLimits } from '../../contract/tools.ts'
import type { ToolCalls, ToolReply, WorkFolder } from '../sandbox.ts'
import type { Frame } from './frames.ts'
import type { Link } from './link.ts'

const CallFrame = z.object({
  type: z.literal('call'),
  run: z.string(),
  c: z.number().int().positive(),
  tool: z.string().max(200),
})

const mostQueuedBytes = toolLimits.open * toolLimits.bytes

interface Going {
  readonly run: string
  readonly tools: ToolCalls
  readonly stop: AbortController
  /** Calls that wait for their turn. */
  readonly queue: (() => void)[]
  open: number
  queuedBytes: number
  made: number
}

/**
 * The host's side of `calling.py`: calls that user code makes while its run goes on. The supervisor writes the run and
 * numbers the calls; what the call says is user code's word and is judged by whoever answers it.
 */
export class Calls {
  readonly #link: Link
  readonly #files: Pick<WorkFolder, 'write'>
  #going: Going | null = null
  #last = 0

  constructor(link: Link, files: Pick<WorkFolder, 'write'>) {
    this.#link = link
    this.#files = files
  }

  begin(run: string, tools: ToolCalls | undefined): void {
    this.#going = tools
      ? { run, tools, stop: new AbortController(), queue: [], open: 0, queuedBytes: 0, made: 0 }
      : null
  }

  /** Of the run, or because it is being stopped: nobody waits for what is under way. */
  end(): void {
    const going = this.#going
    this.#going = null
    going?.stop.abort()
  }

  /** A frame that cannot be right ends the link: no supervisor sends it. */
  receive({ header, payload }: Frame): void {
    const parsed = CallFrame.safeParse(header)
    if (!parsed.success || parsed.data.c !== this.#last + 1 || payload.length > toolLimits.bytes) {
      this.#link.destroy()
      return
    }
    this.#last = parsed.data.c
    const { run, c, tool } = parsed.data
    const going = this.#going
    if (!going || going.run !== run) {
      this.#answer(run, c, refused('tool.not-granted', 'This run was granted no tools.'))
      return
    }
    going.made += 1
    const waiting = going.open >= toolLimits.open
    if (going.made > toolLimits.perRun) {
      this.#answer(run, c, refused('tool.limit', `A run may make ${toolLimits.perRun} calls; this one made more.`))
      return
    }
    if (waiting && going.queuedBytes + payload.length > mostQueuedBytes) {
      this.#answer(run, c, refused('tool.limit', 'The arguments of the calls that wait for their turn are too long.'))
      return
    }
    // The decoder's bytes are a part of something larger, which would be held for as long as the call takes.
    const args = payload.slice()
    const start = () => void this.#carryOut(going, c, tool, args)
    if (!waiting) {
      start()
      return
    }
    going.queuedBytes += args.length
    going.queue.push(() => {
      going.queuedBytes -= args.length
      start()
    })
  }

  async #carryOut(going: Going, c: number, tool: string, args: Uint8Array): Promise<void> {
    going.open += 1
    const { signal } = going.stop
    const reply = await going.tools.call({ tool, args, files: this.#files, signal }).catch(() => broken)
    going.open -= 1
    if (signal.aborted) return
    this.#answer(going.run, c, reply)
    going.queue.shift()?.()
  }

  #answer(run: string, c: number, reply: ToolReply): void {
    const about = { type: 'called', run, c, ok: reply.ok }
    if (!reply.ok) this.#link.send({ ...about, code: reply.code, message: reply.message })
    else if ('file' in reply) this.#link.send({ ...about, file: reply.file, bytes: reply.bytes })
    else this.#link.send(about, reply.value)
  }
}

/** What the kernel makes its namespaces of. */
export function namesOf(grants: readonly ToolGrant[]): Record<string, string[]> {
  const servers: Record<string, string[]> = {}
  for (const { calledAs } of grants) {
    servers[calledAs.server] ??= []
    servers[calledAs.server]?.push(calledAs.tool)
  }
  return servers
}

const refused = (code: string, message: string): ToolReply => ({ ok: false, code, message })
const broken = refused('tool.failed', 'The call could not be carried out.')
