import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { SandboxId } from '../../contract/ids.ts'
import type { Environment, Mount } from '../../contract/placement.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import {
  type Isolation,
  type Language,
  type Limits,
  maxCodeBytes,
  type RunError,
  type RunOutcome,
  type SandboxKind,
  StateChanges,
} from '../../contract/run.ts'
import { Completion, Hover, TablePiece, Usage, Variable } from '../../contract/sandbox.ts'
import { longestMs } from '../../contract/tools.ts'
import type { NetworkGate, NetworkSession, Taken } from '../../network/network.ts'
import type { ClearedRun } from '../../runs/run.ts'
import { beginning } from '../room.ts'
import type { CloseReason, OutputSink, Sandbox, SelfDescription, ToolCalls } from '../sandbox.ts'
import { Calls, namesOf } from './calls.ts'
import { refusal, workFolder } from './files.ts'
import type { Frame } from './frames.ts'
import type { Link } from './link.ts'
import type { OutputFolder } from './outputs.ts'
import type { Recorder } from './recorder.ts'
import { Streams } from './streams.ts'
import { Done, errorOf, outOfMemory } from './verdict.ts'

/** How long after its limit a run may take before the supervisor itself is taken for dead. */
const supervisorGraceMs = 45_000

const Reply = z.object({
  type: z.literal('reply'),
  n: z.number(),
  ok: z.boolean(),
  value: z.unknown().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
})

export interface SandboxParts {
  readonly id: SandboxId
  readonly kind: SandboxKind
  readonly isolation: Isolation
  readonly limits: Limits
  readonly link: Link
  readonly clock: Clock
  /** Where the whole output of a run goes when it is too long to keep. */
  readonly outputs: OutputFolder
  /** Removes what the sandbox has outside of its processes. */
  readonly discard: () => Promise<void>
  readonly fork?: ((parent: KernelSandbox) => Promise<Outcome<Sandbox>>) | undefined
  /** The image that it was started from, where there is one. */
  readonly image?: string
  /** Folders of the host that it sees, by the word of whoever made it. */
  readonly mounts?: readonly Mount[]
  /** What reaches it from another process, for carriers that outlive the application. */
  readonly credentials?: string
  /** The proxy that its connections lead to; without one they lead nowhere. */
  readonly network?: NetworkGate | undefined
  /** Word of what the operating system ended for want of memory, from a carrier that hears of it. */
  readonly memoryKills?: MemoryKills
  /** How many times slower than usual everything goes there; 1 unless it is said. */
  readonly patience?: number
}

/** How often something in the sandbox was ended because its memory was used up. */
export interface MemoryKills {
  readonly count: number
  /** Waits a moment for word of another, which may come after the process has gone. */
  another(since: number): Promise<boolean>
}

interface Going {
  readonly id: string
  network: readonly string[]
  readonly recorder: Recorder
  readonly finish: (done: Done | null) => void
}

/**
 * A sandbox whose supervisor speaks frames over a link. It knows nothing of what confines the code: a jail, a container
 * or a virtual machine carries the same guest.
 */
export class KernelSandbox implements Sandbox {
  readonly kind: SandboxKind
  readonly id: SandboxId
  readonly isolation: Isolation
  readonly limits: Limits
  readonly credentials?: string
  /** Interpreter and packages, where its back end was asked for some; a sandbox that waited ready learns it then. */
  environment: Environment | null = null
  readonly ended: Promise<void>
  readonly fork?: () => Promise<Outcome<Sandbox>>
  readonly #parts: SandboxParts
  readonly #answers = new Map<number, (answer: Outcome<{ value: unknown; payload: Uint8Array }>) => void>()
  readonly files = workFolder((request, payload) => this.ask(request, payload))
  readonly #session: NetworkSession | null
  readonly #streams: Streams
  readonly #calls: Calls
  #going: Going | null = null
  #turn: Promise<unknown> = Promise.resolve()
  /** Runs that have been asked for and have not begun. */
  readonly #waiting: { isStopped: boolean; network: readonly string[] }[] = []
  #questions = 0
  #lastAnswer: Promise<unknown> = Promise.resolve()
  /** Open while nothing may be asked. */
  #held: Promise<unknown> | null = null
  #closed = false

