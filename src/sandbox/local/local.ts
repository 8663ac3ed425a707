import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../clock.ts'
import type { PathRef } from '../../contract/contexts.ts'
import { type RunId, SandboxId } from '../../contract/ids.ts'
import type { Environment } from '../../contract/placement.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { type Language, Limits } from '../../contract/run.ts'
import type { Ids } from '../../ids.ts'
import type { NetworkGate } from '../../network/network.ts'
import { KernelSandbox } from '../kernel/kernel-sandbox.ts'
import { type Link, ready } from '../kernel/link.ts'
import { OutputFolder, type OutputOptions } from '../kernel/outputs.ts'
import { Pool, Turnstile } from '../kernel/pool.ts'
import type { OpenOptions, OutputRange, Sandbox, SandboxProvider } from '../sandbox.ts'
import { makeBox, removeTree } from './box.ts'
import { removeGroups, sweepGroups } from './cgroup.ts'
import { isolationOf, type LocalHost, prepareLocalHost } from './local-host.ts'
import { removeAbandoned } from './orphans.ts'
import { startSingle } from './zygote.ts'

export { type Python, trustedPython } from './python.ts'

export interface LocalOptions extends OutputOptions {
  /** The folder of all data; working folders and long outputs stand below it. */
  readonly clock: Clock
  readonly ids: Ids
  /** Interpreter to use in place of the one that is found. */
  readonly python?: string
  /** The interpreter of an environment by name, as it is now; null: the one that is used without a name. */
  readonly interpreter?: (
    environment: string,
    of: PathRef,
  ) => Promise<Outcome<{ readonly python: string | null; readonly is: Environment }>>
  /** Program that builds the jail on Linux, in place of the `bwrap` that is found; where it fails there is no jail. */
  readonly bubblewrap?: string
  /** How many sandboxes wait ready to be handed out, and for which limits; of those with JavaScript, half as many. */
  readonly pool?: { readonly size: number; readonly limits?: Limits }
  /** Whether its numerical libraries are loaded once for all sandboxes, ahead of the first (yes); otherwise who imports them waits. */
  readonly preload?: boolean
  readonly log?: (message: string) => void
  /** The proxy that code in a jail can be granted hosts through; without it there is no network. */
  readonly network?: NetworkGate
}

const openLimitMs = 60_000
const openingAtOnce = 8
/** Interpreters besides the application's own whose libraries are kept loaded. */
const mostInterpreters = 3

/** Sandboxes on this machine: a jail from namespaces where the system has them, and no promise where it has not. */
export function localProvider(options: LocalOptions): LocalProvider {
  return new LocalProvider(options)
}

export class LocalProvider implements SandboxProvider {
  readonly kind = 'local'
  readonly #options: LocalOptions
  readonly #open = new Set<KernelSandbox>()
  readonly #turnstile = new Turnstile(openingAtOnce)
  readonly #pooled: Limits
  readonly #outputs: OutputFolder
  readonly #pools: Readonly<Record<'python' | 'javascript', Pool<KernelSandbox>>>
  /** One for each other interpreter: libraries are loaded once for all sandboxes that share one. */
  readonly #others = new Map<string, LocalProvider>()
  #localHost: Promise<Awaited<ReturnType<typeof prepareLocalHost>>> | null = null
  #closed = false

  constructor(options: LocalOptions) {
    this.#options = options
    this.#outputs = new OutputFolder(options)
    this.#pooled = Limits.parse(options.pool?.limits ?? {})
    const pool = (language: 'python' | 'javascript', size: number) =>
      new Pool(
        size,
        async () => {
          const made = await this.#make(this.#pooled, [language], new AbortController().signal)
          if (!made.ok) return null
          await made.value.answers(language) // whoever gets it is not to wait for a kernel that is still starting
          return made.value
        },
        sandbox => sandbox.close('manual'),
      )
    const size = options.pool?.size ?? 0
    this.#pools = { python: pool('python', size), javascript: pool('javascript', Math.ceil(size / 2)) }
  }

  async available() {
    const localHost = await this.#prepare()
    return 'missing' in localHost ? null : isolationOf(localHost.confinement)
  }

