import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Target } from '../contract/inspection.ts'
import { operations, Policy, type PolicyAction, type PolicyInput, policyActions } from '../contract/policy.ts'
import { type Isolation, isolations, languages, riskLevels } from '../contract/run.ts'
import { describeTrust } from '../contract/trust.ts'
import type { PlacedRun } from '../runs/run.ts'
import { type Circumstances, evaluatePolicy } from './evaluate.ts'
import { analyst, aRun, conversation, inspection, jail, otherPath, path, violation } from './testing.ts'

const target = (name: string | null, line = 3): Target => ({ target: name, expression: name ?? 'x', lines: [line] })
const impact = (change: Partial<ReturnType<typeof inspection>['impact']>) => ({ ...inspection().impact, ...change })
const usual: Circumstances = { forced: false, now: 1000 }
const within = (isolation: Isolation) => ({ placement: { ...jail, isolation } })
const least = (isolation: 'jail' | 'container' | 'microvm') => ({ low: isolation, high: isolation })
const quiet = (change: Partial<PlacedRun['inspection']> = {}, run: Partial<PlacedRun> = {}) =>
  aRun({ language: 'python', ...run, inspection: inspection(change) })
const evaluate = (policy: PolicyInput, run: PlacedRun, circumstances: Partial<Circumstances> = {}) =>
  evaluatePolicy(Policy.parse(policy), run, { ...usual, ...circumstances })

const trust = (change: object = {}) => ({ conversation, path: null, upTo: 'high' as const, ...change })
const deletes = { risk: 'medium' as const, impact: impact({ filesDeleted: [target('out.csv')] }) }

