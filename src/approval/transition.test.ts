import { describe, expect, it } from 'vitest'
import { type RequestState, requestStates } from '../contract/approval.ts'
import { dueEvent, type RequestEvent, requestEvents, transitionRequest } from './transition.ts'

/** The whole table again, as a reader would draw it; `·` is refused. */
const drawn = `
            waiting    saved      approved   used   denied   expired  cancelled  voided
save        saved      saved      ·          ·      ·        ·        ·          ·
reopen      waiting    waiting    ·          ·      ·        ·        ·          ·
approve     approved   approved   ·          ·      ·        ·        ·          ·
deny        denied     denied     ·          ·      ·        ·        ·          ·
edit        waiting    saved      ·          ·      ·        ·        ·          ·
reask       waiting    saved      ·          ·      ·        ·        ·          ·
comment     waiting    saved      approved   used   denied   ·        ·          ·
cancel      cancelled  cancelled  cancelled  ·      ·        ·        ·          ·
void        voided     voided     voided     ·      ·        ·        ·          ·
expire      expired    expired    expired    ·      ·        ·        ·          ·
use         ·          ·          used       ·      ·        ·        ·          ·
`
const [header = '', ...lines] = drawn.trim().split('\n')
const columns = header.trim().split(/\s+/) as RequestState[]
const cells = lines.flatMap(line => {
  const [event, ...next] = line.trim().split(/\s+/)
  return columns.map((state, i) => [state, event as RequestEvent, next[i] ?? '?'] as const)
})

describe('a request', () => {
  it('knows every state and every event', () => {
    expect([...columns].sort()).toEqual([...requestStates].sort())
    expect(new Set(cells.map(([, event]) => event))).toEqual(new Set(requestEvents))
  })

  it.each(cells)('in state %s, at %s: %s', (state, event, next) => {
    const outcome = transitionRequest(state, event)
    expect(outcome.ok ? outcome.value : '·').toBe(next)
  })

  it('says why an answer comes too late, each time in other words', () => {
    const codes = (['approved', 'used', 'denied', 'expired', 'cancelled', 'voided'] as const).map(state => {
      const outcome = transitionRequest(state, 'approve')
      return outcome.ok ? 'ok' : outcome.problem.code
    })
    expect(codes).toEqual([
      'approval.decided',
      'approval.used',
      'approval.denied',
      'approval.expired',
      'approval.cancelled',
      'approval.voided',
    ])
  })
})

describe('time', () => {
  const deadlines = { dialogUntil: 60, expiresAt: 100 }

  it('closes the dialog and later ends the request, and approves nothing', () => {
    expect(dueEvent('waiting', deadlines, 59)).toBeNull()
    expect(dueEvent('waiting', deadlines, 60)).toBe('save')
    expect(dueEvent('saved', deadlines, 99)).toBeNull()
    expect(dueEvent('saved', deadlines, 100)).toBe('expire')
    expect(dueEvent('approved', deadlines, 100)).toBe('expire')
    const events = requestStates.flatMap(state => [0, 60, 100, 1e15].map(now => dueEvent(state, deadlines, now)))
    expect(events).not.toContain('approve')
  })

  it('leaves alone what has come to an end', () => {
    for (const state of ['used', 'denied', 'expired', 'cancelled', 'voided'] as const) {
      expect(dueEvent(state, deadlines, 1e15)).toBeNull()
    }
  })
})
