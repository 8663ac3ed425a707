import type { Rule } from '../rule.ts'
import { shellAttackRules } from './shell-attack.ts'
import { shellCodingRules } from './shell-coding.ts'
import { shellDestructionRules } from './shell-destruction.ts'
import { shellElsewhereRules } from './shell-elsewhere.ts'
import { shellEscapeRules } from './shell-escape.ts'
import { shellExecutionRules } from './shell-execution.ts'
import { shellFreshRules } from './shell-fresh.ts'
import { shellMachineRules } from './shell-machine.ts'
import { shellMeaningRules } from './shell-meaning.ts'
import { shellNetworkRules } from './shell-network.ts'
import { shellPersistenceRules } from './shell-persistence.ts'
import { shellPrivilegeRules } from './shell-privilege.ts'
import { shellSecretRules } from './shell-secrets.ts'
import { shellSourcingRules } from './shell-sourcing.ts'
import { shellSpyingRules } from './shell-spying.ts'
import { shellSurveyRules } from './shell-survey.ts'
import { shellUnreadRules } from './shell-unread.ts'

/** Rules about shell commands, pipelines and redirections. */
export const shellRules: readonly Rule[] = [
  ...shellUnreadRules,
  ...shellFreshRules,
  ...shellExecutionRules,
  ...shellMeaningRules,
  ...shellEscapeRules,
  ...shellDestructionRules,
  ...shellPrivilegeRules,
  ...shellPersistenceRules,
  ...shellNetworkRules,
  ...shellAttackRules,
  ...shellElsewhereRules,
  ...shellSecretRules,
  ...shellSourcingRules,
  ...shellSpyingRules,
  ...shellSurveyRules,
  ...shellMachineRules,
  ...shellCodingRules,
]
