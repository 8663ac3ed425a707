export { createGate, type NetworkGate, type NetworkSession, type Taken } from './gate.ts'
export { EgressProxy } from './proxy.ts'
export { parseRule, parseRules, type Rule, ruleText, ruleWords } from './rules.ts'
export { Session } from './session.ts'
