import type { DecisionRecord } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Decision } from '../contract/approval.ts'
import type { PathRef } from '../contract/contexts.ts'
import { forRun, isForPath, type PathGrant, pathGrantHours } from '../contract/network.ts'
import type { Storage } from '../storage/storage.ts'
import { isSignedBy } from './decision.ts'
import type { KeyRing } from './identities.ts'
import { isIntact } from './integrity.ts'
import { type RequestRow, readDecision, readSubject, usedRowsOn } from './request-rows.ts'
import { hashSubject } from './subject.ts'

interface Options {
  readonly storage: Storage
  readonly audit: DecisionRecord
  readonly clock: Clock
  readonly keyRing: Pick<KeyRing, 'trustedKey'>
}

const lifeMs = pathGrantHours * 3_600_000

/**
 * What later runs of a path may reach. There is no list of it that somebody could edit: it is read from the decisions
 * that reviewers signed and that the record says were used, less what the record says was taken back since.
 */
export function createPathGrants({ storage, audit, clock, keyRing }: Options) {
  async function isGenuine(row: RequestRow, decision: Decision): Promise<boolean> {
    const { reviewer, subject, signature } = decision
    const key = reviewer === null ? null : await keyRing.trustedKey(reviewer)
    return (
      key !== null &&
      decision.verdict === 'approve' &&
      decision.request === row.id &&
      reviewer === row.reviewer &&
      subject === hashSubject(readSubject(row)) &&
      isSignedBy(key, decision) &&
      (await isIntact(storage.read, row)) &&
      (await audit.decisionState(storage.read, { subject, signature: signature ?? '' })) === 'used'
    )
  }

  return async function live(path: PathRef): Promise<PathGrant[]> {
    const now = clock.now()
    const grants: (PathGrant & { readonly from: number })[] = []
    for (const row of await usedRowsOn(storage.read, path, now - lifeMs)) {
      const rules = readSubject(row).placement.network.filter(isForPath)
      const decision = rules.length > 0 ? readDecision(row) : null
      if (!decision || now >= decision.decidedAt + lifeMs || !(await isGenuine(row, decision))) continue
      const from = decision.decidedAt
      grants.push(...rules.map(rule => ({ rule: forRun(rule), until: from + lifeMs, request: row.id, from })))
    }
    if (grants.length === 0) return []
    const ends = audit.takenBack(path.tenant, path.path)
    return grants
      .filter(({ rule, from }) => !ends.some(end => end.at >= from && end.rules.includes(rule)))
      .map(({ from: _, ...grant }) => grant)
  }
}
