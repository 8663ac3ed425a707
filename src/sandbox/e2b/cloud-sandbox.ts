import type { Clock } from '../../clock.ts'
import type { PathRef } from '../../contract/contexts.ts'
import type { ConversationId, SandboxId } from '../../contract/ids.ts'
import { fail, type Outcome, ok, type Problem } from '../../contract/problem.ts'
import {
  type FileChanges,
  type Language,
  type Limits,
  maxCodeBytes,
  type RunError,
  type RunOutcome,
} from '../../contract/run.ts'
import type { Completion, Hover, TablePiece, Usage, Variable } from '../../contract/sandbox.ts'
import { type HostLists, hostLists, openedToo } from '../../network/network.ts'
import type { Passed } from '../../privacy/privacy.ts'
import type { ClearedRun } from '../../runs/run.ts'
import type { OutputFolder } from '../kernel/outputs.ts'
import type { Recorder } from '../kernel/recorder.ts'
import type { CloseReason, OutputSink, Sandbox, SelfDescription } from '../sandbox.ts'
import { Asking } from './asking.ts'
import type { Awake } from './awake.ts'
import { explain } from './explain.ts'
import { cloudFiles, filesOf } from './files.ts'
import { formsOf } from './forms.ts'
import type { CloudMachine, Ran } from './service.ts'
import { exitCodeOf, runError, type Stop, sentence, stopError, verdict } from './verdict.ts'

/** The only way to the service, and the way back: tokens leave in the place of values, and values come in again. */
export interface CloudGuard {
  pass<T>(payload: T, conversation: ConversationId | null): Promise<Outcome<Passed<T>>>
  restore<T>(value: T, conversation: ConversationId | null): Promise<T>
  restoring(conversation: ConversationId | null): Promise<{ another(): { push(text: string): string; end(): string } }>
}

export interface CloudParts {
  readonly id: SandboxId
  readonly limits: Limits
  readonly machine: CloudMachine
  readonly conversation: ConversationId | null
  readonly guard: CloudGuard
  readonly clock: Clock
  readonly outputs: OutputFolder
  readonly awake: Awake
  /** Makes a copy of the machine for another path, with what it has in memory. */
  readonly copy: (to: PathRef | undefined) => Promise<Outcome<CloudSandbox>>
  /** Why nothing more may leave for this path now, or what the person has to know; asked before each run. */
  readonly mayRun: () => Promise<Outcome<string[]>>
}

/** How long a kernel may take to answer an interrupt, and how long it may then take to be ended. */
const interruptMs = 3_000

/** A sandbox at the service. Its kernels belong to the service: what they say of a run is their word. */
export class CloudSandbox implements Sandbox {
  readonly kind = 'e2b'
  readonly isolation = 'cloud'
  readonly id: SandboxId
  readonly credentials: string
  readonly ended: Promise<void>
  readonly files
  readonly #parts: CloudParts
  #end: () => void = () => undefined
  #turn: Promise<unknown> = Promise.resolve()
  #stop: ((why: Stop) => void) | null = null
  readonly #asking: Asking
  #known: Map<string, string> | null = null
  #open: HostLists = []
  /** What the run under way may still reach, from before the service has opened it. */
  #granted: HostLists = []
  #opening: Promise<unknown> = Promise.resolve()
  #closed = false
  #runs = 0

  constructor(parts: CloudParts) {
    this.#parts = parts
    this.id = parts.id
    this.credentials = JSON.stringify({ sandbox: parts.machine.id })
    this.#asking = new Asking(parts, (question, answer) => this.#ask(question, answer))
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
    this.files = cloudFiles(parts, {
      changed: () => {
        this.#known = null
      },
      failed: error => this.#failed(error),
      isClosed: () => this.#closed,
      runs: () => this.#runs,
      ready: () => parts.awake.for(0),
    })
  }

