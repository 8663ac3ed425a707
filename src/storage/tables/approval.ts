import type { Generated } from 'kysely'
import type { RequestState } from '../../contract/approval.ts'
import type { CellId, ConversationId, PathId, RequestId, RunId, TenantId, UserId } from '../../contract/ids.ts'
import type { Language, RiskLevel, SandboxKind } from '../../contract/run.ts'

/** Someone who can ask, review and sign. The private key is in the key store. */
export interface IdentitiesTable {
  id: UserId
  tenant: TenantId
  name: string
  public_key: string
  protected: number
  created_at: number
}

/** Somebody vouched for an identity and its key, by a signature. */
export interface IdentityVouchesTable {
  tenant: TenantId
  identity: UserId
  voucher: UserId
  public_key: string
  vouched_at: number
  signature: string
  withdrawn_at: number | null
  /** The signature of its voucher under the withdrawal. */
  withdrawal: string | null
}

/** A run that waits for a reviewer, or waited. What it says about the code is that of its current revision. */
export interface ApprovalRequestsTable {
  id: RequestId
  tenant: TenantId
  conversation: ConversationId
  path: PathId
  cell: CellId | null
  run: RunId
  requester: UserId
  state: RequestState
  needs: 'approve' | 'four-eyes'
  revision: number
  language: Language
  sandbox: SandboxKind
  risk: RiskLevel
  /** Hash over what is asked, without policy, nonce and expiry: the same for every asking. */
  matter: string
  created_at: number
  dialog_until: number
  expires_at: number
  reviewer: UserId | null
  decided_at: number | null
  /** The signed decision, as JSON. */
  decision: string | null
  note: string
}

/** One version of the code under review, with the subject that an approval of it signs. */
export interface ApprovalRevisionsTable {
  request: RequestId
  number: number
  author: UserId
  created_at: number
  code: string
  /** The first line of code that says something, and how many findings it has, for the queue. */
  title: string
  findings: number
  inspection: string
  reasons: string
  /** Canonical JSON of the subject, and its SHA-256. */
  subject: string
  subject_hash: string
}

export interface ApprovalCommentsTable {
  id: Generated<number>
  request: RequestId
  author: UserId
  created_at: number
  text: string
}

/** Every policy that was ever in force, in order; the last one is what counts when the file cannot be read. */
export interface PoliciesTable {
  id: Generated<number>
  version: string
  policy: string
  adopted_at: number
  adopted_by: UserId | null
  seal: string
}

export interface ApprovalTables {
  identities: IdentitiesTable
  identity_vouches: IdentityVouchesTable
  approval_requests: ApprovalRequestsTable
  approval_revisions: ApprovalRevisionsTable
  approval_comments: ApprovalCommentsTable
  policies: PoliciesTable
}
