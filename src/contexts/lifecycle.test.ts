import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { contextReasons } from '../contract/contexts.ts'
import { ContextId, SandboxId } from '../contract/ids.ts'
import { SandboxFacts } from '../contract/placement.ts'
import { Limits } from '../contract/run.ts'
import { uuidV7 } from '../ids.ts'
import {
  type ContextEvent,
  type ContextRecord,
  isActive,
  isExpired,
  lossNotice,
  mustRotate,
  transitionContext,
} from './lifecycle.ts'
import { defaultLimits } from './limits.ts'
import { analyst, jail, newPath } from './testing.ts'

const ids = uuidV7(new ManualClock())
const sandbox = ids.make(SandboxId)

const creating: ContextRecord = {
  ...newPath(),
  id: ids.make(ContextId),
  kind: 'local',
  place: SandboxFacts.parse(jail),
  limits: Limits.parse({}),
  owner: 'here',
  forkedFrom: null,
  state: 'creating',
  reason: null,
  message: null,
  sandbox: null,
  isolation: null,
  createdAt: 1_000,
  pausedAt: null,
  lastUsedAt: null,
  endedAt: null,
  endedBy: null,
  runs: 0,
  runTimeMs: 0,
  cpuTimeMs: 0,
  peakMemoryBytes: 0,
}

const at = fc.nat(10_000_000)
const event: fc.Arbitrary<ContextEvent> = fc.oneof(
  fc.record({
    type: fc.constant('opened' as const),
    at,
    sandbox: fc.constant(sandbox),
    isolation: fc.constant('jail' as const),
  }),
  fc.record({ type: fc.constant('used' as const), at }),
  fc.record({ type: fc.constant('ran' as const), at, timeMs: fc.nat(), cpuMs: fc.nat(), bytes: fc.nat() }),
  fc.record({
    type: fc.constant('ended' as const),
    at,
    reason: fc.constantFrom(...contextReasons),
    message: fc.string(),
    by: fc.constantFrom(null, analyst),
  }),
)

describe('a record', () => {
  it('goes from creating to ready to its end, never back, and never changes after', () => {
    const rank = { creating: 0, ready: 1, error: 2, expired: 2, terminated: 2 }
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), events => {
        let record = creating
        for (const each of events) {
          const next = transitionContext(record, each)
          if (next === null) continue
          expect(isActive(record)).toBe(true)
          expect(rank[next.state]).toBeGreaterThanOrEqual(rank[record.state])
          expect(next.runs).toBe(record.runs + (each.type === 'ran' ? 1 : 0))
          record = next
        }
        // What the database checks too: an end has a reason and a time, and nothing else has.
        expect(isActive(record)).toBe(record.reason === null)
        expect(record.endedAt === null).toBe(record.reason === null)
        expect(record.state === 'ready' ? record.sandbox : sandbox).toBe(sandbox)
      }),
    )
  })

  it.each([
    ['expired', 'expired'],
    ['error', 'error'],
    ['manual', 'terminated'],
    ['merged', 'terminated'],
    ['rotated', 'terminated'],
    ['orphaned', 'terminated'],
  ] as const)('that ends as %s is %s', (reason, state) => {
    const ended = transitionContext(creating, { type: 'ended', at: 5, reason, message: 'so', by: null })
    expect(ended).toMatchObject({ state, reason, message: 'so', endedAt: 5 })
  })

  it('expires at 30 minutes sharp from its last use, and not because the clock was set back', () => {
    const used = { ...creating, lastUsedAt: 10_000 }
    expect(isExpired(used, 10_000 + 30 * 60_000 - 1, defaultLimits)).toBe(false)
    expect(isExpired(used, 10_000 + 30 * 60_000, defaultLimits)).toBe(true)
    expect(isExpired(used, 0, defaultLimits)).toBe(false)
  })

  it('must rotate after 100 runs', () => {
    expect([99, 100, 101].map(runs => mustRotate({ ...creating, runs }, defaultLimits))).toEqual([false, true, true])
  })
})

describe('a loss', () => {
  const ended = (reason: (typeof contextReasons)[number], by: typeof analyst | null) =>
    ({
      ...creating,
      lastUsedAt: 1,
      state: 'terminated',
      reason,
      message: 'It is gone.',
      endedAt: 2,
      endedBy: by,
    }) as const

  it('is told whatever the reason, unless the person ended the sandbox themselves', () => {
    for (const reason of contextReasons) expect(lossNotice(ended(reason, null))).toMatch(/^It is gone\. .*variables/)
    expect(lossNotice(ended('manual', analyst))).toBeNull()
  })

  it('is none where nothing was there', () => {
    expect(lossNotice(null)).toBeNull()
    expect(lossNotice({ ...ended('error', null), lastUsedAt: null })).toBeNull()
  })
})