const cases: [string, PolicyInput, PlacedRun, Partial<Circumstances>, PolicyAction][] = [
  ['lets low risk pass', {}, quiet(), {}, 'auto'],
  ['asks about medium risk', {}, quiet({ risk: 'medium' }), {}, 'approve'],
  ['asks about high risk', {}, quiet({ risk: 'high' }), {}, 'approve'],
  ['asks about critical risk', {}, quiet({ risk: 'critical' }), {}, 'approve'],
  ['obeys a laxer level', { thresholds: { high: 'auto' } }, quiet({ risk: 'high' }), {}, 'auto'],
  ['obeys a stricter level', { thresholds: { critical: 'block' } }, quiet({ risk: 'critical' }), {}, 'block'],
  ['wants four eyes at a level', { thresholds: { high: 'four-eyes' } }, quiet({ risk: 'high' }), {}, 'four-eyes'],
  ['asks when forced by the run', {}, quiet(), { forced: true }, 'approve'],
  ['asks about everything when the policy says so', { forceApproval: true }, quiet(), {}, 'approve'],
  ['asks about every unconfined run', {}, quiet({}, within('unconfined')), {}, 'approve'],
  ['can block unconfined runs', { unconfined: 'block' }, quiet({}, within('unconfined')), {}, 'block'],
  ['blocks weaker confinement than it wants', { minimumIsolation: least('container') }, quiet(), {}, 'block'],
  ['asks for more where the risk is higher', { minimumIsolation: { high: 'container' } }, quiet(), {}, 'auto'],
  [
    'blocks an unconfined run where a jail is not enough',
    { minimumIsolation: least('container') },
    quiet({}, within('unconfined')),
    {},
    'block',
  ],
  ['blocks the cloud unless it is switched on', {}, quiet({}, within('cloud')), {}, 'block'],
  ['takes the cloud where it is switched on', { cloud: true }, quiet({}, within('cloud')), {}, 'auto'],
  ['takes stronger confinement', { minimumIsolation: least('jail') }, quiet({}, within('microvm')), {}, 'auto'],
  [
    'takes no user-space kernel for a machine',
    { minimumIsolation: least('microvm') },
    quiet({}, within('user-space kernel')),
    {},
    'block',
  ],
  [
    'takes a user-space kernel for a machine where it is switched on',
    { minimumIsolation: least('microvm'), userSpaceKernelAsMicrovm: true },
    quiet({}, within('user-space kernel')),
    {},
    'auto',
  ],
  ['asks about code that could not be read', {}, quiet({ complete: false }), {}, 'approve'],
  ['asks about deletion', {}, quiet({ impact: deletes.impact }), {}, 'approve'],
  [
    'asks about deletion of what is not known',
    {},
    quiet({ impact: impact({ filesDeleted: [target(null)] }) }),
    {},
    'approve',
  ],
  [
    'lets deletion pass when switched off',
    { operations: { deletion: 'auto' } },
    quiet({ impact: deletes.impact }),
    {},
    'auto',
  ],
  ['asks about a finding of deletion', {}, quiet({ violations: [violation('deletion', 'low')] }), {}, 'approve'],
  ['asks about hosts', {}, quiet({ impact: impact({ hosts: [target('example.org')] }) }), {}, 'approve'],
  [
    'asks about a network grant',
    {},
    quiet({}, { placement: { ...jail, network: ['example.org:443'] } }),
    {},
    'approve',
  ],
  ['asks about changed data', {}, quiet({ impact: impact({ dataModified: [target('accounts')] }) }), {}, 'approve'],
  ['asks about commands from Python', {}, quiet({ impact: impact({ commands: [target('ls')] }) }), {}, 'approve'],
  [
    'does not ask about every command of a shell',
    {},
    quiet({ impact: impact({ commands: [target('ls')] }) }, { language: 'bash' }),
    {},
    'auto',
  ],
  [
    'asks about a dangerous command of a shell',
    {},
    quiet({ violations: [violation('process', 'low')] }, { language: 'bash' }),
    {},
    'approve',
  ],
  ['blocks an import', { blocked: { imports: ['os'] } }, quiet({ imports: ['os'] }), {}, 'block'],
  ['blocks what lies below an import', { blocked: { imports: ['os'] } }, quiet({ imports: ['os.path'] }), {}, 'block'],
  ['does not block a namesake', { blocked: { imports: ['os'] } }, quiet({ imports: ['osgeo'] }), {}, 'auto'],
  [
    'blocks by either name of a module of Node',
    { blocked: { imports: ['child_process'] } },
    quiet({ imports: ['node:child_process'] }),
    {},
    'block',
  ],
  [
    'blocks below a module of Node',
    { blocked: { imports: ['node:fs'] } },
    quiet({ imports: ['fs/promises'] }),
    {},
    'block',
  ],
  [
    'blocks a type of finding',
    { blocked: { violations: ['eval'] } },
    quiet({ violations: [violation('eval', 'low')] }),
    {},
    'block',
  ],
  ['wants four eyes from a level on', { fourEyes: { from: 'high' } }, quiet({ risk: 'critical' }), {}, 'four-eyes'],
  ['does not want four eyes below it', { fourEyes: { from: 'high' } }, quiet({ risk: 'medium' }), {}, 'approve'],
  ['does not want four eyes where nobody is asked', { fourEyes: { from: 'low' } }, quiet(), {}, 'auto'],
  [
    'wants four eyes where a switch asks',
    { fourEyes: { from: 'low' } },
    quiet({ impact: deletes.impact }),
    {},
    'four-eyes',
  ],
  ['lets an untouched analysis pass', { thresholds: { low: 'approve' } }, quiet(), { catalogue: true }, 'auto'],
  ['can want analyses reviewed', { analyses: 'approve' }, quiet(), { catalogue: true }, 'approve'],
  ['can want four eyes on analyses', { analyses: 'four-eyes' }, quiet(), { catalogue: true }, 'four-eyes'],
  ['can block analyses', { analyses: 'block' }, quiet(), { catalogue: true }, 'block'],
  ['takes other code for no analysis', { analyses: 'block' }, quiet(), {}, 'auto'],
  ['spares no analysis above medium risk', {}, quiet({ risk: 'high' }), { catalogue: true }, 'approve'],
  ['spares no analysis an operation', {}, quiet(deletes), { catalogue: true }, 'approve'],
  ['spares no analysis that could not be read', {}, quiet({ complete: false }), { catalogue: true }, 'approve'],
  ['asks about analyses with everything', { forceApproval: true }, quiet(), { catalogue: true }, 'approve'],
  [
    'does not let an analysis stand in for four eyes from a level on',
    { thresholds: { low: 'approve' }, fourEyes: { from: 'low' } },
    quiet(),
    { catalogue: true },
    'four-eyes',
  ],
  [
    'does not let trust lift the review of analyses',
    { analyses: 'approve', trusted: [trust()] },
    quiet(),
    { catalogue: true },
    'approve',
  ],
  ['trusts a conversation', { trusted: [trust()] }, quiet({ risk: 'high' }), {}, 'auto'],
  ['trusts a path', { trusted: [trust({ path })] }, quiet({ risk: 'high' }), {}, 'auto'],
  ['does not trust another path', { trusted: [trust({ path: otherPath })] }, quiet({ risk: 'high' }), {}, 'approve'],
  ['does not trust above the level', { trusted: [trust({ upTo: 'medium' })] }, quiet({ risk: 'high' }), {}, 'approve'],
  ['never trusts critical code', { trusted: [trust()] }, quiet({ risk: 'critical' }), {}, 'approve'],
  ['does not trust for operations it was not told of', { trusted: [trust()] }, quiet(deletes), {}, 'approve'],
  [
    'trusts for operations it was told of',
    { trusted: [trust({ operations: ['deletion'] })] },
    quiet(deletes),
    {},
    'auto',
  ],
  [
    'does not let trust stand in for four eyes from a level on',
    { trusted: [trust({ operations: ['deletion'] })], fourEyes: { from: 'high' } },
    quiet({ ...deletes, risk: 'high' }),
    {},
    'four-eyes',
  ],
  [
    'trusts below the level from which four eyes are wanted',
    { trusted: [trust()], fourEyes: { from: 'high' } },
    quiet({ risk: 'medium' }),
    {},
    'auto',
  ],
  ['does not trust for ever', { trusted: [trust({ until: 1000 })] }, quiet({ risk: 'high' }), {}, 'approve'],
  [
    'does not let trust lift four eyes',
    { trusted: [trust()], thresholds: { high: 'four-eyes' } },
    quiet({ risk: 'high' }),
    {},
    'four-eyes',
  ],
  [
    'does not let trust lift a block',
    { trusted: [trust()], blocked: { imports: ['os'] } },
    quiet({ imports: ['os'] }),
    {},
    'block',
  ],
  [
    'does not let trust lift a forced approval',
    { trusted: [trust()] },
    quiet({ risk: 'high' }),
    { forced: true },
    'approve',
  ],
  ['does not let trust lift an unconfined run', { trusted: [trust()] }, quiet({}, within('unconfined')), {}, 'approve'],
  [
    'does not trust code that could not be read',
    { trusted: [trust()] },
    quiet({ risk: 'high', complete: false }),
    {},
    'approve',
  ],
]

