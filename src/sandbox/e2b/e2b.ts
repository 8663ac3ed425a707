import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { E2B } from '@e2b/code-interpreter'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { PathRef } from '../../contract/contexts.ts'
import { SandboxId } from '../../contract/ids.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import type { Probe } from '../../contract/sandbox.ts'
import type { Ids } from '../../ids.ts'
import { OutputFolder } from '../kernel/outputs.ts'
import type { LeftBehind, OpenOptions, Sandbox, SandboxProvider } from '../sandbox.ts'
import { type CloudGuard, CloudSandbox } from './cloud-sandbox.ts'
import { explain } from './explain.ts'
import { CloudMachine, connectService } from './service.ts'

export { cloudGuard } from './guard.ts'

export interface E2bOptions {
  /** The folder of all data; long outputs stand below it. */
  readonly home: string
  /** `E2B_API_KEY`, `E2B_DOMAIN`, `E2B_DEFAULT_TTL_MINUTES`, `E2B_SANDBOX_TIMEOUT` and the addresses of a service. */
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly ids: Ids
  readonly guard: CloudGuard
  /** The key that the key store holds; the environment goes first. */
  readonly storedKey?: () => Promise<Uint8Array | null>
  /** Whether the policy lets code and files leave this machine, asked each time that a sandbox is made. */
  readonly isAllowed: () => Promise<boolean>
  readonly log?: (message: string) => void
}

const template = 'code-interpreter-v1'
const minute = 60_000
/** The service's own longest time for most accounts. */
const longestMs = 60 * minute
const app = 'countersign'

const Credentials = z.object({ sandbox: z.string().regex(/^[\w-]{1,100}$/) })

/** Sandboxes of E2B, in its cloud or at a service of one's own that E2B_DOMAIN names. */
export function e2bProvider(options: E2bOptions): SandboxProvider {
  const { env, clock, guard } = options
  const owner = createHash('sha256').update(`e2b ${options.home}`).digest('hex').slice(0, 32)
  const outputs = new OutputFolder(join(options.home, 'outputs'))
  const open = new Set<CloudSandbox>()
  let closed = false
  let service: { key: string; client: Promise<E2B> } | null = null

  async function key(): Promise<string | null> {
    const stored = env.E2B_API_KEY || Buffer.from((await options.storedKey?.()) ?? []).toString('utf8')
    return stored.trim() || null
  }

  async function client(): Promise<E2B | null> {
    const found = await key()
    if (!found) return null
    if (service?.key !== found)
      service = {
        key: found,
        client: connectService({
          key: found,
          domain: env.E2B_DOMAIN,
          apiUrl: env.E2B_API_URL,
          sandboxUrl: env.E2B_SANDBOX_URL,
        }),
      }
    return service.client
  }

  async function make(e2b: E2B, { limits, path }: OpenOptions, signal: AbortSignal): Promise<Outcome<Sandbox>> {
    const id = options.ids.make(SandboxId)
    const keepMs = timeLimit(env)
    const names = opaque(owner, path)
    let machine: CloudMachine | null = null
    try {
      const made = await e2b.Sandbox.create(template, {
        timeoutMs: keepMs,
        metadata: { app, owner, sandbox: id, ...names },
        envs: { TENANT_ID: names.tenant, CONVERSATION_ID: names.conversation, PATH_ID: names.path },
        allowInternetAccess: false,
        signal,
      })
      machine = new CloudMachine(made)
      await machine.prepare()
      const conversation = path?.conversation ?? null
      const sandbox = new CloudSandbox({ id, limits, machine, conversation, guard, clock, outputs, keepMs })
      open.add(sandbox)
      void sandbox.ended.then(() => open.delete(sandbox))
      return ok(sandbox)
    } catch (error) {
      await machine?.kill().catch(() => undefined)
      if (signal.aborted)
        return fail('request.cancelled', 'The sandbox was no longer wanted.', 'Run again to start one.')
      const { kind, message, hint } = explain(error)
      options.log?.(`a cloud sandbox was not made: ${kind}`)
      return fail('sandbox.failed', message, hint)
    }
  }

  return {
    kind: 'e2b',

    async available() {
      return (await key()) ? 'cloud' : null
    },

    async probe() {
      // The service learns of this machine only where the policy lets code go there.
      const e2b = await client()
      const probe =
        e2b && !(await options.isAllowed()) ? { name: 'e2b', available: false, ...notAllowed } : look(e2b, env)
      return { isolation: 'cloud', probes: [await probe] }
    },

    async warm() {
      // A machine that waits costs money, so none is made ahead of need.
    },

    async open(wanted, signal) {
      if (closed) return fail('sandbox.unavailable', 'The cloud has been shut down.', 'Start the application again.')
      if (!(await options.isAllowed())) return fail('sandbox.unavailable', notAllowed.detail, notAllowed.hint)
      const e2b = await client()
      if (!e2b) return fail('sandbox.unavailable', noKey.detail, noKey.hint)
      return make(e2b, wanted, signal)
    },

    readOutput: (run, range) => outputs.read(run, range),

    async endOrphans(left = []) {
      const e2b = await client()
      if (!e2b) return 0
      const ours = new Set([...open].map(({ credentials }) => machineOf(credentials)))
      const found = new Set(left.flatMap(({ credentials }: LeftBehind) => machineOf(credentials) ?? []))
      if (found.size === 0 && !(await options.isAllowed())) return 0
      try {
        const pages = e2b.Sandbox.list({ query: { metadata: { app, owner }, state: ['running', 'paused'] } })
        while (pages.hasNext)
          // The filter is the service's; another installation of the same account must never be hit.
          for (const { sandboxId, metadata } of await pages.nextItems())
            if (metadata.app === app && metadata.owner === owner) found.add(sandboxId)
      } catch (error) {
        options.log?.(`cloud sandboxes that were left could not be listed: ${explain(error).kind}`)
      }
      const orphans = [...found].filter(id => !ours.has(id))
      const ended = await Promise.all(orphans.map(id => e2b.Sandbox.kill(id).catch(() => false)))
      return ended.filter(Boolean).length
    },

    async close() {
      closed = true
      await Promise.all([...open].map(sandbox => sandbox.close('manual')))
    },
  }
}

const notAllowed = {
  detail: 'The policy does not let code and files leave this machine.',
  hint: 'Ask for a policy that has `cloud: true`, or use a sandbox of this machine.',
}
const noKey = {
  detail: 'No key for the cloud sandbox is set.',
  hint: 'Set E2B_API_KEY; the policy must also have `cloud: true`.',
}

async function look(e2b: E2B | null, env: NodeJS.ProcessEnv): Promise<Probe> {
  if (!e2b) return { name: 'e2b', available: false, ...noKey }
  try {
    await e2b.Sandbox.list({ limit: 1 }).nextItems()
    return { name: 'e2b', available: true, detail: `E2B at ${env.E2B_DOMAIN || 'e2b.app'}, template ${template}` }
  } catch (error) {
    const { message, hint } = explain(error)
    return { name: 'e2b', available: false, detail: message, hint }
  }
}

/** How long the service keeps a machine that nobody uses: E2B_SANDBOX_TIMEOUT in ms, else the minutes of the TTL. */
export function timeLimit(env: NodeJS.ProcessEnv): number {
  const ms = Number(env.E2B_SANDBOX_TIMEOUT) || Number(env.E2B_DEFAULT_TTL_MINUTES) * minute || 30 * minute
  return Math.min(longestMs, Math.max(minute, ms))
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
