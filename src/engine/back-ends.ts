import { createCloud } from '../cloud/cloud.ts'
import type { Contexts } from '../contexts/contexts.ts'
import { Limits } from '../contract/run.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { Environments } from '../environments/environments.ts'
import { createGate } from '../network/network.ts'
import { machinesFolder } from '../places.ts'
import { dockerProvider } from '../sandbox/docker/docker.ts'
import { cloudGuard, e2bProvider } from '../sandbox/e2b/e2b.ts'
import { localProvider } from '../sandbox/local/local.ts'
import { microvmProvider } from '../sandbox/microvm/microvm.ts'
import { createRegistry } from '../sandbox/registry.ts'
import type { Workflows } from '../workflow/workflow.ts'
import type { EngineOptions, Foundation } from './foundation.ts'

/** What a back end asks about paths, which are made after it. */
export interface PathsLater {
  readonly conversations: Conversations
  readonly contexts: Contexts
  readonly environments: Environments
}

export type BackEnds = ReturnType<typeof createBackEnds>

/** Where code can run: every kind of sandbox, the network they share and the terms of the cloud. */
export function createBackEnds(
  foundation: Foundation,
  options: Pick<EngineOptions, 'backEnds' | 'pool' | 'preload'>,
  paths: () => PathsLater,
  workflows: () => Workflows,
) {
  const { home, env, clock, ids, keys, log, settings, storage, audit, privacy, tenant } = foundation
  const { files, policy, limits, onProblem, seals } = foundation
  const { python, pool = 0 } = {
    ...settings.current.sandbox,
    ...(options.pool === undefined ? {} : { pool: options.pool }),
  }
  const says = (sandbox: string) => (message: string) => log.warn({ sandbox }, message)
  const network = createGate({ log: message => log.warn({ network: 'proxy' }, message) })
  const { cutPlace } = privacy
  const local = localProvider({
    ...{ home, clock, ids, network, cutPlace },
    ...(python ? { python } : {}),
    interpreter: (name, of) => paths().environments.interpreter(of.tenant, name),
    pool: { size: pool, limits: Limits.parse({ memoryBytes: limits().memoryBytes }) },
    preload: options.preload ?? options.pool !== 0,
    log: says('local'),
  })
  const template = () => settings.current.sandbox.template
  // Containers are kept ready only where they are what every path is given.
  const containers = (type: 'docker' | 'gvisor') => ({
    ...{ home, env, clock, ids, network, template, cutPlace },
    pool: { size: settings.current.sandbox.type === type ? pool : 0, limits: limits() },
    log: says(type),
  })
  const docker = dockerProvider({ ...containers('docker'), onImages: () => void gvisor.probe() })
  const gvisor = dockerProvider({ ...containers('gvisor'), runtime: 'runsc' })
  const cloud = createCloud({
    ...{ storage, audit, keys, clock, ids, env, tenant, privacy, files, policy, onProblem, seals },
    settings: () => settings.current,
    conversations: () => paths().conversations,
    async endSandbox(ref, who) {
      // What works for the path stood on the same word.
      for (const each of [ref, ...(await workflows().places(ref))]) await paths().contexts.end(each, 'manual', who.user)
    },
    behind: ref => workflows().behind(ref),
  })
  const e2b = e2bProvider({
    ...{ home, env, clock, ids, guard: cloudGuard(privacy), cutPlace },
    domain: () => settings.current.cloud.domain,
    awakeMs: cloud.awakeMs,
    storedKey: cloud.storedKey,
    isAllowed: async () => (await policy()).cloud,
    mayLeave: cloud.isAgreed,
    meter: cloud.meter,
    log: says('e2b'),
  })
  const microvm = microvmProvider({
    ...{ home, env, clock, ids, network, template, limits, cutPlace },
    machines: machinesFolder(env),
    log: says('microvm'),
  })
  const own = options.backEnds?.map(each => each.kind) ?? []
  const builtIn = [local, docker, gvisor, microvm, e2b].filter(each => !own.includes(each.kind))
  const registry = createRegistry([...builtIn, ...(options.backEnds ?? [])])
  return { network, local, e2b, cloud, registry }
}