describe('the policy', () => {
  it.each(cases)('%s', (_, policy, run, circumstances, action) => {
    expect(evaluate(policy, run, circumstances).action).toBe(action)
  })

  it('says where: a reason names the lines that it was read from, each once', () => {
    const run = quiet({
      risk: 'high',
      violations: [violation('deletion', 'high', 7), violation('deletion', 'high', 2), violation('eval', 'low', 9)],
      impact: impact({ filesDeleted: [target('a', 2), target('b', 4)] }),
    })
    const { reasons } = evaluate({}, run)
    expect(reasons.find(reason => reason.kind === 'risk')?.lines).toEqual([2, 7])
    expect(reasons.find(reason => reason.kind === 'operation')?.lines).toEqual([2, 4, 7])
    const imports = quiet({ imports: ['os.path', 'math'], importLines: { 'os.path': [6, 3], math: [1] } })
    expect(evaluate({ blocked: { imports: ['os'] } }, imports).reasons[0]).toMatchObject({
      kind: 'blocked-import',
      lines: [3, 6],
    })
  })

  it.each([
    ['localhost', false],
    ['http://127.0.0.1:8080/x', false],
    ['[::1]:80', false],
    ['example.org', true],
    ['localhost.evil.example', true],
    ['http://localhost:80@evil.example/', true],
    [null, true],
  ])('takes %s for outside: %s', (host, outside) => {
    const policy = { operations: { network: 'auto' as const } }
    const { action } = evaluate(policy, quiet({ impact: impact({ hosts: [target(host)] }) }))
    expect(action).toBe(outside ? 'approve' : 'auto')
  })

  it('puts the strictest reason first', () => {
    const run = quiet({ risk: 'high', imports: ['socket'] })
    const { reasons } = evaluate({ blocked: { imports: ['socket'] } }, run)
    expect(reasons.map(reason => reason.action)).toEqual(['block', 'approve'])
  })

  it('cannot be told to let critical code pass', () => {
    expect(Policy.safeParse({ thresholds: { critical: 'auto' } }).success).toBe(false)
    expect(Policy.safeParse({ trusted: [trust({ upTo: 'critical' })] }).success).toBe(false)
    expect(Policy.safeParse({ unconfined: 'auto' }).success).toBe(false)
  })
})

