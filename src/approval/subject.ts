import { Subject } from '../contract/approval.ts'
import type { Inspection } from '../contract/inspection.ts'
import type { Placement } from '../contract/placement.ts'
import type { PolicyReason } from '../contract/policy.ts'
import type { PlacedRun } from '../runs/run.ts'
import { canonicalJson, sha256 } from './canonical.ts'

/** What makes two subjects of the same run differ: each question is asked, and each answer used, once. */
export interface Occasion {
  readonly policy: string
  readonly nonce: string
  readonly expiresAt: number
  readonly reasons: readonly PolicyReason[]
}

/** Everything about a run that a decision is bound to. */
export function subjectOf(run: PlacedRun, occasion: Occasion): Subject {
  // Parsing drops what is not of the subject and fills nothing in, so a run read back from a table hashes the same.
  return Subject.parse({
    format: 'countersign.subject.4',
    code: sha256(run.code),
    language: run.language,
    args: run.args,
    env: run.env,
    placement: run.placement,
    policy: occasion.policy,
    risk: run.inspection.risk,
    findings: run.inspection.violations,
    impact: run.inspection.impact,
    inspection: hashInspection(run.inspection),
    reasons: occasion.reasons,
    authors: [...new Set([run.requester, ...run.authors])].sort(),
    tenant: run.tenant,
    conversation: run.conversation,
    path: run.path,
    cell: run.cell,
    requester: run.requester,
    nonce: occasion.nonce,
    expiresAt: occasion.expiresAt,
  })
}

export const hashInspection = (inspection: Inspection): string => sha256(canonicalJson(inspection))

export const hashSubject = (subject: Subject): string => sha256(canonicalJson(subject))

/** The same for every asking about the same run, also under another policy: tells whether it was asked before. */
export function matterOf(subject: Subject): string {
  const {
    nonce: _nonce,
    expiresAt: _expiresAt,
    policy: _policy,
    reasons: _reasons,
    authors: _authors,
    placement: { reasons: _why, warnings: _warnings, ...place },
    ...matter
  } = subject
  return sha256(canonicalJson({ ...matter, place }))
}

/** The fields in which two subjects differ, in words. */
export const differences = (approved: Subject, offered: Subject): string[] => [
  ...differing(words, approved, offered),
  ...placementDifferences(approved.placement, offered.placement),
]

/** The fields in which what a sandbox is differs from what was approved, in words. */
export const placementDifferences = (approved: Placement, offered: Placement): string[] =>
  differing(placementWords, approved, offered)

function differing<T extends object>(names: { readonly [Field in keyof T]?: string }, one: T, other: T): string[] {
  const fields = Object.entries<string>(names as Record<string, string>) as [keyof T, string][]
  const text = (value: unknown) => canonicalJson(value ?? null)
  return fields.filter(([field]) => text(one[field]) !== text(other[field])).map(([, words]) => words)
}

const words: Record<Exclude<keyof Subject, 'placement'>, string> = {
  format: 'the format',
  code: 'the code',
  language: 'the language',
  args: 'the arguments',
  env: 'the environment variables',
  policy: 'the policy',
  risk: 'the risk',
  findings: 'the findings',
  impact: 'the impact',
  inspection: 'what the guard said',
  reasons: 'what the policy asks',
  authors: 'the authors',
  tenant: 'the tenant',
  conversation: 'the conversation',
  path: 'the path',
  cell: 'the cell',
  requester: 'the requester',
  nonce: 'the nonce',
  expiresAt: 'the expiry',
}

const placementWords: Record<keyof Placement, string> = {
  kind: 'the kind of sandbox',
  isolation: 'the confinement',
  image: 'the image',
  environment: 'the interpreter and packages',
  mounts: 'the mounts',
  network: 'the network grants',
  tools: 'the tools',
  limits: 'the limits',
  aside: 'whether it runs in a sandbox of its own',
  reasons: 'why it runs there',
  warnings: 'the warnings about where it runs',
}
