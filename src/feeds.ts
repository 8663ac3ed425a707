import { createHash } from 'node:crypto'
import type { Audit } from './audit/audit.ts'
import type { Clock } from './clock.ts'
import type { Caller } from './contract/caller.ts'
import type { PathRef } from './contract/contexts.ts'
import { type FeedGrant, type Fetched, type FetchFeed, feedOf, fileNameOf, grantOf } from './contract/feeds.ts'
import type { Policy } from './contract/policy.ts'
import { fail, type Outcome, ok } from './contract/problem.ts'
import type { Conversations } from './conversations/conversations.ts'
import type { FetchedBytes } from './network/network.ts'
import type { Privacy } from './privacy/privacy.ts'
import type { WorkFolder } from './sandbox/sandbox.ts'

/**
 * Official data for a path. It is fetched by the application and not by code, so that its bytes are seen: they are kept
 * among the path's files by hash, their address and time are on the record, and a replay finds what was fetched then.
 */
export interface Feeds {
  fetch(who: Caller, request: FetchFeed, signal?: AbortSignal): Promise<Outcome<Fetched>>
}

interface Parts {
  readonly get: (url: URL, grant: FeedGrant, signal: AbortSignal) => Promise<Outcome<FetchedBytes>>
  readonly policy: () => Promise<Pick<Policy, 'network' | 'operations'>>
  readonly conversations: Pick<Conversations, 'locate'>
  readonly files: (path: PathRef, who: Caller) => Pick<WorkFolder, 'write'>
  readonly privacy: Pick<Privacy, 'forRecord'>
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
}

export function createFeeds({ get, policy, conversations, files, privacy, audit, clock }: Parts): Feeds {
  return {
    async fetch(who, { path, url, file }, signal = new AbortController().signal) {
      const located = await conversations.locate(who, path)
      if (!located.ok) return located
      const ref = { tenant: who.tenant, conversation: located.value, path }
      const feed = feedOf(url)
      if (!feed) return unknownSource
      const { network, operations } = await policy()
      // A click is a plain yes; where the policy wants more than that, or none at all, it is not enough.
      if (operations.network !== 'auto' && operations.network !== 'approve') return byPolicy
      if ((await privacy.forRecord(ref.conversation, url)) !== url) return holdsPersonalData
      const granted = grantOf(feed)
      const rules = [...granted.rules, ...network.filter(rule => rule.startsWith('deny '))]
      const at = clock.now()
      const got = await get(new URL(url), { ...granted, rules }, signal)
      if (!got.ok) {
        await note('refused', { url, methods: granted.methods.join(), reason: got.problem.message })
        return got
      }
      const { bytes, requests } = got.value
      const name = file ?? fileNameOf(url)
      const written = await files(ref, who).write(name, bytes)
      if (!written.ok) return written
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const fetched: Fetched = { source: feed.name, url, file: name, bytes: bytes.length, sha256, at }
      await note('fetched', { ...fetched, methods: granted.methods.join(), address: requests[0]?.address ?? null })
      return ok(fetched)

      function note(result: string, details: Record<string, string | number | null>): Promise<void> {
        const place = { tenant: who.tenant, actor: who.user, conversation: ref.conversation, path }
        return audit.record({ action: 'feed.fetched', ...place, details: { result, ...details } })
      }
    },
  }
}

const unknownSource = fail(
  'request.invalid',
  'This address belongs to no official source on the list.',
  'To fetch data from elsewhere, use code: a reviewer can grant it the host.',
)
const byPolicy = fail(
  'policy.blocked',
  'The policy does not let data be fetched without a second pair of eyes.',
  'Fetch it by code, which a reviewer decides about.',
)
const holdsPersonalData = fail(
  'privacy.held',
  'The address holds something that looks like personal data, and would carry it out.',
  'Take it out of the address.',
)