describe('any policy', () => {
  const action = fc.constantFrom(...policyActions)
  const asking = fc.constantFrom('approve' as const, 'four-eyes' as const, 'block' as const)
  const policies = fc.record({
    thresholds: fc.record({ low: action, medium: action, high: action, critical: asking }),
    operations: fc.record(Object.fromEntries(operations.map(name => [name, action]))),
    forceApproval: fc.boolean(),
    fourEyes: fc.record({ from: fc.constantFrom(...riskLevels, 'never' as const), reviewers: fc.constant([analyst]) }),
    trusted: fc.array(fc.record({ conversation: fc.constant(conversation), upTo: fc.constantFrom('medium', 'high') }), {
      maxLength: 2,
    }),
    unconfined: asking,
  }) as fc.Arbitrary<PolicyInput>
  const runs = fc
    .record({
      risk: fc.constantFrom(...riskLevels),
      complete: fc.boolean(),
      language: fc.constantFrom(...languages),
      deletes: fc.boolean(),
      isolation: fc.constantFrom(...isolations),
    })
    .map(({ risk, complete, language, deletes, isolation }) => {
      const inspected = { risk, complete, impact: impact({ filesDeleted: deletes ? [target('x')] : [] }) }
      return quiet(inspected, { language, ...within(isolation) })
    })
  const circumstances = fc.record({ forced: fc.boolean() })

  it('never lets critical, unread, unconfined or forced runs pass unasked', () => {
    fc.assert(
      fc.property(policies, runs, circumstances, (policy, run, place) => {
        const { action } = evaluate(policy, run, place)
        const { risk, complete } = run.inspection
        if (risk === 'critical' || !complete || run.placement.isolation === 'unconfined' || place.forced) {
          expect(action).not.toBe('auto')
        }
      }),
    )
  })

  it('never gets laxer by a stricter circumstance or by losing its trust', () => {
    const rank = (verdict: { action: PolicyAction }) => policyActions.indexOf(verdict.action)
    fc.assert(
      fc.property(policies, runs, circumstances, (policy, run, place) => {
        const now = rank(evaluate(policy, run, place))
        expect(rank(evaluate(policy, run, { ...place, forced: true }))).toBeGreaterThanOrEqual(now)
        expect(rank(evaluate({ ...policy, trusted: [] }, run, place))).toBeGreaterThanOrEqual(now)
        expect(rank(evaluate({ ...policy, forceApproval: true }, run, place))).toBeGreaterThanOrEqual(now)
      }),
    )
  })
})

describe('the wording of a grant', () => {
  const grant = { conversation, path: null, upTo: 'medium' as const, operations: [], until: null }

  it('is made from the grant and leaves nothing of it out', () => {
    const long = {
      ...grant,
      path,
      operations: ['deletion' as const, 'network' as const],
      until: Date.UTC(2026, 1, 3, 4, 5),
    }
    expect(describeTrust(long)).toBe(
      'Runs of up to medium risk on this path go ahead unasked, until 2026-02-03 04:05 UTC. They may also delete files and reach for the network unasked.',
    )
  })

  it('differs whenever the grant does', () => {
    const variants = [
      grant,
      { ...grant, path },
      { ...grant, upTo: 'high' as const },
      { ...grant, until: 1 },
      ...operations.map(operation => ({ ...grant, operations: [operation] })),
    ]
    expect(new Set(variants.map(describeTrust)).size).toBe(variants.length)
  })
})