  describe(): SelfDescription {
    const { kind, isolation } = this
    return { kind, isolation, limits: this.#parts.limits, image: null, environment: null, mounts: [] }
  }

  run(run: ClearedRun, sink: OutputSink, signal: AbortSignal): Promise<RunOutcome> {
    return this.#inTurn(() => this.#run(run, sink, signal))
  }

  async #run(run: ClearedRun, sink: OutputSink, signal: AbortSignal): Promise<RunOutcome> {
    const { clock, guard, machine, outputs, awake } = this.#parts
    this.#runs++
    const recorder = outputs.recorder(run, sink)
    const begun = clock.now()
    const done = (error: RunError | null, rest: Partial<RunOutcome> = {}) =>
      this.#outcome(run, recorder, error, { executionTimeMs: clock.now() - begun, ...rest })

    const refused = this.#refuse(run, signal.aborted)
    if (refused) return done(refused)
    const hosts = hostLists(run.placement.network)
    if (!hosts.ok) return done(sentence('NotGranted', hosts.problem))
    this.#granted = hosts.value
    const allowed = await this.#parts.mayRun()
    if (!allowed.ok) return done(sentence('NotSent', allowed.problem))
    const warnings = [...allowed.value, ...(hosts.value.length > 0 ? [openedToo] : [])]
    const { language, code, args, env } = run
    const passed = await guard.pass({ language, code, args, env }, run.conversation)
    if (!passed.ok) return done(sentence('NotSent', passed.problem))
    try {
      await awake.for(run.placement.limits.timeoutMs)
      await this.#openGranted()
      this.#known ??= await filesOf(machine)
      const back = await guard.restoring(run.conversation)
      const streams = { stdout: back.another(), stderr: back.another() }
      // One after the other: the recorder may be opening its file, and putting values back takes a moment.
      let shown: Promise<unknown> = Promise.resolve()
      const next = (work: () => unknown) => {
        shown = shown.then(work)
        return shown
      }
      const show = (name: 'stdout' | 'stderr', text: string) => {
        if (recorder.bytes > this.#parts.limits.diskBytes) this.#stop?.('output')
        else if (text !== '') return recorder.stream(name, Buffer.from(text))
        return undefined
      }
      const { ran, stopped, stateLost } = await this.#untilStopped(run, signal, limitMs =>
        machine.run(passed.value, limitMs, {
          stream: (name, text) => next(() => show(name, streams[name].push(text))),
          result: (raw, isMain) =>
            next(async () => {
              const data = await guard.restore(formsOf(raw), run.conversation)
              await recorder.output({ type: isMain ? 'result' : 'display', data })
            }),
        }),
      )
      await this.#shut()
      awake.used()
      await shown
      for (const name of ['stdout', 'stderr'] as const) await show(name, streams[name].end())
      if (stateLost) await recorder.notice('The kernel had to be ended; its variables are gone.')
      const told = ran && (await guard.restore(ran, run.conversation))
      const files = await this.#changes()
      const error = stopped ? stopError(stopped, run.placement.limits.timeoutMs) : told && verdict(told)
      return done(error, { files, warnings, exitCode: stopped ? null : exitCodeOf(told, error) })
    } catch (error) {
      return done(await this.#lost(error), { warnings })
    }
  }

  /** Runs until it ends, its time is over or somebody stops it; a kernel that does not answer a stop is ended. */
  async #untilStopped(run: ClearedRun, signal: AbortSignal, start: (limitMs: number) => Promise<Ran>) {
    const { clock, machine } = this.#parts
    const { timeoutMs } = run.placement.limits
    let stopped: Stop | null = null
    let stateLost = false
    let cancelEnd = () => undefined as unknown
    const endKernel = () => {
      stateLost = true
      void machine.endKernel(run.language).catch(() => undefined)
    }
    const stop = (why: Stop) => {
      if (stopped) return
      stopped = why
      cancelEnd = clock.after(interruptMs, endKernel)
      void machine.interrupt().then(
        isStopping => {
          if (isStopping) return
          cancelEnd()
          endKernel()
        },
        () => undefined,
      )
    }
    const onAbort = () => stop('interrupt')
    const cancelLimit = clock.after(timeoutMs, () => stop('timeout'))
    signal.addEventListener('abort', onAbort, { once: true })
    this.#stop = stop
    try {
      // The SDK's own limit is a backstop for a service that stops answering.
      const ran = await start(timeoutMs + 4 * interruptMs)
      if (ran.kind === 'kernel-ended' && !stateLost) endKernel()
      return { ran, stopped: stopped as Stop | null, stateLost: stateLost as boolean }
    } finally {
      this.#stop = null
      cancelLimit()
      cancelEnd()
      signal.removeEventListener('abort', onAbort)
    }
  }

