import type { Target, ViolationType } from '../contract/inspection.ts'
import type { Operation } from '../contract/policy.ts'
import type { PlacedRun } from '../runs/run.ts'

/** What a switch speaks of, after "The code …". */
export const operationNames: Record<Operation, string> = {
  deletion: 'deletes files or folders',
  network: 'reaches for the network',
  database: 'changes data in a database',
  commands: 'starts other programs',
  externalApis: 'talks to a host outside this machine',
}

/** The lines on which code does this, or `null` when it does not. The list can be empty: a grant has no line. */
export function linesOfOperation(operation: Operation, run: PlacedRun, free: readonly string[]): number[] | null {
  // What the policy itself grants, or a reviewer granted the path, needs nobody's word.
  const network = run.placement.network.filter(rule => !free.includes(rule))
  const { targets, violations, granted } = evidence[operation]({ ...run, placement: { ...run.placement, network } })
  const found = run.inspection.violations.filter(violation => violations.includes(violation.type))
  if (targets.length === 0 && found.length === 0 && !granted) return null
  const lines = [...targets.flatMap(target => target.lines), ...found.map(violation => violation.line)]
  return [...new Set(lines)].sort((a, b) => a - b)
}

interface Evidence {
  readonly targets: readonly Target[]
  readonly violations: readonly ViolationType[]
  readonly granted?: boolean
}

const evidence: Record<Operation, (run: PlacedRun) => Evidence> = {
  deletion: ({ inspection: { impact } }) => ({
    targets: impact.filesDeleted,
    violations: ['deletion', 'destructive-command'],
  }),
  network: ({ inspection: { impact }, placement: { network } }) => ({
    targets: impact.hosts,
    violations: ['network', 'exfiltration'],
    granted: network.length > 0,
  }),
  database: ({ inspection: { impact } }) => ({
    targets: impact.dataModified,
    violations: ['database', 'sql-injection'],
  }),
  // Every line of a shell script is a command, so there only the findings count.
  commands: ({ inspection: { impact }, language }) => ({
    targets: language === 'bash' ? [] : impact.commands,
    violations: ['process', 'command-injection', 'destructive-command'],
  }),
  externalApis: ({ inspection: { impact }, placement: { network } }) => ({
    targets: impact.hosts.filter(({ target }) => target === null || !isThisMachine(target)),
    violations: ['exfiltration'],
    granted: network.some(rule => !isThisMachine(rule)),
  }),
}

/** A host that cannot be told apart from an outside one counts as outside. */
function isThisMachine(target: string): boolean {
  const host = target.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/^[^/@]*@/, '')
  return /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|::1)(:\d+)?(\/|$)/i.test(host)
}
