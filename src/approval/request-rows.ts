import type { Selectable } from 'kysely'
import { z } from 'zod'
import {
  type ApprovalRequest,
  Decision,
  type Person,
  RequestFilter,
  RequestSummary,
  Subject,
} from '../contract/approval.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { RequestId, UserId } from '../contract/ids.ts'
import { Inspection } from '../contract/inspection.ts'
import { PolicyReason } from '../contract/policy.ts'
import { holdsText } from '../storage/search.ts'
import type { Transaction } from '../storage/storage.ts'
import type { ApprovalRequestsTable, ApprovalRevisionsTable } from '../storage/tables/approval.ts'

/** A request with its current revision, as it lies in the tables. */
export type RequestRow = Selectable<ApprovalRequestsTable> &
  Pick<ApprovalRevisionsTable, 'code' | 'title' | 'findings' | 'inspection' | 'reasons' | 'subject' | 'subject_hash'>

const revisionColumns = ['code', 'title', 'findings', 'inspection', 'reasons', 'subject', 'subject_hash'] as const

const requestRows = (db: Transaction) =>
  db
    .selectFrom('approval_requests as request')
    .innerJoin('approval_revisions as revision', join =>
      join.onRef('revision.request', '=', 'request.id').onRef('revision.number', '=', 'request.revision'),
    )
    .selectAll('request')
    .select(revisionColumns.map(column => `revision.${column}` as const))

export const loadRow = (db: Transaction, id: RequestId): Promise<RequestRow | undefined> =>
  requestRows(db).where('request.id', '=', id).executeTakeFirst()

/** The newest request about the same matter that is still open or whose approval still waits to be used. */
export const liveRowAbout = (db: Transaction, matter: string): Promise<RequestRow | undefined> =>
  requestRows(db)
    .where('request.matter', '=', matter)
    .where('request.state', 'in', ['waiting', 'saved', 'approved'])
    .orderBy('request.id', 'desc')
    .executeTakeFirst()

/** What was approved and used on a path since a moment. */
export const usedRowsOn = (db: Transaction, { tenant, path }: PathRef, since: number): Promise<RequestRow[]> =>
  requestRows(db)
    .where('request.tenant', '=', tenant)
    .where('request.state', '=', 'used')
    .where('request.path', '=', path)
    .where('request.decided_at', '>', since)
    .execute()

/** Lines of the queue, newest first. */
export async function listSummaries(db: Transaction, filter: RequestFilter): Promise<RequestSummary[]> {
  const parsed = RequestFilter.parse(filter)
  const { tenant, states, risks, languages, requester, conversation, path, cell, text, before, limit } = parsed
  let query = requestRows(db)
    .where('request.tenant', '=', tenant)
    .leftJoin('identities as asker', 'asker.id', 'request.requester')
    .leftJoin('identities as judge', 'judge.id', 'request.reviewer')
    .select(['asker.name as asker_name', 'judge.name as judge_name'])
    .select(eb =>
      eb
        .selectFrom('approval_comments as comment')
        .whereRef('comment.request', '=', 'request.id')
        .select(each => each.fn.countAll<number>().as('count'))
        .as('comments'),
    )
  if (states) query = query.where('request.state', 'in', states)
  if (risks) query = query.where('request.risk', 'in', risks)
  if (languages) query = query.where('request.language', 'in', languages)
  if (requester) query = query.where('request.requester', '=', requester)
  if (parsed.exceptRequester) query = query.where('request.requester', '!=', parsed.exceptRequester)
  if (conversation) query = query.where('request.conversation', '=', conversation)
  if (path) query = query.where('request.path', '=', path)
  if (cell) query = query.where('request.cell', '=', cell)
  if (before) query = query.where('request.id', '<', before)
  if (text) query = query.where(holdsText('revision.code', text))
  const rows = await query.orderBy('request.id', 'desc').limit(limit).execute()
  return rows.map(row => ({
    ...basics(
      row,
      personOf(row.requester, row.asker_name),
      row.reviewer === null ? null : personOf(row.reviewer, row.judge_name),
    ),
    title: row.title,
    findings: row.findings,
    comments: Number(row.comments ?? 0),
  }))
}