  constructor(parts: SandboxParts) {
    this.id = parts.id
    this.kind = parts.kind
    this.isolation = parts.isolation
    this.limits = parts.limits
    this.#parts = parts
    const { fork, credentials } = parts
    if (fork) this.fork = () => fork(this)
    if (credentials !== undefined) this.credentials = credentials
    this.#session = parts.network?.open() ?? null
    this.#streams = new Streams(parts.link, this.#session)
    this.#calls = new Calls(parts.link, this.files)
    parts.link.listen(frame => this.#receive(frame))
    this.ended = parts.link.closed.then(async () => {
      this.#closed = true
      this.#going?.finish(null)
      for (const settle of this.#answers.values()) settle(gone())
      this.#answers.clear()
      this.#streams.closeAll()
      this.#calls.end()
      this.#session?.close()
      await parts.discard()
    })
  }

  describe(): SelfDescription {
    const { kind, isolation, limits } = this
    const { image = null, mounts = [] } = this.#parts
    return { kind, isolation, limits, image, environment: this.environment, mounts: [...mounts] }
  }

  /** Runs are served one after the other; the kernels of a sandbox share its folder and its limits. */
  run(run: ClearedRun, sink: OutputSink, signal: AbortSignal, tools?: ToolCalls): Promise<RunOutcome> {
    const waiting = { isStopped: false, network: run.placement.network }
    this.#waiting.push(waiting)
    const mine = this.#turn.then(async () => {
      // Before it leaves the queue, in which an interrupt and a grant that is taken back find it meanwhile.
      if (waiting.network.length > 0) await this.#session?.grant(waiting.network).catch(() => undefined)
      this.#waiting.shift()
      return this.#run(run, sink, signal, waiting, tools)
    })
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async #run(
    run: ClearedRun,
    sink: OutputSink,
    signal: AbortSignal,
    { isStopped, network }: { isStopped: boolean; network: readonly string[] },
    tools: ToolCalls | undefined,
  ): Promise<RunOutcome> {
    const recorder = this.#parts.outputs.recorder(run, sink)
    const refused = this.#refuse(run, isStopped || signal.aborted)
    if (refused) return this.#outcome(run, recorder, null, refused, await this.#endNetwork())

    const stop = () => this.#stop()
    const killsBefore = this.#parts.memoryKills?.count ?? 0
    const ended = await new Promise<Done | null>(resolve => {
      const graceMs = supervisorGraceMs * (this.#parts.patience ?? 1)
      const cancelBackstop = this.#parts.clock.after(longestMs(run.placement) + graceMs, () =>
        this.#parts.link.destroy(),
      )
      this.#going = {
        id: run.id,
        network,
        recorder,
        finish: outcome => {
          this.#going = null
          this.#calls.end()
          cancelBackstop()
          signal.removeEventListener('abort', stop)
          resolve(outcome)
        },
      }
      signal.addEventListener('abort', stop, { once: true })
      const { language, args, env } = run
      const { limits } = run.placement
      const granted = namesOf(run.placement.tools ?? [])
      this.#calls.begin(run.id, run.placement.tools?.length ? tools : undefined)
      this.#parts.link.send(
        { type: 'run', run: run.id, language, args, env, timeoutMs: limits.timeoutMs, tools: granted },
        Buffer.from(run.code, 'utf8'),
      )
    })
    const isOutOfMemory = await this.#ranOutOfMemory(ended, killsBefore)
    const done = ended && isOutOfMemory ? { ...ended, reason: 'memory' as const } : ended
    const gone = isOutOfMemory ? outOfMemory(this.limits) : lost()
    return this.#outcome(run, recorder, done, done ? null : gone, await this.#endNetwork())
  }

  /** A run that failed, and in whose time something was ended for want of memory. What the supervisor did itself it says. */
  async #ranOutOfMemory(done: Done | null, before: number): Promise<boolean> {
    const kills = this.#parts.memoryKills
    if (!kills || done?.reason || done?.exitCode === 0) return false
    return done === null || done.stateLost ? kills.another(before) : kills.count > before
  }

  #refuse(run: ClearedRun, isStopped: boolean): RunError | null {
    const size = Buffer.byteLength(run.code, 'utf8')
    if (size > maxCodeBytes)
      return refused(
        'CodeTooLong',
        `The code has ${size.toLocaleString('en')} bytes; at most ${maxCodeBytes.toLocaleString('en')} are run.`,
      )
    if (run.code.includes('\0'))
      return { ...refused('NullCharacter', 'The code holds a null character.'), kind: 'syntax' }
    if (this.#closed) return refused('SandboxClosed', 'The sandbox has been closed.')
    if (isStopped) return { ...refused('Interrupted', 'The run was stopped before it began.'), kind: 'killed' }
    return null
  }

  async #outcome(
    run: ClearedRun,
    recorder: Recorder,
    done: Done | null,
    refusedWith: RunError | null,
    network: Taken,
  ): Promise<RunOutcome> {
    if (done?.stateLost && done.reason !== 'interrupt' && run.language !== 'bash')
      await recorder.notice('The kernel ended with this run; its variables are gone.')
    else if (done?.stateLost) await recorder.notice('The kernel had to be ended; its variables are gone.')
    const kept = await recorder.end()
    const failed =
      refusedWith ?? (done && errorOf(done, run.language, kept.stderr, { ...run.placement.limits, ...this.#limited() }))
    const error = failed && inWords(failed, network)
    const outputs = error ? await recorder.fail(error, kept.outputs) : kept.outputs
    const traceback = error && error.traceback.length > 0 ? `${error.traceback.join('\n')}\n` : ''
    // As a plain interpreter would: the traceback is part of what the program says on standard error.
    const most = Math.max(kept.stderr.length, run.placement.limits.outputChars)
    const stderr = await beginning(kept.stderr + traceback, most, this.#parts.outputs.cutPlace)
    const warnings = [...(done?.warnings ?? [])]
    if (run.placement.network.length > 0 && !this.#canReachOut)
      warnings.push(`Network was granted, but the ${this.kind} sandbox has none.`)
    if (network.dropped > 0) warnings.push(`${network.dropped} more network requests were denied than are listed.`)
    if (this.isolation === 'unconfined')
      warnings.push('This run was unconfined: no jail could be made on this machine.')
    return {
      success: error === null,
      stdout: kept.stdout,
      stderr,
      truncated: recorder.truncated,
      exitCode: done?.exitCode ?? null,
      ...stateOf(done),
      outputs,
      executionTimeMs: done?.elapsedMs ?? 0,
      cpuTimeMs: done?.cpuMs ?? 0,
      peakMemoryBytes: done?.peakBytes ?? 0,
      files: done?.files ?? { created: [], modified: [], deleted: [] },
      network: network.requests,
      warnings,
      error,
      sandbox: this.kind,
      sandboxId: this.id,
      isolation: this.isolation,
    }
  }

  /** Code that nothing confines needs no proxy, and would find none. */
  get #canReachOut(): boolean {
    return this.#session !== null && this.isolation !== 'unconfined'
  }

  /** What was granted ends with the run: a thread that goes on has nothing to talk to. */
  async #endNetwork(): Promise<Taken> {
    this.#streams.closeAll()
    return (await this.#session?.end()) ?? { requests: [], dropped: 0 }
  }

  #limited() {
    return { memoryBytes: this.limits.memoryBytes, diskBytes: this.limits.diskBytes }
  }

  async interrupt(): Promise<void> {
    // One that was asked for a moment ago has perhaps not begun: to whoever stops it that is the current run.
    const [next] = this.#waiting
    if (this.#going) this.#stop()
    else if (next) next.isStopped = true
    await this.#turn
  }

  /** What it has asked of tools is given up at once: nobody waits for the answers any more. */
  #stop(): void {
    this.#parts.link.send({ type: 'interrupt' })
    this.#calls.end()
  }

  async narrow(keep: readonly string[]): Promise<void> {
    // A run that is about to begin has its grants already.
    const going = this.#going ?? this.#waiting[0]
    if (!going) return
    // From what is left, not from what was granted first: taking one back must not give another one again.
    going.network = going.network.filter(rule => rule.startsWith('deny ') || keep.includes(rule))
    await this.#session?.grant(going.network)
  }

  async restart(): Promise<void> {
    await this.ask({ type: 'restart' })
  }

  /** Whether its supervisor answers. */
  async isWell(): Promise<boolean> {
    return (await this.ask({ type: 'ping' })).ok
  }

  /** Handed out: from now on the process stays alive until it is closed. */
  inUse(): void {
    this.#parts.link.keepsAlive(true)
  }

  /** Waits until the kernel of a language answers. For one that nobody has yet: it then keeps no process alive. */
  async answers(language: Language): Promise<void> {
    this.#parts.link.keepsAlive(true)
    await this.variables(language)
    this.#parts.link.keepsAlive(false)
  }

  variables(language: Language) {
    return this.#question(language, 'variables', '', 0, z.array(Variable))
  }

  fingerprints(language: Language, names: readonly string[]) {
    return this.#question(language, 'fingerprints', names.join(' '), 0, Fingerprints)
  }

  complete(language: Language, code: string, offset: number) {
    return this.#question(language, 'complete', code, offset, z.array(Completion))
  }

  hover(language: Language, code: string, offset: number) {
    return this.#question(language, 'hover', code, offset, Hover.nullable())
  }

  async table(language: Language, name: string, from: number): Promise<Outcome<TablePiece>> {
    const answer = await this.#inTurn({ type: 'ask', what: 'table', language, offset: from }, name)
    if (!answer.ok) return answer
    const { value, payload } = answer.value
    if (value === false) return noTable(name)
    return read(TablePiece, { ...Object(value), cells: Buffer.from(payload).toString('utf8') })
  }

  async usage(): Promise<Usage> {
    const answer = await this.ask({ type: 'usage' })
    return answer.ok ? Usage.parse(answer.value.value) : { memoryBytes: 0, cpuTimeMs: 0, processes: 0, diskBytes: 0 }
  }

  async close(_reason: CloseReason): Promise<void> {
    this.#closed = true
    // One that waited in the pool holds nothing alive: a process that ends would be gone before the sandbox is.
    this.inUse()
    this.#parts.link.send({ type: 'close' })
    const cancel = this.#parts.clock.after(5_000, () => this.#parts.link.destroy())
    await this.ended
    cancel()
  }

  /** Does something while nothing is under way on the link; what is wanted meanwhile waits. Refused during a run. */
  async whileStill<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (this.#going || this.#waiting.length > 0)
      return fail('sandbox.busy', 'A run is under way.', 'Wait for it to end, or stop it.')
    const mine = this.#turn.then(async () => {
      // The answer to a last question: all that was asked before has then been answered, as far as it will be.
      if (!(await this.isWell())) return gone()
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#held = promise
      try {
        while (this.#answers.size > 0) await new Promise(settled => setTimeout(settled, 1))
        return await work()
      } finally {
        this.#held = null
        resolve()
      }
    })
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async ask(
    request: { type: string } & Record<string, unknown>,
    payload?: Uint8Array,
  ): Promise<Outcome<{ value: unknown; payload: Uint8Array }>> {
    while (this.#held) await this.#held
    if (this.#closed) return gone()
    const n = ++this.#questions
    return new Promise(resolve => {
      this.#answers.set(n, resolve)
      this.#parts.link.send({ ...request, n }, payload)
    })
  }

  /** Kernels answer one question at a time: the editor must not be refused because the inspector asks something too. */
  #inTurn(request: { type: string } & Record<string, unknown>, text: string) {
    const answer = this.#lastAnswer.then(() => this.ask(request, Buffer.from(text, 'utf8')))
    this.#lastAnswer = answer
    return answer
  }

  async #question<T>(
    language: Language,
    what: string,
    code: string,
    offset: number,
    schema: z.ZodType<T>,
  ): Promise<Outcome<T>> {
    // Kernels written in other languages count characters, not UTF-16 units.
    const characters = language === 'python' || language === 'bash' ? Array.from(code.slice(0, offset)).length : offset
    const answer = await this.#inTurn({ type: 'ask', what, language, offset: characters }, code)
    if (!answer.ok) return answer
    return read(schema, answer.value.value)
  }

  #receive({ header, payload }: Frame): undefined | Promise<void> {
    const going = this.#going
    switch (header.type) {
      case 'stream':
      case 'output': {
        if (!going) return undefined
        if (going.recorder.written > this.limits.diskBytes) {
          this.#parts.link.send({ type: 'output-limit' })
          return undefined
        }
        if (header.type === 'output') return going.recorder.output(header.output)
        if (header.name !== 'stdout' && header.name !== 'stderr') return undefined
        return going.recorder.stream(header.name, payload)
      }
      case 'done': {
        const done = Done.safeParse(header)
        if (!done.success) this.#parts.link.destroy()
        else if (going && done.data.run === going.id) going.finish(done.data)
        return undefined
      }
      case 'reply': {
        const reply = Reply.safeParse(header)
        const settle = reply.success ? this.#answers.get(reply.data.n) : undefined
        if (!reply.success || !settle) return undefined
        this.#answers.delete(reply.data.n)
        if (reply.data.ok) settle(ok({ value: reply.data.value, payload }))
        else settle(refusal(reply.data.code ?? '', reply.data.message ?? 'The sandbox could not do it.'))
        return undefined
      }
      case 'call':
        this.#calls.receive({ header, payload })
        return undefined
      default:
        if (header.type.startsWith('net-')) this.#streams.receive({ header, payload })
        return undefined
    }
  }
}

const Fingerprints = z.record(z.string(), z.string().max(64).nullable())

function stateOf(done: Done | null): { stateChanges?: StateChanges } {
  const told = StateChanges.safeParse(done?.state)
  return told.success ? { stateChanges: told.data } : {}
}

function read<T>(schema: z.ZodType<T>, value: unknown): Outcome<T> {
  const parsed = schema.safeParse(value)
  return parsed.success
    ? ok(parsed.data)
    : fail('sandbox.failed', 'The kernel gave an answer that makes no sense.', 'Restart it.')
}

/** Code that stumbled over what the proxy refused is told so in a sentence; how its library got there helps nobody. */
function inWords(error: RunError, { requests }: Taken): RunError {
  const inside = requests.find(({ reason, protocol }) => reason && protocol !== 'dns' && error.message.includes(reason))
  if (inside?.reason) return { ...error, message: sentence(inside.reason), traceback: [] }
  // curl, pip and fetch keep the proxy's words to themselves: what was refused last is the likely reason.
  const last = requests.findLast(each => each.protocol !== 'dns')
  if (error.kind !== 'runtime' || !last?.reason) return error
  if (failedFetch.test(error.message)) return { ...error, message: sentence(last.reason), traceback: [] }
  return { ...error, message: `${sentence(error.message)} ${sentence(last.reason)}` }
}

const sentence = (text: string): string => `${text.replace(/[.\s]*$/, '')}.`

/** What Deno and Node say of a connection that did not come about. */
const failedFetch = /^(fetch failed|error sending request|client error \(Connect\))/

const noTable = (name: string): Outcome<never> =>
  fail('sandbox.no-table', `There is no table named ${name} in the sandbox now.`, 'Run the cell that makes it again.')
const refused = (name: string, message: string): RunError => ({ kind: 'sandbox', name, message, traceback: [] })
const lost = () => refused('SandboxLost', 'The sandbox ended while the code was running.')
const gone = (): Outcome<never> => fail('sandbox.closed', 'The sandbox has ended.', 'Run a cell to start a new one.')