  #refuse(run: ClearedRun, isStopped: boolean): RunError | null {
    if (this.#closed) return runError('sandbox', 'SandboxClosed', 'The sandbox has been closed.')
    if (isStopped) return runError('killed', 'Interrupted', 'The run was stopped before it began.')
    if (Buffer.byteLength(run.code, 'utf8') > maxCodeBytes)
      return runError('sandbox', 'CodeTooLong', `The code has more than ${maxCodeBytes.toLocaleString('en')} bytes.`)
    if (run.code.includes('\0')) return runError('syntax', 'NullCharacter', 'The code holds a null character.')
    return null
  }

  async #outcome(
    run: ClearedRun,
    recorder: Recorder,
    error: RunError | null,
    rest: Partial<RunOutcome>,
  ): Promise<RunOutcome> {
    const { outputs, stdout, stderr } = await recorder.end()
    if (error) {
      outputs.push({ type: 'error', error })
      await Promise.resolve(recorder.show({ type: 'error', error })).catch(() => undefined)
    }
    const warnings = [...(rest.warnings ?? [])]
    if (run.args.length > 0 && (run.language === 'javascript' || run.language === 'typescript'))
      warnings.push('Kernels of the cloud hand no arguments to JavaScript.')
    return {
      success: error === null,
      stdout,
      stderr: error && error.traceback.length > 0 ? `${stderr}${error.traceback.join('\n')}\n` : stderr,
      truncated: recorder.truncated,
      exitCode: null,
      outputs,
      executionTimeMs: 0,
      // The service does not measure single runs.
      cpuTimeMs: 0,
      peakMemoryBytes: 0,
      files: { created: [], modified: [], deleted: [] },
      // The service writes down no requests.
      network: [],
      error,
      sandbox: this.kind,
      sandboxId: this.id,
      isolation: this.isolation,
      ...rest,
      warnings,
    }
  }

  async #changes(): Promise<FileChanges> {
    const before = this.#known ?? new Map<string, string>()
    const after = await filesOf(this.#parts.machine)
    this.#known = after
    return {
      created: [...after.keys()].filter(path => !before.has(path)).sort(),
      modified: [...after]
        .filter(([path, mark]) => before.has(path) && before.get(path) !== mark)
        .map(([path]) => path),
      deleted: [...before.keys()].filter(path => !after.has(path)).sort(),
    }
  }

  /** Opens what the run may reach. One after the other: of two requests at once the service may hear either first. */
  #openGranted(): Promise<void> {
    const mine = this.#opening.then(() => this.#allow(this.#granted))
    this.#opening = mine.catch(() => undefined)
    return mine
  }

  async #allow(hosts: HostLists): Promise<void> {
    if (hosts.join() === this.#open.join()) return
    // Noted first: what may be open is shut again, also when the answer was lost.
    if (hosts.length > 0) this.#open = hosts
    await this.#parts.machine.allow(hosts)
    this.#open = hosts
  }

  #shut(): Promise<void> {
    this.#granted = []
    return this.#openGranted()
  }

  async narrow(keep: readonly string[]): Promise<void> {
    const kept = hostLists(keep)
    this.#granted = kept.ok ? this.#granted.filter(host => kept.value.includes(host)) : []
    // While nothing is open yet, the run opens what is left of it.
    if (this.#open.length > 0) await this.#openGranted()
  }

  async #lost(error: unknown): Promise<RunError> {
    const { problem } = await this.#failed(error)
    // Hosts that cannot be shut again would stay open for code that was granted none.
    if (!this.#closed) await this.#shut().catch(() => this.close('error'))
    return sentence(this.#closed ? 'SandboxLost' : 'ServiceFailed', problem)
  }

  /** Says what went wrong. A machine that is no more ends this sandbox, so that the next run gets another. */
  async #failed(error: unknown): Promise<{ ok: false; problem: Problem }> {
    const trouble = explain(error)
    const isThere = trouble.kind !== 'gone' && (await this.#parts.machine.isRunning().catch(() => true))
    if (!isThere) {
      this.#closed = true
      await this.#parts.awake.over()
      this.#end()
    }
    const { message, hint } = isThere ? trouble : explain(Object.assign(new Error(), { name: 'SandboxNotFoundError' }))
    return fail(isThere ? 'sandbox.failed' : 'sandbox.closed', message, hint) as { ok: false; problem: Problem }
  }

  async interrupt(): Promise<void> {
    this.#stop?.('interrupt')
    await this.#turn
  }

  async restart(): Promise<void> {
    await this.#inTurn(() => this.#parts.machine.restart())
  }

  variables(language: Language): Promise<Outcome<Variable[]>> {
    return this.#asking.variables(language)
  }

  complete(language: Language, code: string, offset: number): Promise<Outcome<Completion[]>> {
    return this.#asking.complete(language, code, offset)
  }

  hover(language: Language, code: string, offset: number): Promise<Outcome<Hover | null>> {
    return this.#asking.hover(language, code, offset)
  }

  table(language: Language, name: string, from: number): Promise<Outcome<TablePiece>> {
    return this.#asking.table(language, name, from)
  }

  async #ask<Q, T>(question: Q, answer: (passed: Passed<Q>) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (this.#closed) return fail('sandbox.closed', 'The sandbox has ended.', 'Run a cell to start a new one.')
    if (this.#stop) return fail('sandbox.busy', 'The kernel is busy.', 'Wait for the run to end, or stop it.')
    return this.#inTurn(async () => {
      const passed = await this.#parts.guard.pass(question, this.#parts.conversation)
      if (!passed.ok) return passed
      try {
        await this.#parts.awake.for(0)
        return await answer(passed.value)
      } catch (error) {
        return this.#failed(error)
      }
    })
  }

  /** What the service last measured, of the whole machine. */
  async usage(): Promise<Usage> {
    const measured = this.#closed ? null : await this.#parts.machine.metrics().catch(() => null)
    return { memoryBytes: measured?.memUsed ?? 0, cpuTimeMs: 0, processes: 0, diskBytes: measured?.diskUsed ?? 0 }
  }

  fork(to?: PathRef): Promise<Outcome<Sandbox>> {
    return this.#inTurn(async () => {
      if (this.#closed) return fail('sandbox.closed', 'The sandbox has ended.', 'Run a cell to start a new one.')
      try {
        await this.#parts.awake.for(0)
        return await this.#parts.copy(to)
      } catch (error) {
        const { kind, message, hint } = explain(error)
        // A service that does not know the call answers like one that does not know the machine.
        const isThere = kind === 'gone' && (await this.#parts.machine.isRunning().catch(() => false))
        return kind === 'refused' || isThere
          ? fail('sandbox.cannot-fork', 'This service copies no sandboxes with their state.', 'Branch without state.')
          : fail('sandbox.cannot-fork', message, hint)
      }
    })
  }

  pause(): Promise<Outcome<void>> {
    return this.#inTurn(async () => {
      try {
        await this.#parts.machine.pause()
      } catch (error) {
        return this.#failed(error)
      }
      await this.#leave()
      return ok(undefined)
    })
  }

  async close(reason: CloseReason): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    // One that another process has taken over is its own; one that cannot be reached is ended when its time is over.
    if (reason !== 'orphaned') await this.#parts.machine.kill().catch(() => undefined)
    await this.#leave()
  }

  async #leave(): Promise<void> {
    this.#closed = true
    await this.#parts.awake.over()
    this.#end()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }
}
