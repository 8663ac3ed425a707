import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inspection, jail } from '../approval/testing.ts'
import { ConversationId, PathId, RequestId, RunId } from '../contract/ids.ts'
import { problem } from '../contract/problem.ts'
import type { RunOutcome } from '../contract/run.ts'
import { isAtRest, isOver, RunView, runStates } from '../contract/runs.ts'
import { type RunEvent, transitionRun } from './transition.ts'

const id = '01890000-0000-7000-8000-000000000001'
const request = RequestId.parse(id)
const refusal = problem('policy.blocked', 'No.', 'Change it.')
const outcome: RunOutcome = {
  success: true,
  stdout: '',
  stderr: '',
  truncated: false,
  exitCode: 0,
  outputs: [],
  executionTimeMs: 1,
  cpuTimeMs: 1,
  peakMemoryBytes: 1,
  files: { created: [], modified: [], deleted: [] },
  network: [],
  warnings: [],
  error: null,
  sandbox: 'local',
  sandboxId: id as never,
  isolation: 'jail',
}

const draft: RunView = {
  run: RunId.parse(id),
  conversation: ConversationId.parse(id),
  path: PathId.parse(id),
  cell: null,
  language: 'python',
  createdAt: 0,
  risk: null,
  inspection: null,
  request: null,
  state: 'inspecting',
  held: null,
  problem: null,
  outcome: null,
  startedAt: null,
  finishedAt: null,
}

const start = draft as RunView

const { limits: _l, network: _n, aside: _a, reasons: _r, warnings: _w, ...current } = jail
const events: RunEvent[] = [
  { type: 'inspected', inspection: inspection() },
  { type: 'placed', network: [] },
  { type: 'resumed', request },
  { type: 'cleared' },
  { type: 'returned' },
  { type: 'begun', at: 5 },
  { type: 'asked', request },
  { type: 'held', held: { current, needed: jail, why: 'It is too weak.' } },
  { type: 'finished', outcome, at: 9 },
  { type: 'refused', problem: refusal, at: 9 },
  { type: 'failed', problem: refusal, at: 9 },
]

describe('a run', () => {
  it('goes from inspecting over queued and running to its end', () => {
    const walk = (['inspected', 'placed', 'cleared', 'begun', 'finished'] as const).map(type =>
      events.find(event => event.type === type),
    )
    const states: string[] = []
    let view: RunView = start
    for (const event of walk) {
      view = (event && transitionRun(view, event)) ?? view
      states.push(view.state)
    }
    expect(states).toEqual(['inspecting', 'inspecting', 'queued', 'running', 'finished'])
    expect(view).toMatchObject({ risk: 'low', startedAt: 5, finishedAt: 9, outcome: { success: true } })
  })

  it('is inspected again when it is placed once more, as long as it has not begun', () => {
    const back = (state: 'queued' | 'running') =>
      transitionRun({ ...start, state, startedAt: state === 'running' ? 5 : null } as RunView, { type: 'returned' })
    expect(back('queued')).toEqual(start)
    expect(back('running')).toBeNull()
  })

  it('is always a view that can be sent, ends once, and never changes after it has come to rest', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 12 }), all => {
        let view: RunView = start
        for (const event of all) {
          const next = transitionRun(view, event)
          if (isAtRest(view.state)) expect(next).toBeNull()
          if (!next) continue
          expect(RunView.parse(next)).toEqual(next)
          view = next
        }
        expect((view.outcome !== null) === (view.state === 'finished')).toBe(true)
        expect((view.problem !== null) === (view.state === 'refused' || view.state === 'failed')).toBe(true)
      }),
    )
  })

  it('is over in no state in which it is still under way', () => {
    expect(runStates.filter(isOver)).toEqual(['finished', 'refused', 'failed'])
    expect(runStates.filter(isAtRest)).toEqual(['waiting', 'held', 'finished', 'refused', 'failed'])
  })
})
