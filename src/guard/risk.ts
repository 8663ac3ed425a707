import type { Violation } from '../contract/inspection.ts'
import type { RiskLevel } from '../contract/run.ts'

// Written out here, and not read from the contract: its schemas would double the time that a worker takes to start.
const ranks = { low: 0, medium: 1, high: 2, critical: 3 } as const satisfies Record<RiskLevel, number>

export const rank = (level: RiskLevel): number => ranks[level]
export const worst = (one: RiskLevel, other: RiskLevel): RiskLevel => (rank(one) >= rank(other) ? one : other)

/**
 * The level of a program is that of its worst violation. Remarks of level `low` do not add up, however many; a
 * program that could not be read to its end is never below `high` when it may hide something, nor below `medium`.
 */
export function classifyRisk(
  violations: readonly Pick<Violation, 'severity' | 'type'>[],
  complete: boolean,
): RiskLevel {
  let level: RiskLevel = complete ? 'low' : 'medium'
  const serious = new Set<string>()
  for (const violation of violations) {
    level = worst(level, violation.severity)
    if (violation.severity === 'high') serious.add(violation.type)
  }
  // Three different kinds of serious trouble in one program are no accident.
  return level === 'high' && serious.size >= 3 ? 'critical' : level
}
