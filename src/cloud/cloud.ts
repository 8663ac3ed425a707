import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { CloudConsent, CloudPreview, CloudState } from '../contract/cloud.ts'
import type { PathRef } from '../contract/contexts.ts'
import { EntryId, type PathId, type TenantId } from '../contract/ids.ts'
import type { Policy } from '../contract/policy.ts'
import { fail, type Outcome, ok, type Problem } from '../contract/problem.ts'
import type { Settings } from '../contract/settings.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { PathFiles } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import type { Privacy } from '../privacy/privacy.ts'
import type { TableSeals } from '../row-seal.ts'
import type { CloudMeter } from '../sandbox/e2b/e2b.ts'
import type { Storage } from '../storage/storage.ts'
import { limitsOf } from './allowance.ts'
import { Consents } from './consents.ts'
import { Meter } from './meter.ts'
import { departing } from './preview.ts'

/** What goes to the cloud, at whose word, and how much of it: the rules around the sandboxes of a service. */
export interface Cloud {
  readonly meter: CloudMeter
  /** Whether a person has let this path go to the service that is set now. */
  isAgreed(ref: PathRef | undefined): Promise<boolean>
  /** How long the service may keep a machine awake after its last use. */
  awakeMs(): Promise<number>
  storedKey(): Promise<Uint8Array | null>
  state(who: Caller): Promise<CloudState>
  preview(who: Caller, path: PathId): Promise<Outcome<CloudPreview>>
  allow(who: Caller, path: PathId): Promise<Outcome<CloudConsent>>
  /** Takes it back, and ends what the path has there. */
  revoke(who: Caller, path: PathId): Promise<Outcome<void>>
  /** A branch that a person starts with the variables of its parent stays where these are. */
  branched(who: Caller, from: PathRef, to: PathRef): Promise<void>
  /** An empty key removes the one that is stored. */
  setKey(who: Caller, key: string): Promise<Outcome<void>>
}

export interface CloudOptions {
  readonly storage: Storage
  readonly audit: Audit
  readonly keys: KeyStore
  readonly seals: Pick<TableSeals, 'cloud_consents' | 'cloud_stretches'>
  readonly clock: Clock
  readonly ids: Ids
  readonly env: NodeJS.ProcessEnv
  readonly tenant: TenantId
  readonly settings: () => Settings
  readonly policy: () => Promise<Policy>
  readonly privacy: Pick<Privacy, 'dryRun'>
  readonly files: Pick<PathFiles, 'head'>
  /** Both are made after this: a path's sandbox asks here whether it may be. */
  readonly conversations: () => Pick<Conversations, 'open' | 'locate' | 'list' | 'tree'>
  readonly endSandbox: (ref: PathRef, who: Caller) => Promise<void>
  /** The path for which a hidden one has its sandbox: the consent to that one counts. */
  readonly behind: (ref: PathRef) => Promise<PathRef | null>
  readonly onProblem: (problem: Problem) => void
}

const keyName = 'e2b-api-key'
const minute = 60_000

export function createCloud(options: CloudOptions): Cloud {
  const { storage, audit, keys, clock, ids, tenant, settings, policy } = options
  const makeId = () => ids.make(EntryId)
  const consents = new Consents(storage, audit, options.seals.cloud_consents, clock, makeId)
  const service = () => settings().cloud.domain || 'e2b.app'
  const awakeMs = async () => Math.min(settings().cloud.timeoutMs, (await policy()).cloudLimits.awakeMinutes * minute)
  const meter = new Meter({
    ...{ storage, audit, clock, makeId, tenant, awakeMs, onProblem: options.onProblem },
    seal: options.seals.cloud_stretches,
    limits: async () => limitsOf(settings().cloud, (await policy()).cloudLimits),
  })

  async function locate(who: Caller, path: PathId): Promise<Outcome<PathRef>> {
    const conversation = await options.conversations().locate(who, path)
    return conversation.ok ? ok({ tenant: who.tenant, conversation: conversation.value, path }) : conversation
  }

  const hasKey = async (): Promise<CloudState['key']> => {
    if (options.env.E2B_API_KEY) return 'environment'
    return (await keys.get(keyName))?.length ? 'stored' : 'none'
  }

  async function missing(): Promise<string | null> {
    if (!(await policy()).cloud) return 'The policy does not let code and files leave this machine.'
    return (await hasKey()) === 'none' ? 'No key for the service is set: see the settings under Cloud.' : null
  }

  return {
    meter,
    awakeMs,
    storedKey: () => keys.get(keyName),
    async isAgreed(ref) {
      if (ref === undefined) return false
      const own = await consents.given(ref, service())
      const other = own ? null : await options.behind(ref)
      return own !== null || (other !== null && (await consents.given(other, service())) !== null)
    },

    async state(who) {
      const theirs = await consents.all(who.tenant)
      const titles = new Map<string, { title: string; names: Map<string, string> }>()
      for (const { conversation } of theirs) {
        const tree = titles.has(conversation) ? null : await options.conversations().tree(who, conversation)
        if (tree?.ok) {
          const names = new Map(tree.value.paths.map(({ id, name }) => [id, name]))
          titles.set(conversation, { title: tree.value.conversation.title, names })
        }
      }
      return {
        service: service(),
        // How the machine of somebody else is set up is not told.
        key: who.tenant === tenant ? await hasKey() : 'none',
        allowedByPolicy: (await policy()).cloud,
        figures: await meter.figures(who.tenant),
        consents: theirs.map(each => ({
          ...each,
          title: titles.get(each.conversation)?.title ?? '',
          name: titles.get(each.conversation)?.names.get(each.path) ?? '',
        })),
      }
    },

    async preview(who, path) {
      const ref = await locate(who, path)
      if (!ref.ok) return ref
      const { privacy, files } = options
      const parts = {
        conversations: options.conversations(),
        files,
        privacy,
        mode: () => settings().privacy.cloudSandbox,
      }
      const consent = await consents.given(ref.value, service())
      return ok({
        service: service(),
        missing: await missing(),
        consent,
        ...(await departing(parts, who, ref.value)),
      })
    },

    async allow(who, path) {
      const ref = await locate(who, path)
      if (!ref.ok) return ref
      // A model that acts for a person must not open the way out for itself.
      if (who.assistant) return fail('cloud.not-allowed', 'Only a person can let a path go to the cloud.', 'Ask one.')
      const why = await missing()
      if (why) return fail('sandbox.unavailable', why, 'The path stays on this machine.')
      return ok(await consents.give(who, ref.value, service()))
    },

    async revoke(who, path) {
      const ref = await locate(who, path)
      if (!ref.ok) return ref
      if (await consents.revoke(who, ref.value)) await options.endSandbox(ref.value, who)
      return ok(undefined)
    },

    async branched(who, from, to) {
      if (!who.assistant && (await consents.given(from, service()))) await consents.give(who, to, service(), from.path)
    },

    async setKey(who, key) {
      if (who.tenant !== tenant)
        return fail('access.denied', 'The key of this installation belongs to somebody else.', 'Sign in as its owner.')
      await keys.set(keyName, Buffer.from(key.trim(), 'utf8'))
      await audit.record({
        action: 'settings.changed',
        tenant: who.tenant,
        actor: who.user,
        details: { cloud: { key: key.trim() === '' ? 'removed' : 'set' } },
      })
      return ok(undefined)
    },
  }
}
