import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type AuditEvent, createAudit, type Recorder, verifyStorage } from '../audit/audit.ts'
import { ManualClock } from '../clock.testing.ts'
import type { ApprovalRequest } from '../contract/approval.ts'
import { CellId, ConversationId, PathId, RunId, TenantId, UserId } from '../contract/ids.ts'
import type { Inspection, Violation, ViolationType } from '../contract/inspection.ts'
import type { Placement } from '../contract/placement.ts'
import type { PolicyInput } from '../contract/policy.ts'
import type { Outcome, Problem } from '../contract/problem.ts'
import { Limits, type RiskLevel } from '../contract/run.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore } from '../keystore.ts'
import type { PlacedRun } from '../runs/run.ts'
import { temporaryFolder, temporaryStorage } from '../storage/testing.ts'
import { createApproval, type GateVerdict, type Reviewer } from './approval.ts'

const ids = uuidV7(new ManualClock())
export const tenant = ids.make(TenantId)
export const analyst = ids.make(UserId)
export const conversation = ids.make(ConversationId)
export const path = ids.make(PathId)
export const cell = ids.make(CellId)
export const otherPath = ids.make(PathId)

export const jail: Placement = {
  kind: 'local',
  isolation: 'jail',
  image: null,
  environment: null,
  mounts: [],
  network: [],
  limits: Limits.parse({}),
  aside: false,
  reasons: [],
  warnings: [],
}

export const violation = (type: ViolationType, severity: RiskLevel = 'high', line = 1): Violation => ({
  rule: `test/${type}`,
  type,
  severity,
  line,
  column: 1,
  endLine: line,
  endColumn: 5,
  message: `a ${type}`,
  recommendation: 'do otherwise',
})

export const inspection = (change: Partial<Inspection> = {}): Inspection => ({
  risk: 'low',
  violations: [],
  impact: {
    filesRead: [],
    filesWritten: [],
    filesDeleted: [],
    hosts: [],
    commands: [],
    dataModified: [],
    volume: 'none',
    reversible: 'yes',
    blastRadius: 'contained',
    estimate: { time: 'instant', memory: 'small' },
  },
  complexity: 1,
  imports: [],
  complete: true,
  ...change,
})

/** Code that a reviewer must look at. */
export const risky = inspection({ risk: 'high', violations: [violation('deletion')] })

export const aRun = (change: Partial<PlacedRun> = {}): PlacedRun => ({
  id: ids.make(RunId),
  tenant,
  conversation,
  path,
  cell,
  revision: 1,
  authors: [analyst],
  requester: analyst,
  language: 'bash',
  code: 'rm -r out/',
  args: [],
  env: {},
  createdAt: 0,
  inspection: risky,
  placement: jail,
  ...change,
})

/** An approval over a real database, key store and policy file, with a clock that stands still. */
export async function anApproval(options: { policy?: PolicyInput; inspect?: (code: string) => Inspection } = {}) {
  const clock = new ManualClock()
  const storage = await temporaryStorage(clock)
  const folder = temporaryFolder()
  const entries: AuditEvent[] = []
  const problems: Problem[] = []
  const ids = uuidV7(clock)
  const auditKeys = fileKeyStore(join(folder, 'audit-keys'))
  const openAudit = async () => {
    const opened = await createAudit({ storage, keys: auditKeys, clock, ids, folder: join(folder, 'audit'), tenant })
    onTestFinished(() => opened.close())
    return opened
  }
  const audit = await openAudit()
  const recorder: Recorder = {
    async append(transaction, event) {
      await audit.append(transaction, event)
      entries.push(event)
    },
  }
  const parts = {
    storage,
    // Through `recorder`, so that a test can let it fail.
    audit: { ...audit, append: (...entry: Parameters<Recorder['append']>) => recorder.append(...entry) },
    keys: fileKeyStore(join(folder, 'keys')),
    clock,
    ids,
    inspect: async (code: string) => (options.inspect ?? (() => risky))(code),
    policyFile: join(folder, 'policy.yaml'),
    tenant,
    onProblem: (problem: Problem) => void problems.push(problem),
  }
  const approval = createApproval(parts)
  onTestFinished(() => approval.close())
  await approval.identities.ensure({ id: analyst, tenant, name: 'Ana' })
  let voucher: Promise<Reviewer> | null = null
  if (options.policy) {
    must(await approval.policy.save(options.policy, analyst, (await approval.policy.current()).version))
  }
  return {
    approval,
    clock,
    storage,
    entries,
    problems,
    recorder,
    audit,
    /** The record as the next start of the application opens it. */
    reopenedAudit: openAudit,
    /** Checks the record without a word about it on the record. */
    verified: () => verifyStorage({ storage, keys: auditKeys, folder: join(folder, 'audit') }),
    parts,
    actions: () => entries.map(entry => entry.action),
    ana: () => logIn(analyst),
    /** Another identity, logged in: with a passphrase, and vouched for by somebody who has no part in anything. */
    async someone(name: string): Promise<Reviewer> {
      voucher ??= protectedIdentity('Vera')
      const reviewer = await protectedIdentity(name)
      must(await approval.identities.vouch(await voucher, reviewer.identity.id))
      return reviewer
    },
    protectedIdentity,
    /** A run that waits in the queue. */
    async waiting(run: PlacedRun = aRun()): Promise<ApprovalRequest> {
      return requestOf(await approval.decide(run))
    },
  }

  async function logIn(id: UserId, passphrase?: string): Promise<Reviewer> {
    return must(await approval.identities.logIn(id, passphrase))
  }

  /** Somebody who signs with a passphrase, for whom nobody has vouched. */
  async function protectedIdentity(name: string): Promise<Reviewer> {
    const passphrase = `passphrase of ${name}`
    return logIn(must(await approval.identities.create(tenant, { name, passphrase }, analyst)).id, passphrase)
  }
}

export function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
  return outcome.value
}

export function requestOf(verdict: GateVerdict): ApprovalRequest {
  if (verdict.kind !== 'waiting') throw new Error(`not waiting: ${JSON.stringify(verdict)}`)
  return verdict.request
}

export const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.problem.code)
