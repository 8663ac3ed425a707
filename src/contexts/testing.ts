import { onTestFinished } from 'vitest'
import type { AuditEvent, Recorder } from '../audit/audit.ts'
import { ManualClock } from '../clock.testing.ts'
import { ContextStatus, type PathRef } from '../contract/contexts.ts'
import { ConversationId, PathId, RunId, SandboxId, TenantId, UserId } from '../contract/ids.ts'
import type { Placement, SandboxFacts } from '../contract/placement.ts'
import { Failure, fail, type Outcome, ok, type Problem } from '../contract/problem.ts'
import { type Isolation, Limits, type Output, type RunOutcome, type SandboxKind } from '../contract/run.ts'
import type { Shown } from '../contract/shown.ts'
import { createFiles } from '../files/files.ts'
import { uuidV7 } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import type { ClearedRun } from '../runs/run.ts'
import type {
  CloseReason,
  LeftBehind,
  OpenOptions,
  OutputSink,
  Pausing,
  Sandbox,
  SandboxProvider,
} from '../sandbox/sandbox.ts'
import { temporaryFolder, temporaryStorage } from '../storage/testing.ts'
import { type ContextLimits, type ContextsOptions, createContexts } from './contexts.ts'

const ids = uuidV7(new ManualClock())

const isolationOf = {
  local: 'jail',
  docker: 'container',
  gvisor: 'user-space kernel',
  microvm: 'microvm',
  e2b: 'cloud',
} as const

/**
 * A sandbox whose programs are single words: `set x 1` and `get x` keep state, `wait` runs until it is interrupted,
 * stopped or released, `deaf` until it is released, `slow` meets its time limit, `die` takes the sandbox with it,
 * `break` loses the connection, `fall` blames the sandbox.
 */
export class FakeSandbox implements Sandbox {
  readonly id = ids.make(SandboxId)
  readonly kind: SandboxKind
  readonly isolation: Isolation
  readonly limits: Limits
  /** What it says of itself beyond its kind. */
  facts: Omit<SandboxFacts, 'kind' | 'isolation'> = { image: null, environment: null, mounts: [] }
  readonly credentials?: string
  readonly ran: string[] = []
  readonly variablesNow = new Map<string, string>()
  readonly filesNow = new Map<string, Uint8Array>()
  closedFor: CloseReason | null = null
  restarting: 'works' | 'fails' | 'hangs' = 'works'
  release: () => void = () => undefined
  readonly ended: Promise<void>
  #end: () => void = () => undefined
  #interrupt: () => void = () => undefined

