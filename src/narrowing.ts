import type { Approval } from './approval/approval.ts'
import type { Audit } from './audit/audit.ts'
import type { Caller } from './contract/caller.ts'
import type { PathRef } from './contract/contexts.ts'
import { forRun, isAllow, type PathGrant } from './contract/network.ts'
import type { Runs } from './runs/runs.ts'

/** What a path may reach, and taking it back: from its run under way at once, and from all that would follow. */
export interface Narrowing {
  grants(path: PathRef): Promise<PathGrant[]>
  narrow(who: Caller, path: PathRef, keep: readonly string[]): Promise<void>
}

interface Parts {
  readonly approval: Pick<Approval, 'pathGrants'>
  readonly runs: Pick<Runs, 'live' | 'narrow'>
  readonly audit: Pick<Audit, 'record'>
}

export function createNarrowing({ approval, runs, audit }: Parts): Narrowing {
  return {
    grants: path => approval.pathGrants(path),

    async narrow(who, path, keep) {
      const going = runs.live(who, path.path).find(({ view }) => view.state === 'running')?.view.network ?? []
      const held = [...going, ...(await approval.pathGrants(path)).map(({ rule }) => rule)].filter(isAllow).map(forRun)
      const kept = new Set(keep.map(forRun))
      const taken = [...new Set(held)].filter(rule => !kept.has(rule))
      if (taken.length === 0) return
      const { tenant, conversation, path: id } = path
      try {
        await audit.record({
          action: 'network.narrowed',
          tenant,
          actor: who.user,
          conversation,
          path: id,
          details: { taken, kept: [...kept] },
        })
      } finally {
        // Also when the record cannot be written: what somebody takes back is gone.
        await runs.narrow(
          path,
          going.filter(rule => !isAllow(rule) || kept.has(forRun(rule))),
        )
      }
    },
  }
}
