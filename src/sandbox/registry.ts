import type { RunId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { type Isolation, isolations, type SandboxKind, sandboxKinds } from '../contract/run.ts'
import type { Probe } from '../contract/sandbox.ts'
import type { OutputRange, SandboxProvider } from './sandbox.ts'

export const securityLevels = ['low', 'moderate', 'high', 'maximum'] as const
export type SecurityLevel = (typeof securityLevels)[number]

/** `SANDBOX_TYPE`: a back end by name, or the best one for the security level. */
export const sandboxTypes = ['auto', ...sandboxKinds] as const
export type SandboxType = (typeof sandboxTypes)[number]

/** Back ends that satisfy a level, best first, and the weakest isolation that the level still accepts. */
const rules: Record<SecurityLevel, { prefer: readonly SandboxKind[]; atLeast: Isolation }> = {
  maximum: { prefer: ['microvm', 'e2b'], atLeast: 'microvm' },
  high: { prefer: ['docker', 'microvm', 'e2b'], atLeast: 'container' },
  moderate: { prefer: ['local', 'docker', 'microvm', 'e2b'], atLeast: 'jail' },
  low: { prefer: ['local', 'docker', 'microvm', 'e2b'], atLeast: 'unconfined' },
}

/** What each back end can give at best; `local` gives less where there is no jail. */
const usual: Record<SandboxKind, Isolation> = { local: 'jail', docker: 'container', microvm: 'microvm', e2b: 'cloud' }

export interface Available {
  readonly kind: SandboxKind
  readonly isolation: Isolation
}

export interface Choice extends Available {
  /** What the person must be told: that another back end was meant, and why this one is used. */
  readonly warnings: readonly string[]
}

/**
 * Chooses where code runs. A missing back end is replaced by another only as far as the policy allows, never in
 * silence; where nothing that is here will do, the answer is no.
 */
export function chooseSandbox(
  type: SandboxType,
  level: SecurityLevel,
  available: readonly Available[],
  /** The weakest isolation that the policy lets stand in for a missing back end. */
  weakestAllowed: Isolation = rules[level].atLeast,
): Outcome<Choice> {
  const has = (kind: SandboxKind) => available.find(found => found.kind === kind)
  const wanted = type === 'auto' ? rules[level].prefer : [type]
  const first = wanted.map(has).find(found => found !== undefined)
  if (first && strength(first.isolation) >= strength(weakestAllowed)) {
    const meant = wanted[0]
    const warnings =
      meant && meant !== first.kind ? [`${meant} is not available here; ${first.kind} is used in its place.`] : []
    return ok({ ...first, warnings: [...warnings, ...unconfinedWarning(first)] })
  }

  const standIn = [...available]
    .filter(found => strength(found.isolation) >= strength(weakestAllowed))
    .sort((a, b) => strength(b.isolation) - strength(a.isolation))[0]
  const missing = wanted.join(' or ')
  if (!standIn)
    return fail(
      'sandbox.unavailable',
      `Code at security level ${level} needs ${missing}, and nothing here isolates it as ${weakestAllowed} or better.`,
      'Install that back end, or ask for a policy that allows a weaker one.',
    )
  const weaker = strength(standIn.isolation) < Math.min(...wanted.map(kind => strength(usual[kind])))
  return ok({
    ...standIn,
    warnings: [
      `${missing} is not available here; ${standIn.kind} is used in its place${weaker ? ', which isolates less' : ''}.`,
      ...unconfinedWarning(standIn),
    ],
  })
}

const strength = (isolation: Isolation) => isolations.indexOf(isolation)
const unconfinedWarning = ({ isolation }: Available) =>
  isolation === 'unconfined' ? ['No jail can be made on this machine: code runs unconfined.'] : []

/** The back ends of this application, by kind. */
export interface SandboxRegistry {
  provider(kind: SandboxKind): SandboxProvider | undefined
  all(): readonly SandboxProvider[]
  /** What can be chosen from. Cheap: each back end remembers what it found. */
  available(): Promise<Available[]>
  /** Everything that `doctor` says about sandboxes. */
  probe(): Promise<Probe[]>
  readOutput(run: RunId, range: OutputRange): Promise<Uint8Array | null>
  close(): Promise<void>
}

export function createRegistry(providers: readonly SandboxProvider[]): SandboxRegistry {
  return {
    provider: kind => providers.find(provider => provider.kind === kind),
    all: () => providers,
    async available() {
      const found = await Promise.all(
        providers.map(async provider => ({ kind: provider.kind, isolation: await provider.available() })),
      )
      return found.flatMap(({ kind, isolation }) => (isolation ? [{ kind, isolation }] : []))
    },
    async probe() {
      return (await Promise.all(providers.map(provider => provider.probe()))).flatMap(({ probes }) => probes)
    },
    async readOutput(run, range) {
      for (const provider of providers) {
        const bytes = await provider.readOutput(run, range)
        if (bytes) return bytes
      }
      return null
    },
    async close() {
      await Promise.all(providers.map(provider => provider.close()))
    },
  }
}
