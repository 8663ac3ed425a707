import type { ToolEffect } from '../contract/mcp-servers.ts'
import {
  type Operation,
  operations,
  type Policy,
  type PolicyAction,
  type PolicyReason,
  type PolicyVerdict,
  policyActions,
  type TrustedContext,
  toolAction,
  tooWeak,
} from '../contract/policy.ts'
import { type RiskLevel, riskLevels } from '../contract/run.ts'
import { describeTrust } from '../contract/trust.ts'
import type { PlacedRun } from '../runs/run.ts'
import { linesOfOperation, operationNames } from './operations.ts'

export interface Circumstances {
  /** Someone wants this run looked at, whatever the policy says. */
  readonly forced: boolean
  readonly now: number
  /** What a reviewer has granted the path: nobody is asked for it again. */
  readonly granted?: readonly string[]
  /** The code is that of an analysis that ships with the product, to the letter. */
  readonly catalogue?: boolean
}

/** What the policy says of a run: the strictest of all that its rules have to say, with every reason. */
export function evaluatePolicy(policy: Policy, run: PlacedRun, circumstances: Circumstances): PolicyVerdict {
  const fixed = fixedReasons(policy, run, circumstances)
  const asked = [riskReason(policy, run), ...operationReasons(policy, run, circumstances)]
  const { from } = policy.fourEyes
  // Asked before trust has its say: trust spares a person a question, and cannot spare them a second pair of eyes.
  if (strictest([...fixed, ...asked]) === 'approve' && from !== 'never' && reaches(run.inspection.risk, from)) {
    const text = `The policy wants four eyes from ${from} risk on: nobody who wrote the code may approve it.`
    return verdict([...fixed, ...asked, { kind: 'four-eyes', action: 'four-eyes', text, lines: [] }])
  }
  const trust = policy.trusted.find(each => appliesTo(each, run, circumstances))
  const spared = isSpared(policy, run, circumstances) ? lift(asked, []) : asked
  return verdict(trust ? [...fixed, ...lift(spared, trust.operations), trustReason(trust)] : [...fixed, ...spared])
}

/** By its server's own word. */
const toolEffects: Record<ToolEffect, string> = {
  reads: 'says that it only reads',
  writes: 'says that it changes something',
  destroys: 'may destroy something',
}

const strictness = (action: PolicyAction): number => policyActions.indexOf(action)
const reaches = (risk: RiskLevel, level: RiskLevel): boolean => riskLevels.indexOf(risk) >= riskLevels.indexOf(level)
const strictest = (reasons: readonly PolicyReason[]): PolicyAction =>
  reasons.reduce<PolicyAction>((a, { action: b }) => (strictness(b) > strictness(a) ? b : a), 'auto')

function verdict(reasons: readonly PolicyReason[]): PolicyVerdict {
  const sorted = reasons.toSorted((a, b) => strictness(b.action) - strictness(a.action))
  return { action: strictest(sorted), reasons: sorted }
}

/** Reasons that no trust lifts. */
function fixedReasons(policy: Policy, run: PlacedRun, { forced, catalogue }: Circumstances): PolicyReason[] {
  const { inspection, placement } = run
  const reasons: PolicyReason[] = []
  const say = (kind: PolicyReason['kind'], action: PolicyAction, text: string, lines: readonly number[] = []) =>
    reasons.push({ kind, action, text, lines: [...new Set(lines)].sort((a, b) => a - b) })

  for (const type of new Set(policy.blocked.violations)) {
    const found = inspection.violations.filter(violation => violation.type === type)
    if (found.length > 0) {
      const lines = found.map(violation => violation.line)
      say('blocked-violation', 'block', `The policy does not let code run that has a finding of type ${type}.`, lines)
    }
  }
  for (const name of inspection.imports.filter(each => policy.blocked.imports.some(blocked => covers(blocked, each)))) {
    const lines = inspection.importLines?.[name] ?? []
    say('blocked-import', 'block', `The policy does not let code import ${name}.`, lines)
  }
  const weak = tooWeak(policy, inspection.risk, placement.isolation)
  if (weak) say('isolation', 'block', weak)
  if (placement.isolation === 'unconfined') {
    say('unconfined', policy.unconfined, 'Nothing confines this sandbox: the code can do all that you can.')
  }
  for (const grant of placement.tools ?? []) {
    const action = toolAction(policy, grant)
    const text = `The code may call the tool ${grant.tool} of ${grant.server}, which ${toolEffects[grant.effect]}.`
    if (action !== 'auto') say('tool', action, text)
  }
  if (!inspection.complete) {
    say('unread', 'approve', 'The code could not be read to its end, so nobody knows all that it does.')
  }
  if (catalogue) say('catalogue', policy.analyses, catalogueTexts[policy.analyses])
  if (forced) say('forced', 'approve', 'An approval was asked for with this run.')
  if (policy.forceApproval) say('forced', 'approve', 'The policy asks about every run.')
  return reasons
}