/** Everything about one request. */
export async function loadRequest(db: Transaction, id: RequestId): Promise<ApprovalRequest | null> {
  const row = await loadRow(db, id)
  if (!row) return null
  const revisions = await db
    .selectFrom('approval_revisions')
    .selectAll()
    .where('request', '=', id)
    .orderBy('number')
    .execute()
  const comments = await db
    .selectFrom('approval_comments')
    .selectAll()
    .where('request', '=', id)
    .orderBy('id')
    .execute()
  const subject = readSubject(row)
  const name = await namesOf(db, [
    row.requester,
    ...(row.reviewer === null ? [] : [row.reviewer]),
    ...revisions.map(each => each.author),
    ...comments.map(each => each.author),
    ...subject.authors,
  ])
  return {
    ...basics(row, name(row.requester), row.reviewer === null ? null : name(row.reviewer)),
    code: row.code,
    inspection: readInspection(row),
    args: subject.args,
    env: subject.env,
    placement: subject.placement,
    authors: subject.authors.map(name),
    subject: row.subject_hash,
    decision: readDecision(row),
    comments: comments.map(each => ({ author: name(each.author), at: each.created_at, text: each.text })),
    revisions: revisions.map(each => ({
      number: each.number,
      author: name(each.author),
      at: each.created_at,
      code: each.code,
    })),
  }
}

/** Parsing leaves out all that a line of the queue does not show, above all code and environment. */
export const summaryOf = (request: ApprovalRequest): RequestSummary =>
  RequestSummary.parse({
    ...request,
    title: titleOf(request.code),
    findings: request.inspection.violations.length,
    comments: request.comments.length,
  })

/** The first line of code that is more than a comment or an import, cut to fit a list. */
export function titleOf(code: string): string {
  const lines = code
    .slice(0, 4000)
    .split('\n')
    .map(line => line.trim())
  const said = lines.find(line => line !== '' && !/^(#|\/\/|\/\*|\*|import\b|from\b)/.test(line))
  return (said ?? lines.find(line => line !== '') ?? '').slice(0, 120)
}

export const readSubject = (row: Pick<RequestRow, 'subject'>): Subject =>
  Subject.parse(completed(JSON.parse(row.subject)))

const currentFormat = 'countersign.subject.4'
export const isOlder = (row: Pick<RequestRow, 'subject'>): boolean => JSON.parse(row.subject).format !== currentFormat

/**
 * Subjects that were written before they told all of this are shown as they are. They name no policy that could be in
 * force, so what still waits is asked anew; and they do not hash to what was signed, so they clear nothing.
 */
function completed(subject: Record<string, unknown>): Record<string, unknown> {
  if (subject.format === currentFormat) return subject
  const { sandbox, limits, network, ...rest } = subject
  const none = '0'.repeat(64)
  const placement = {
    kind: sandbox,
    limits,
    network,
    environment: null,
    aside: false,
    reasons: [],
    warnings: [],
    ...(subject.placement as object),
  }
  return {
    inspection: none,
    reasons: [],
    authors: [subject.requester],
    ...rest,
    format: currentFormat,
    policy: none,
    placement,
  }
}

export const readInspection = (row: Pick<RequestRow, 'inspection'>): Inspection =>
  Inspection.parse(JSON.parse(row.inspection))
export const readReasons = (row: Pick<RequestRow, 'reasons'>): PolicyReason[] =>
  z.array(PolicyReason).parse(JSON.parse(row.reasons))
export const readDecision = (row: Pick<RequestRow, 'decision'>): Decision | null =>
  row.decision === null ? null : Decision.parse(JSON.parse(row.decision))

const basics = (row: RequestRow, requester: Person, reviewer: Person | null) => ({
  id: row.id,
  tenant: row.tenant,
  conversation: row.conversation,
  path: row.path,
  cell: row.cell,
  run: row.run,
  requester,
  state: row.state,
  needs: row.needs,
  reasons: readReasons(row),
  risk: row.risk,
  language: row.language,
  sandbox: row.sandbox,
  revision: row.revision,
  createdAt: row.created_at,
  dialogUntil: row.dialog_until,
  expiresAt: row.expires_at,
  reviewer,
  decidedAt: row.decided_at,
  note: row.note,
})

/** Someone without an identity here asked through another door; the id is then all there is to show. */
const personOf = (id: UserId, name: string | null | undefined): Person => ({ id, name: name ?? id.slice(0, 8) })

async function namesOf(db: Transaction, ids: readonly UserId[]): Promise<(id: UserId) => Person> {
  const rows = await db
    .selectFrom('identities')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  const names = new Map(rows.map(row => [row.id, row.name]))
  return id => personOf(id, names.get(id))
}
