import type { RunId } from '../contract/ids.ts'
import type { BackEnd } from '../contract/placement.ts'
import type { Isolation, SandboxKind } from '../contract/run.ts'
import type { Probe } from '../contract/sandbox.ts'
import type { OutputRange, SandboxProvider } from './sandbox.ts'

/** What each back end can give at best; `local` gives less where there is no jail. */
const usual: Record<SandboxKind, Isolation> = {
  local: 'jail',
  docker: 'container',
  gvisor: 'user-space kernel',
  microvm: 'microvm',
  e2b: 'cloud',
}

/** The back ends of this application, by kind. */
export interface SandboxRegistry {
  provider(kind: SandboxKind): SandboxProvider | undefined
  all(): readonly SandboxProvider[]
  /** Whether what goes to this kind leaves the machine. */
  isElsewhere(kind: SandboxKind): boolean
  /** What can be chosen from. Cheap: each back end remembers what it found. */
  backEnds(): Promise<BackEnd[]>
  /** The same after a look at each, with what is missing and how to get it: for a person who chooses. */
  examined(): Promise<BackEnd[]>
  /** Everything that `doctor` says about sandboxes. */
  probe(): Promise<Probe[]>
  readOutput(run: RunId, range: OutputRange): Promise<Uint8Array | null>
  close(): Promise<void>
}

export function createRegistry(providers: readonly SandboxProvider[]): SandboxRegistry {
  return {
    provider: kind => providers.find(provider => provider.kind === kind),
    all: () => providers,
    isElsewhere: kind => usual[kind] === 'cloud',
    backEnds: () => Promise.all(providers.map(each => backEnd(each, notLookedAt))),
    examined: () =>
      Promise.all(
        providers.map(async provider => {
          const [overall] = (await provider.probe()).probes
          return backEnd(provider, overall ?? notLookedAt)
        }),
      ),
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

const notLookedAt = { detail: 'it is not set up', hint: '`countersign doctor` says what is missing.' }

async function backEnd(provider: SandboxProvider, { detail, hint }: Pick<Probe, 'detail' | 'hint'>): Promise<BackEnd> {
  const { kind } = provider
  const isolation = await provider.available()
  const isEmulated = isolation !== null && (await provider.isEmulated?.()) === true
  return {
    kind,
    isolation: isolation ?? usual[kind],
    image: isolation ? ((await provider.image?.()) ?? null) : null,
    ...(isolation && provider.templates ? { templates: await provider.templates() } : {}),
    available: isolation !== null,
    ...(isEmulated ? { emulated: true } : {}),
    detail,
    ...(hint ? { hint } : {}),
  }
}