function riskReason({ thresholds }: Policy, { inspection: { risk, violations } }: PlacedRun): PolicyReason {
  const lines = violations.filter(each => each.severity === risk).map(each => each.line)
  const text = { auto: 'goes ahead', approve: 'needs an approval', 'four-eyes': 'needs four eyes', block: 'is blocked' }
  return {
    kind: 'risk',
    action: thresholds[risk],
    text: `Code of ${risk} risk ${text[thresholds[risk]]}.`,
    lines: risk === 'low' ? [] : [...new Set(lines)].sort((a, b) => a - b),
  }
}

/** Said of every untouched analysis, also of one that goes ahead: what is asked anew later goes by it. */
const catalogueTexts: Record<PolicyAction, string> = {
  auto: 'An untouched analysis of the catalogue goes ahead up to medium risk.',
  approve: 'The policy wants an approval of analyses of the catalogue too.',
  'four-eyes': 'The policy wants four eyes on analyses of the catalogue too.',
  block: 'The policy does not let analyses of the catalogue run.',
}

/** Code that ships with the product was reviewed when it was released; what it does outside memory is still asked about. */
const isSpared = ({ analyses }: Policy, { inspection }: PlacedRun, { catalogue }: Circumstances): boolean =>
  catalogue === true && analyses === 'auto' && reaches('medium', inspection.risk)

interface OperationReason extends PolicyReason {
  readonly operation: Operation
}

function operationReasons(policy: Policy, run: PlacedRun, { granted = [] }: Circumstances): OperationReason[] {
  return operations.flatMap(operation => {
    const action = policy.operations[operation]
    // A plain yes answers a plain question; where the policy wants more than that, it is asked again.
    const free = action === 'approve' ? [...policy.network, ...granted] : policy.network
    const lines = linesOfOperation(operation, run, free)
    if (action === 'auto' || lines === null) return []
    return [{ kind: 'operation', action, text: `The code ${operationNames[operation]}.`, lines, operation }]
  })
}

/** `os` covers `os.path`, and Node's modules go by two names. */
function covers(blocked: string, name: string): boolean {
  const plain = (module: string) => module.replace(/^node:/, '')
  const [whole, part] = [plain(blocked), plain(name)]
  return part === whole || part.startsWith(`${whole}.`) || part.startsWith(`${whole}/`)
}

/** Trust never reaches critical code: `upTo` cannot say so. */
function appliesTo(trust: TrustedContext, run: PlacedRun, { now }: Circumstances): boolean {
  return (
    trust.conversation === run.conversation &&
    (trust.path === null || trust.path === run.path) &&
    (trust.until === null || now < trust.until) &&
    reaches(trust.upTo, run.inspection.risk)
  )
}

/** Takes away what trust may take away: plain questions about the level and the named operations, nothing stricter. */
function lift<R extends PolicyReason | OperationReason>(reasons: readonly R[], trusted: readonly Operation[]): R[] {
  return reasons.filter(reason => {
    if (reason.action !== 'approve') return true
    return 'operation' in reason ? !trusted.includes(reason.operation) : false
  })
}

const trustReason = (trust: TrustedContext): PolicyReason => ({
  kind: 'trusted',
  action: 'auto',
  text: describeTrust(trust),
  lines: [],
})
