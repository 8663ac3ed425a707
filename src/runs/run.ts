import type { Decision } from '../contract/approval.ts'
import type { Version } from '../contract/conversations.ts'
import type { CellId, ConversationId, PathId, RunId, TenantId, UserId } from '../contract/ids.ts'
import type { Inspection } from '../contract/inspection.ts'
import type { Placement } from '../contract/placement.ts'
import type { Language, RunOutcome } from '../contract/run.ts'

/**
 * A run is a document that collects signatures. Each stage takes it in one state and hands it on in the next; the
 * types make it impossible to skip one. The stages import this file and nothing else of `runs/`.
 */
export interface DraftRun {
  readonly id: RunId
  readonly tenant: TenantId
  readonly conversation: ConversationId
  readonly path: PathId
  readonly cell: CellId | null
  /** Of the cell, when it was read. */
  readonly revision: Version | null
  /** Everyone who wrote any part of the code; four eyes count them all. */
  readonly authors: readonly UserId[]
  readonly requester: UserId
  readonly language: Language
  readonly code: string
  /** Command-line arguments and environment that the code is given. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly createdAt: number
}

export interface InspectedRun extends DraftRun {
  readonly inspection: Inspection
}

/** Knows where it would run and what it is given there: the next stage decides whether it may. */
export interface PlacedRun extends InspectedRun {
  readonly placement: Placement
}

declare const cleared: unique symbol

/** Made only in `approval/`; a sandbox accepts nothing else. */
export type ClearedRun = PlacedRun & { readonly decision: Decision; readonly [cleared]: true }

export interface FinishedRun {
  readonly run: ClearedRun
  readonly outcome: RunOutcome
  readonly startedAt: number
  readonly finishedAt: number
}
