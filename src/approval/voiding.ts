import type { ApprovalRequest, RequestSummary } from '../contract/approval.ts'
import type { RequestId, TenantId, UserId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { Storage } from '../storage/storage.ts'
import type { ChangedCells, CodeNow, EndedPath } from './approval.ts'
import { changedEntry, type Desk } from './desk.ts'
import { type RequestRow, summaryOf } from './request-rows.ts'

/** An approval of code that is not in its cell any more would run what nobody can see: it goes when the code goes. */
export async function voidChanged(storage: Storage, desk: Desk, place: ChangedCells): Promise<RequestSummary[]> {
  const { cells, tenant, by } = place
  const wanted = cells && new Set(cells)
  const voided: RequestSummary[] = []
  for (const { id, cell } of await liveOn(storage, place)) {
    if (cell === null || (wanted && !wanted.has(cell))) continue
    const now = await place.now(cell)
    const first = await firstCode(storage, id)
    voided.push(...voidedOf(await voidFor(desk, id, { tenant, by }, row => whyNot(row, now, first))))
  }
  return voided
}

export async function voidEnded(storage: Storage, desk: Desk, place: EndedPath): Promise<RequestSummary[]> {
  const { tenant, by, how } = place
  const voided: RequestSummary[] = []
  for (const { id } of await liveOn(storage, place)) {
    voided.push(...voidedOf(await voidFor(desk, id, { tenant, by }, () => `The path of this code ${how}.`)))
  }
  return voided
}

/** Why a request does not stand any more, or null. While a reviewer's edit waits, the cell still says what was asked. */
function whyNot(row: RequestRow, now: CodeNow, first: string): string | null {
  const when = row.state === 'approved' ? 'after it was approved' : 'while its approval was asked for'
  const covers = row.state === 'approved' ? ': the approval does not cover what it is now' : ''
  if (now === null) return `The cell was removed ${when}.`
  if (now.language !== row.language) return `The language of the cell was changed ${when}${covers}.`
  return now.code === row.code || now.code === first ? null : `The cell was edited ${when}${covers}.`
}

function voidFor(
  desk: Desk,
  id: RequestId,
  { tenant, by }: { tenant: TenantId; by: UserId },
  why: (row: RequestRow) => string | null,
): Promise<Outcome<ApprovalRequest>> {
  return desk.change(id, { what: 'void', tenant, actor: by }, async ({ row, move }) => {
    const note = live.some(state => state === row.state) ? why(row) : null
    return note === null ? ok(undefined) : move('void', { note }, changedEntry('voided', { why: note }, by))
  })
}

const live = ['waiting', 'saved', 'approved'] as const

const liveOn = (storage: Storage, { tenant, path }: Pick<EndedPath, 'tenant' | 'path'>) =>
  storage.read
    .selectFrom('approval_requests')
    .select(['id', 'cell'])
    .where('tenant', '=', tenant)
    .where('state', 'in', live)
    .where('path', '=', path)
    .execute()

async function firstCode(storage: Storage, id: RequestId): Promise<string> {
  const query = storage.read.selectFrom('approval_revisions').select('code').where('request', '=', id)
  return (await query.where('number', '=', 1).executeTakeFirstOrThrow()).code
}

const voidedOf = (outcome: Outcome<ApprovalRequest>): RequestSummary[] =>
  outcome.ok && outcome.value.state === 'voided' ? [summaryOf(outcome.value)] : []
