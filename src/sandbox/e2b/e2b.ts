import { createHash } from 'node:crypto'
import type { E2B } from '@e2b/code-interpreter'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { PathRef } from '../../contract/contexts.ts'
import { SandboxId } from '../../contract/ids.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import type { Limits } from '../../contract/run.ts'
import type { Probe } from '../../contract/sandbox.ts'
import type { Ids } from '../../ids.ts'
import { OutputFolder, type OutputOptions } from '../kernel/outputs.ts'
import type { LeftBehind, OpenOptions, Pausing, Sandbox, SandboxProvider } from '../sandbox.ts'
import { Awake, type Stretch } from './awake.ts'
import { type CloudGuard, CloudSandbox } from './cloud-sandbox.ts'
import { explain } from './explain.ts'
import { CloudMachine, connectService } from './service.ts'

export type { Stretch } from './awake.ts'
export { cloudGuard } from './guard.ts'

/** How a machine came to be awake. */
export type Begun = 'made' | 'resumed' | 'forked'

/** Counts what machines take, and says when that is enough. */
export interface CloudMeter {
  /** Whether one may be awake for this path now, with what the person has to know of the limits. */
  allowance(path: PathRef | undefined): Promise<Outcome<string[]>>
  begin(of: { path: PathRef | undefined; sandbox: SandboxId; begun: Begun }): Promise<Stretch>
  /** Those that a killed application left awake are counted no longer. */
  left(sandboxes: readonly SandboxId[]): Promise<void>
}

export interface E2bOptions extends OutputOptions {
  /** The folder of all data; long outputs stand below it. */
  /** `E2B_API_KEY`, and the addresses of a service in place of those that follow from its domain. */
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly ids: Ids
  readonly guard: CloudGuard
  /** Host of the service; empty means E2B's own. */
  readonly domain: () => string
  /** How long the service keeps a machine awake after its last use, within what the policy allows. */
  readonly awakeMs: () => Promise<number>
  /** The key that the key store holds; the environment goes first. */
  readonly storedKey?: () => Promise<Uint8Array | null>
  /** Whether the policy lets code and files leave this machine, asked each time that something would. */
  readonly isAllowed: () => Promise<boolean>
  /** Whether a person has let this path go there. */
  readonly mayLeave: (path: PathRef | undefined) => Promise<boolean>
  readonly meter: CloudMeter
  readonly log?: (message: string) => void
}

export interface E2bProvider extends SandboxProvider {
  readonly pausing: Pausing
  /** Asks the service whether it takes the key, whatever the policy says: a person has asked for it. */
  test(): Promise<Probe>
}

const template = 'code-interpreter-v1'
const app = 'countersign'
/** Another process may be making a machine that no record names yet. */
const graceMs = 5 * 60_000

const Credentials = z.object({ sandbox: z.string().regex(/^[\w-]{1,100}$/) })