  async probe() {
    const localHost = await this.#prepare()
    if ('missing' in localHost) return { isolation: 'unconfined' as const, probes: localHost.missing }
    return { isolation: isolationOf(localHost.confinement), probes: localHost.probes }
  }

  /** Starts the zygote and fills a pool ahead of the first need; without this a pool fills after its first use. */
  async warm(language: Language): Promise<void> {
    await this.#prepare()
    await this.#pools[poolFor([language])].fill()
  }

  readOutput(run: RunId, range: OutputRange): Promise<Uint8Array | null> {
    return this.#outputs.read(run, range)
  }

  async open(options: OpenOptions, signal: AbortSignal): Promise<Outcome<Sandbox>> {
    if (this.#closed) return unavailable('The local sandbox has been shut down.')
    const wanted = options.placement?.environment
    if (!wanted || !options.path || !this.#options.interpreter) return this.#hand(options, signal)
    const found = await this.#options.interpreter(wanted.name, options.path)
    if (!found.ok) return found
    const { python, is } = found.value
    const provider = python === null ? this : await this.#other(python)
    const opened = await provider.#hand(options, signal)
    if (opened.ok) opened.value.environment = is
    return opened
  }

  /** The zygote of an interpreter that nothing uses any more makes room for the next. */
  async #other(python: string): Promise<LocalProvider> {
    for (const [name, provider] of this.#others) {
      if (name === python || provider.#open.size > 0 || this.#others.size < mostInterpreters) continue
      this.#others.delete(name)
      await provider.close()
    }
    const { pool: _, interpreter: __, ...rest } = this.#options
    const provider = this.#others.get(python) ?? new LocalProvider({ ...rest, python })
    this.#others.set(python, provider)
    return provider
  }

  async #hand(options: OpenOptions, signal: AbortSignal): Promise<Outcome<KernelSandbox>> {
    const warm = options.warm ?? ['python']
    if (isDeepStrictEqual(Limits.parse(options.limits), this.#pooled)) {
      const pool = poolFor(warm)
      for (let ready = this.#pools[pool].take(); ready; ready = this.#pools[pool].take()) {
        // It may have been killed while it waited; a question costs less than a run that comes to nothing.
        if (!(await ready.isWell())) continue
        ready.inUse()
        return ok(ready)
      }
    }
    const made = await this.#turnstile.pass(() => this.#make(options.limits, warm, signal))
    if (made.ok) made.value.inUse()
    return made
  }

  async endOrphans(): Promise<number> {
    return removeAbandoned(join(this.#options.home, 'sandboxes'))
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(Object.values(this.#pools).map(pool => pool.close()))
    await Promise.all([...this.#open].map(sandbox => sandbox.close('manual')))
    await Promise.all([...this.#others.values()].map(provider => provider.close()))
    const localHost = await this.#localHost
    if (!localHost || 'missing' in localHost) return
    await localHost.zygote?.close()
    if (localHost.groups) await removeGroups(localHost.groups)
    await localHost.listener.close()
    if (localHost.boxes !== null) await removeTree(localHost.boxes, localHost.host.python.executable)
  }

  async #prepare() {
    this.#localHost ??= prepareLocalHost(this.#options).then(localHost => {
      // A zygote that was killed takes its sandboxes with it; the next one to be opened gets a new zygote.
      if ('zygote' in localHost)
        void localHost.zygote?.link.closed.then(async () => {
          this.#localHost = null
          if (!this.#closed) await localHost.listener.close()
        })
      return localHost
    })
    return this.#localHost
  }

  async #make(
    limits: Limits,
    warm: readonly Language[],
    signal: AbortSignal,
    retry = true,
  ): Promise<Outcome<KernelSandbox>> {
    const localHost = await this.#prepare()
    if ('missing' in localHost)
      return unavailable(localHost.missing[0]?.detail ?? 'The local sandbox cannot be had here.')
    const id = this.#options.ids.make(SandboxId)
    const box = localHost.boxes === null ? null : makeBox(localHost.boxes, id, localHost.owner)
    const starting = AbortSignal.any([signal, AbortSignal.timeout(openLimitMs)])
    try {
      const link = await this.#start(localHost, id, box, limits, warm, starting)
      return ok(this.#adopt(localHost, id, box, limits, link))
    } catch (error) {
      await discardBox(localHost, box)
      // It was killed just now: a new one is started for this.
      if (localHost.zygote?.gone && retry && !this.#closed) return this.#make(limits, warm, signal, false)
      if (signal.aborted)
        return fail('request.cancelled', 'The sandbox was no longer wanted.', 'Run again to start one.')
      const message = error instanceof Error ? error.message : String(error)
      this.#options.log?.(`a local sandbox did not start: ${message}`)
      return fail(
        'sandbox.failed',
        `The sandbox did not start: ${message}.`,
        'Run `countersign doctor` to see what is missing.',
      )
    }
  }

  async #start(
    localHost: LocalHost,
    id: SandboxId,
    box: string | null,
    limits: Limits,
    warm: readonly Language[],
    signal: AbortSignal,
  ): Promise<Link> {
    const { zygote, listener } = localHost
    if (!zygote || box !== null) {
      const confinement = localHost.confinement === 'seatbelt' ? 'seatbelt' : 'none'
      return startSingle({ ...localHost, confinement, id, folder: box ?? '', limits })
    }
    const failed = new AbortController()
    zygote.failures.set(id, message => failed.abort(new Error(message)))
    void zygote.link.closed.then(() => failed.abort(new Error('the zygote ended')))
    zygote.link.keepsAlive(true)
    try {
      const { token, arrived } = listener.expect(id, AbortSignal.any([signal, failed.signal]))
      zygote.link.send({ type: 'open', id, token, limits, warm })
      const { link } = await arrived
      await ready(link)
      return link
    } finally {
      zygote.failures.delete(id)
      zygote.link.keepsAlive(zygote.failures.size > 0)
    }
  }

  #adopt(localHost: LocalHost, id: SandboxId, box: string | null, limits: Limits, link: Link): KernelSandbox {
    const sandbox: KernelSandbox = new KernelSandbox({
      id,
      kind: this.kind,
      isolation: isolationOf(localHost.confinement),
      limits,
      link,
      clock: this.#options.clock,
      network: this.#options.network,
      outputs: this.#outputs,
      discard: async () => {
        this.#open.delete(sandbox)
        await discardBox(localHost, box)
        if (localHost.groups) sweepGroups(localHost.groups, this.#options.clock.now())
      },
      fork: localHost.zygote ? () => this.#fork(localHost, sandbox) : undefined,
    })
    this.#open.add(sandbox)
    return sandbox
  }

  /** The copy reports like any other sandbox; the supervisor of its parent has made it. */
  async #fork(localHost: LocalHost, parent: KernelSandbox): Promise<Outcome<Sandbox>> {
    const id = this.#options.ids.make(SandboxId)
    const refused = new AbortController()
    const { token, arrived } = localHost.listener.expect(
      id,
      AbortSignal.any([refused.signal, AbortSignal.timeout(openLimitMs)]),
    )
    const started = arrived.then(({ link }) => ready(link).then(() => link))
    started.catch(() => undefined)
    const answer = await parent.ask({ type: 'fork', id, token, limits: parent.limits })
    if (!answer.ok) {
      refused.abort()
      return answer
    }
    try {
      const forked = this.#adopt(localHost, id, null, parent.limits, await started)
      forked.environment = parent.environment
      forked.inUse()
      return ok(forked)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return fail('sandbox.cannot-fork', `The copy could not be made: ${message}.`, 'Branch without state.')
    }
  }
}

async function discardBox(localHost: LocalHost, box: string | null): Promise<void> {
  if (box !== null) await removeTree(box, localHost.host.python.executable)
}

const poolFor = (languages: readonly Language[]) =>
  languages.some(language => language === 'javascript' || language === 'typescript') ? 'javascript' : 'python'

const unavailable = (message: string): Outcome<never> =>
  fail('sandbox.unavailable', message, 'Run `countersign doctor` to see what is missing.')
