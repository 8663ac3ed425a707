export { createGate, type NetworkGate, type NetworkSession, type Taken } from './gate.ts'
export { EgressProxy } from './proxy.ts'
export { canonicalGrants, parseRule, parseRules, type Rule, ruleText, withPolicy } from './rules.ts'
export { Session } from './session.ts'