/** Sandboxes of E2B, in its cloud or at a service of one's own. */
export function e2bProvider(options: E2bOptions): E2bProvider {
  const { env, clock, guard, meter } = options
  const owner = createHash('sha256').update(`e2b ${options.home}`).digest('hex').slice(0, 32)
  const outputs = new OutputFolder(options)
  const open = new Set<CloudSandbox>()
  let closed = false
  /** Copies that are being made. They bear the marks of their original, which may be old. */
  let copying = 0
  let service: { key: string; domain: string; client: Promise<E2B> } | null = null

  async function key(): Promise<string | null> {
    const stored = env.E2B_API_KEY || Buffer.from((await options.storedKey?.()) ?? []).toString('utf8')
    return stored.trim() || null
  }

  async function client(): Promise<E2B | null> {
    const found = await key()
    const domain = options.domain()
    if (!found) return null
    if (service?.key !== found || service.domain !== domain) {
      const { E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = env
      service = { key: found, domain, client: connectService({ key: found, domain, apiUrl, sandboxUrl }) }
    }
    return service.client
  }

  /** The service, where policy, person and limits let this path go there now. */
  async function allowed(path: PathRef | undefined): Promise<Outcome<E2B>> {
    if (closed) return fail('sandbox.unavailable', 'The cloud has been shut down.', 'Start the application again.')
    if (!(await options.isAllowed())) return fail('sandbox.unavailable', notAllowed.detail, notAllowed.hint)
    if (!(await options.mayLeave(path))) return fail('cloud.not-allowed', notAgreed.detail, notAgreed.hint)
    const room = await meter.allowance(path)
    if (!room.ok) return room
    const e2b = await client()
    return e2b ? ok(e2b) : fail('sandbox.unavailable', noKey.detail, noKey.hint)
  }

  async function mayRun(path: PathRef | undefined): Promise<Outcome<string[]>> {
    if (!(await options.isAllowed())) return fail('sandbox.unavailable', notAllowed.detail, notAllowed.hint)
    if (!(await options.mayLeave(path))) return fail('cloud.not-allowed', notAgreed.detail, notAgreed.hint)
    return meter.allowance(path)
  }

  interface Made {
    readonly id: SandboxId
    readonly machine: CloudMachine
    readonly limits: Limits
    readonly path: PathRef | undefined
    readonly begun: Begun
    readonly grantedMs: number
  }

  /** A machine that is awake, as a sandbox; where it cannot be counted it is not used. */
  async function sandboxOf({ id, machine, limits, path, begun, grantedMs }: Made): Promise<CloudSandbox> {
    const stretch = await meter.begin({ path, sandbox: id, begun })
    const resumed = () => meter.begin({ path, sandbox: id, begun: 'resumed' })
    const awake = new Awake(machine, { clock, awakeMs: options.awakeMs, resumed, stretch, grantedMs })
    const sandbox = new CloudSandbox({
      ...{ id, limits, machine, guard, clock, outputs, awake },
      conversation: path?.conversation ?? null,
      mayRun: () => mayRun(path),
      copy: async to => {
        const may = await allowed(to)
        if (!may.ok) return may
        const forMs = await options.awakeMs()
        copying++
        try {
          const copied = await machine.fork(forMs)
          const made = { id: options.ids.make(SandboxId), machine: copied, limits, path: to, grantedMs: forMs }
          return await adopted(copied, () => sandboxOf({ ...made, begun: 'forked' }))
        } finally {
          copying--
        }
      },
    })
    open.add(sandbox)
    void sandbox.ended.then(() => open.delete(sandbox))
    return sandbox
  }

  async function adopted(machine: CloudMachine, make: () => Promise<CloudSandbox>): Promise<Outcome<CloudSandbox>> {
    try {
      await machine.adopt()
      return ok(await make())
    } catch (error) {
      await machine.kill().catch(() => undefined)
      throw error
    }
  }

  async function make(e2b: E2B, { limits, path }: OpenOptions, signal: AbortSignal): Promise<Outcome<Sandbox>> {
    const id = options.ids.make(SandboxId)
    const grantedMs = await options.awakeMs()
    const names = opaque(owner, path)
    let machine: CloudMachine | null = null
    try {
      const made = await e2b.Sandbox.create(template, {
        timeoutMs: grantedMs,
        metadata: { app, owner, sandbox: id, made: String(clock.now()), ...names },
        envs: { TENANT_ID: names.tenant, CONVERSATION_ID: names.conversation, PATH_ID: names.path },
        allowInternetAccess: false,
        // A machine that is forgotten sleeps with its variables, and costs nothing.
        lifecycle: { onTimeout: 'pause', autoResume: false },
        signal,
      })
      machine = new CloudMachine(made)
      await machine.prepare()
      return ok(await sandboxOf({ id, machine, limits, path, begun: 'made', grantedMs }))
    } catch (error) {
      await machine?.kill().catch(() => undefined)
      return notOpened(error, signal)
    }
  }

  function notOpened(error: unknown, signal: AbortSignal): Outcome<never> {
    if (signal.aborted) return fail('request.cancelled', 'The sandbox was no longer wanted.', 'Run again to start one.')
    const { kind, message, hint } = explain(error)
    options.log?.(`a cloud sandbox was not opened: ${kind}`)
    return fail(kind === 'gone' ? 'sandbox.closed' : 'sandbox.failed', message, hint)
  }

  const pausing: Pausing = {
    async resume({ sandbox: id, credentials }, { limits, path }, signal) {
      const may = await allowed(path)
      if (!may.ok) return may
      const known = machineOf(credentials)
      if (!known)
        return fail('sandbox.closed', 'It is not known which machine it was.', 'Run again; a new one is made.')
      const grantedMs = await options.awakeMs()
      try {
        const machine = new CloudMachine(await may.value.Sandbox.connect(known, { timeoutMs: grantedMs, signal }))
        // Whatever a run was granted before it was cut off is over.
        await machine.allow([])
        await machine.adopt()
        return ok(await sandboxOf({ id, machine, limits, path, begun: 'resumed', grantedMs }))
      } catch (error) {
        return notOpened(error, signal)
      }
    },

    async rest(left) {
      await meter.left(left.map(({ sandbox }) => sandbox))
      const e2b = await client()
      if (!e2b) return left.map(({ sandbox }) => sandbox)
      const paused = await Promise.all(
        left.map(async ({ sandbox, credentials }) => {
          const machine = machineOf(credentials)
          if (!machine) return []
          // One that cannot be reached now pauses by itself; only one that is known to be gone is lost.
          const isGone = await e2b.Sandbox.pause(machine).then(
            () => false,
            error => explain(error).kind === 'gone',
          )
          return isGone ? [] : [sandbox]
        }),
      )
      return paused.flat()
    },

    async discard({ credentials }) {
      const [e2b, machine] = [await client(), machineOf(credentials)]
      if (e2b && machine) await e2b.Sandbox.kill(machine)
    },
  }

  return {
    kind: 'e2b',
    pausing,

    async available() {
      return (await key()) ? 'cloud' : null
    },

    async probe() {
      // The service learns of this machine only where the policy lets code go there.
      const e2b = await client()
      const probe =
        e2b && !(await options.isAllowed())
          ? { name: 'e2b', available: false, ...notAllowed }
          : look(e2b, options.domain())
      return { isolation: 'cloud', probes: [await probe] }
    },

    async test() {
      return look(await client(), options.domain())
    },

    async warm() {
      // A machine that waits costs money, so none is made ahead of need.
    },

    async open(wanted, signal) {
      const may = await allowed(wanted.path)
      return may.ok ? make(may.value, wanted, signal) : may
    },

    readOutput: (run, range) => outputs.read(run, range),

    async endOrphans(left = [], held = []) {
      const e2b = await client()
      if (!e2b) return 0
      await meter.left(left.map(({ sandbox }) => sandbox))
      const found = new Set(left.flatMap(({ credentials }: LeftBehind) => machineOf(credentials) ?? []))
      if (found.size === 0 && !(await options.isAllowed())) return 0
      try {
        const pages = e2b.Sandbox.list({ query: { metadata: { app, owner }, state: ['running', 'paused'] } })
        const marked: string[] = []
        while (pages.hasNext)
          // The filter is the service's; another installation of the same account must never be hit.
          for (const { sandboxId, metadata } of await pages.nextItems())
            if (metadata.app === app && metadata.owner === owner && isOld(metadata.made)) marked.push(sandboxId)
        // One of them may be a copy that nobody knows yet; the next clean-up finds what was left.
        if (copying === 0) for (const each of marked) found.add(each)
      } catch (error) {
        options.log?.(`cloud sandboxes that were left could not be listed: ${explain(error).kind}`)
      }
      // Looked at last: a copy may have been finished while the service was listing.
      const ours = new Set([...open, ...held].map(({ credentials }) => machineOf(credentials ?? null)))
      const orphans = [...found].filter(id => !ours.has(id))
      const ended = await Promise.all(orphans.map(id => e2b.Sandbox.kill(id).catch(() => false)))
      return ended.filter(Boolean).length
    },

    async close() {
      closed = true
      await Promise.all([...open].map(sandbox => sandbox.close('manual')))
    },
  }

  /** By this machine's own mark: the clock of the service may be another one. */
  function isOld(made: string | undefined): boolean {
    return !(clock.now() - Number(made) < graceMs)
  }
}

const notAllowed = {
  detail: 'The policy does not let code and files leave this machine.',
  hint: 'Ask for a policy that has `cloud: true`, or use a sandbox of this machine.',
}
const notAgreed = {
  detail: 'Nobody has let this path go to the cloud.',
  hint: 'Choose the cloud at the path’s sandbox badge, which shows what would leave.',
}
const noKey = {
  detail: 'No key for the cloud sandbox is set.',
  hint: 'Set it in the settings under Cloud, or as E2B_API_KEY; the policy must also have `cloud: true`.',
}

async function look(e2b: E2B | null, domain: string): Promise<Probe> {
  if (!e2b) return { name: 'e2b', available: false, ...noKey }
  try {
    await e2b.Sandbox.list({ limit: 1 }).nextItems()
    return { name: 'e2b', available: true, detail: `E2B at ${domain || 'e2b.app'}, template ${template}` }
  } catch (error) {
    const { message, hint } = explain(error)
    return { name: 'e2b', available: false, detail: message, hint }
  }
}

/** Ids that tell the service which machines belong together, and nothing else. */
function opaque(owner: string, path: PathRef | undefined) {
  const hide = (id: string | undefined) =>
    id ? createHash('sha256').update(`${owner} ${id}`).digest('hex').slice(0, 32) : 'none'
  return { tenant: hide(path?.tenant), conversation: hide(path?.conversation), path: hide(path?.path) }
}

function machineOf(credentials: string | null): string | null {
  try {
    return Credentials.parse(JSON.parse(credentials ?? 'null')).sandbox
  } catch {
    return null
  }
}