  constructor(kind: SandboxKind, limits = Limits.parse({}), credentials?: string) {
    this.kind = kind
    this.isolation = isolationOf[kind]
    this.limits = limits
    if (credentials !== undefined) this.credentials = credentials
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  describe() {
    const { kind, isolation } = this
    return { ...this.facts, kind, isolation, limits: this.limits }
  }

  readonly files = {
    list: async () =>
      ok(
        [...this.filesNow].map(([path, { length: bytes }]) => ({ path, kind: 'file' as const, bytes, modifiedAt: 0 })),
      ),
    read: async (path: string, range?: { offset: number; length: number }) => {
      const bytes = this.filesNow.get(path)
      if (!bytes) return fail('not-found', 'no such file', '')
      return ok(range ? bytes.subarray(range.offset, range.offset + range.length) : bytes)
    },
    write: async (path: string, bytes: Uint8Array, options?: { append?: boolean }) => {
      const before = options?.append ? (this.filesNow.get(path) ?? new Uint8Array()) : new Uint8Array()
      this.filesNow.set(path, Buffer.concat([before, bytes]))
      return ok(undefined)
    },
    remove: async (path: string) => {
      this.filesNow.delete(path)
      return ok(undefined)
    },
  }

  async run(run: ClearedRun, sink: OutputSink, signal: AbortSignal): Promise<RunOutcome> {
    this.ran.push(run.code)
    const [word, name = '', value = ''] = run.code.split(' ')
    switch (word) {
      case 'set':
        this.variablesNow.set(name, value)
        return this.#outcome({})
      case 'get': {
        const text = this.variablesNow.get(name) ?? 'undefined'
        await sink({ type: 'stream', name: 'stdout', text })
        return this.#outcome({ stdout: text, outputs: [{ type: 'stream', name: 'stdout', text }] })
      }
      case 'wait':
        return new Promise(resolve => {
          this.release = () => resolve(this.#outcome({}))
          this.#interrupt = () => resolve(this.#outcome({ kind: 'killed' }))
          if (signal.aborted) this.#interrupt()
          signal.addEventListener('abort', () => this.#interrupt())
        })
      case 'deaf':
        return new Promise(resolve => {
          this.release = () => {
            void sink({ type: 'stream', name: 'stdout', text: 'too late' })
            resolve(this.#outcome({}))
          }
        })
      case 'slow':
        return this.#outcome({ kind: 'timeout' })
      case 'fall':
        return {
          ...this.#outcome({}),
          success: false,
          error: { kind: 'sandbox', name: 'fell', message: '', traceback: [] },
        }
      case 'die':
        await sink({ type: 'stream', name: 'stdout', text: 'last words' })
        this.crash()
        return new Promise(() => undefined)
      case 'break':
        throw new Error('ECONNRESET token=secret')
      default:
        return this.#outcome({})
    }
  }

  crash(): void {
    this.#end()
  }

  async interrupt(): Promise<void> {
    this.#interrupt()
  }

  async restart(): Promise<void> {
    if (this.restarting === 'fails') throw new Error('EPIPE')
    if (this.restarting === 'hangs') return new Promise(() => undefined)
    this.variablesNow.clear()
  }

  async variables() {
    return ok([...this.variablesNow].map(([name, preview]) => ({ name, type: 'str', shape: null, bytes: 1, preview })))
  }

  async complete() {
    return ok([])
  }

  async hover() {
    return ok(null)
  }

  async table() {
    return ok({ value: '1', rows: 0, fields: [], cells: '[]' })
  }

  async usage() {
    return { memoryBytes: 1, cpuTimeMs: 2, processes: 3, diskBytes: 4 }
  }

  fork?(): Promise<Outcome<Sandbox>>
  pause?(): Promise<Outcome<void>>

  async close(reason: CloseReason): Promise<void> {
    this.closedFor ??= reason
    this.#end()
  }

  #outcome({ stdout = '', outputs = [], kind }: { stdout?: string; outputs?: Output[]; kind?: 'timeout' | 'killed' }) {
    const error = kind ? { kind, name: kind, message: kind, traceback: [] } : null
    return { ...blankOutcome, success: !kind, stdout, outputs, error, sandbox: this.kind, sandboxId: this.id }
  }
}

const blankOutcome = {
  stderr: '',
  truncated: false,
  exitCode: 0,
  executionTimeMs: 5,
  cpuTimeMs: 3,
  peakMemoryBytes: 1000,
  files: { created: [], modified: [], deleted: [] },
  network: [],
  warnings: [],
  isolation: 'jail' as const,
}

/** Opens fakes; `opening` says what becomes of the next ones. */
export class FakeProvider implements SandboxProvider {
  readonly kind: SandboxKind
  readonly opened: FakeSandbox[] = []
  readonly leftBehind: LeftBehind[] = []
  orphanSearches = 0
  credentials: string | undefined
  canFork = true
  /** Those that were paused, by their credentials; a back end that cannot pause has none. */
  asleep = new Map<string, FakeSandbox>()
  waking: 'works' | 'fails' = 'works'
  readonly held: LeftBehind[] = []
  pausing?: Pausing
  opening: 'works' | 'fails' | 'throws' | 'hangs' = 'works'
  arrive: () => void = () => undefined
  openSignal: AbortSignal | null = null
  openOptions: OpenOptions | null = null
  /** In what its sandboxes are not what was asked for. */
  lies: Partial<Record<'kind' | 'isolation' | 'limits' | 'facts', unknown>> = {}

  constructor(kind: SandboxKind) {
    this.kind = kind
  }

  get last(): FakeSandbox {
    const sandbox = this.opened.at(-1)
    if (!sandbox) throw new Error('nothing was opened')
    return sandbox
  }

  get openNow(): number {
    return this.opened.filter(sandbox => sandbox.closedFor === null).length
  }

  async available() {
    return 'jail' as const
  }

  async probe() {
    return { isolation: 'jail' as const, probes: [] }
  }

  async warm(): Promise<void> {}

  async readOutput() {
    return null
  }

  async open(options: OpenOptions, signal: AbortSignal): Promise<Outcome<Sandbox>> {
    this.openSignal = signal
    this.openOptions = options
    switch (this.opening) {
      case 'fails':
        return fail('not-found', 'bubblewrap is missing.', 'Install bubblewrap.')
      case 'throws':
        throw new Error('spawn EAGAIN')
      case 'hangs':
        return new Promise(resolve => {
          this.arrive = () => resolve(ok(this.#make()))
        })
      case 'works':
        return ok(this.#make())
    }
  }

  async endOrphans(left: readonly LeftBehind[] = [], held: readonly LeftBehind[] = []): Promise<number> {
    this.orphanSearches++
    this.leftBehind.push(...left)
    this.held.splice(0, Infinity, ...held)
    return left.length
  }

  async close(): Promise<void> {}

  /** From now on its sandboxes can be paused, as those of a service are that keeps them. */
  canPause(asleep = this.asleep): this {
    this.asleep = asleep
    this.credentials ??= `token-${this.kind}`
    this.pausing = {
      resume: async (left, options) => {
        if (this.waking === 'fails') return fail('sandbox.failed', 'The service does not answer.', 'Wait.')
        const kept = asleep.get(left.sandbox)
        if (!kept) return fail('sandbox.closed', 'It is no more.', 'Run again.')
        asleep.delete(left.sandbox)
        this.openOptions = options
        const woken = this.#make()
        for (const [name, value] of kept.variablesNow) woken.variablesNow.set(name, value)
        for (const [name, bytes] of kept.filesNow) woken.filesNow.set(name, bytes)
        return ok(Object.assign(woken, { id: left.sandbox }))
      },
      rest: async left => left.map(each => each.sandbox).filter(id => asleep.has(id)),
      discard: async left => void asleep.delete(left.sandbox),
    }
    return this
  }

  #make(): FakeSandbox {
    const sandbox = new FakeSandbox(this.kind, this.openOptions?.limits, this.credentials)
    Object.assign(sandbox, this.lies)
    if (this.canFork) {
      sandbox.fork = async () => {
        const copy = this.#make()
        for (const [name, value] of sandbox.variablesNow) copy.variablesNow.set(name, value)
        for (const [name, bytes] of sandbox.filesNow) copy.filesNow.set(name, bytes)
        return ok(copy)
      }
    }
    if (this.pausing)
      sandbox.pause = async () => {
        this.asleep.set(sandbox.id, sandbox)
        sandbox.crash()
        return ok(undefined)
      }
    this.opened.push(sandbox)
    return sandbox
  }
}

export function memoryKeys(): KeyStore {
  const kept = new Map<string, Uint8Array>()
  return {
    get: async name => kept.get(name) ?? null,
    set: async (name, value) => void kept.set(name, value),
    async add(name, value) {
      if (!kept.has(name)) kept.set(name, value)
      return kept.get(name) ?? value
    },
  }
}

export const jail: Placement = {
  kind: 'local',
  isolation: 'jail',
  image: null,
  environment: null,
  mounts: [],
  network: [],
  limits: Limits.parse({}),
  aside: false,
  reasons: [],
  warnings: [],
}

/** A run that is to go somewhere else, or to be given something else, than is usual. */
export const placed = (changes: Partial<Placement>) => ({ placement: { ...jail, ...changes } })

type RunChanges = Partial<ClearedRun> & { limits?: Limits }

export const analyst = ids.make(UserId)

/** A path in a conversation and a tenant of its own, or next to another. */
export function newPath(next?: Partial<PathRef>): PathRef {
  return {
    tenant: ids.make(TenantId),
    conversation: ids.make(ConversationId),
    ...next,
    path: next?.path ?? ids.make(PathId),
  }
}

export const sibling = ({ tenant, conversation }: PathRef): PathRef => newPath({ tenant, conversation })

export function runOf(path: PathRef, code: string, changes: RunChanges = {}): ClearedRun {
  return {
    ...path,
    id: ids.make(RunId),
    cell: null,
    requester: analyst,
    language: 'python',
    code,
    ...changes,
    placement: { ...jail, ...(changes.limits ? { limits: changes.limits } : {}), ...changes.placement },
    // Only approval/ makes these; what a context does with one does not depend on who cleared it.
  } as unknown as ClearedRun
}

/** Contexts over a real database, fake sandboxes and a clock that stands still. */
export async function harness(options: { limits?: Partial<ContextLimits>; storage?: Storages } & Changes = {}) {
  const clock = options.clock ?? new ManualClock()
  const storage = options.storage ?? (await temporaryStorage(clock))
  const entries: AuditEvent[] = []
  const trouble: Problem[] = []
  const store = { fails: false, isDown: false }
  const pruned = { times: 0 }
  const audit: Recorder = {
    async append(_, event) {
      if (store.fails) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_FULL' })
      entries.push(event)
    },
  }
  const local = options.local ?? new FakeProvider('local')
  const docker = new FakeProvider('docker')
  const files = createFiles({ storage, clock, home: temporaryFolder(), limitBytes: () => 1e9 })
  const contexts = createContexts({
    storage: {
      ...storage,
      write: work => (store.isDown ? Promise.reject(new Failure('storage.locked', 'held', '')) : storage.write(work)),
    },
    audit,
    provider: kind => (kind === 'local' ? local : kind === 'docker' ? docker : null),
    keys: options.keys ?? memoryKeys(),
    clock,
    ids: uuidV7(clock),
    placeForFiles: async () => ok(jail),
    files,
    limits: options.limits ?? {},
    onProblem: problem => trouble.push(problem),
    ...(options.owner ? { owner: options.owner } : {}),
    prune: async () => ++pruned.times,
  })
  onTestFinished(() => contexts.close())
  const events: ContextStatus[] = []
  contexts.subscribe(status => events.push(ContextStatus.parse(status)))
  const shown: Shown[] = []
  const run = (path: PathRef, code: string, changes: RunChanges = {}, signal = new AbortController().signal) =>
    contexts.run(runOf(path, code, changes), output => void shown.push(output), signal)
  const rows = () => storage.read.selectFrom('contexts').selectAll().orderBy('id').execute()
  return { contexts, storage, files, clock, local, docker, entries, trouble, store, pruned, events, shown, run, rows }
}

type Storages = Awaited<ReturnType<typeof temporaryStorage>>
interface Changes {
  clock?: ManualClock
  local?: FakeProvider
  keys?: KeyStore
  owner?: NonNullable<ContextsOptions['owner']>
}

/** The value of an outcome that must be a good one. */
export function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
  return outcome.value
}

export const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.problem.code)

/** Lets everything happen that waits for nothing but its turn, the database included. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}
