import { hostname } from 'node:os'
import type { FoundAnalysis } from '../analyses/analyses.ts'
import type { Part } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Message } from '../contract/conversations.ts'
import type { Outcome, Problem } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Answering } from './allowed.ts'
import { type Desk, tell } from './desk.ts'
import type { Place } from './instructions.ts'
import type { LiveText } from './live.ts'
import { type TurnRow, turnOf } from './store.ts'

/** A question as it is being written: its request is made ready meanwhile, so that both share one commit. */
export interface Asked {
  readonly item: Message
  readonly parts: readonly Part[]
  /** Who answers: looked up, and allowed, a moment ago. */
  readonly by: Answering
  /** Begun with the question, since both look at folders: where code would run, and what the catalogue has for it. */
  readonly place: Promise<Outcome<Place>>
  readonly analyses: Promise<FoundAnalysis[]>
}

/** An answer that this process carries. */
export interface Active {
  row: TurnRow
  /** Null for a question that has been on the path before. */
  readonly asked: Asked | null
  /** Resolves once question and row are durable. Nothing leaves and nobody is told before. */
  readonly written: Promise<void>
  /** What of the row is not in the database yet. An application that ends now is found as it was before. */
  unsaved: Partial<TurnRow>
  readonly stop: AbortController
  readonly live: LiveText
  readonly who: Caller
  readonly ref: PathRef
  waitUntil: number | null
  /** No sandbox could be had for this answer: its tools are off (row C8). */
  toolsOff: string | null
  /** The number of the last request that this answer may take. */
  readonly lastStep: number
}

export async function change(desk: Desk, active: Active, to: Partial<TurnRow>): Promise<void> {
  const unsaved = { ...active.unsaved, ...to }
  active.row = { ...active.row, ...to }
  active.unsaved = {}
  await active.written
  await desk.store.change(active.row.id, unsaved)
  tell(desk, active.row.tenant, { kind: 'turn', turn: turnOf(active.row, active.waitUntil) })
}

/** Told now and written with the next change: a commit before a request would be a wait for its first word. */
export function announce(desk: Desk, active: Active, to: Partial<TurnRow>): void {
  active.row = { ...active.row, ...to }
  active.unsaved = { ...active.unsaved, ...to }
  tellOnceWritten(desk, active)
}

/** A window that was told of an answer which then could not be written would show it for ever. */
export function tellOnceWritten(desk: Desk, active: Active): void {
  const turn = turnOf(active.row, active.waitUntil)
  const { tenant } = active.row
  active.written.then(
    () => tell(desk, tenant, { kind: 'turn', turn }),
    () => undefined,
  )
}

export async function over(
  desk: Desk,
  active: Active,
  state: TurnRow['state'],
  why: Problem | null = null,
): Promise<'over'> {
  await change(desk, active, ended(desk, state, why))
  return 'over'
}

/** Ends an answer that nobody carries. */
export async function end(desk: Desk, row: TurnRow, state: TurnRow['state'], why: Problem | null): Promise<void> {
  const to = ended(desk, state, why)
  await desk.store.change(row.id, to)
  tell(desk, row.tenant, { kind: 'turn', turn: turnOf({ ...row, ...to }) })
}

export const ended = (desk: Desk, state: TurnRow['state'], why: Problem | null) => ({
  state,
  problem: why && JSON.stringify(why),
  waiting: null,
  partial: null,
  ended_at: desk.clock.now(),
})

/** Which process carries an answer: another one that is still there must not have it taken away. */
export const owner = `${hostname()}/${process.pid}`

export function isOrphan(who: string): boolean {
  const [host, pid = ''] = who.split('/')
  if (host !== hostname()) return false
  if (Number(pid) === process.pid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch {
    return true
  }
}
