import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatEvent, Writing } from '../../src/contract/chat.ts'
import { withDelta, withWhole } from './live.ts'

const text = (said: string) => ({ kind: 'text', tool: null, language: null, text: said }) as const
const writing = (...parts: string[]): Writing => ({ turn: 't' as never, step: 1, parts: parts.map(text) })
const delta = (at: number, from: number, said: string, step = 1) =>
  ({
    kind: 'delta',
    turn: 't' as never,
    path: 'p' as never,
    step,
    at,
    from,
    part: text(said),
  }) satisfies ChatEvent

describe('what a model is writing, as a window puts it together', () => {
  it('begins anew with each request of an answer', () => {
    expect(withDelta(writing('of the step before'), delta(0, 0, 'now', 2))).toEqual({ ...writing('now'), step: 2 })
  })

  it('says when something before it has not come', () => {
    expect(withDelta(undefined, delta(0, 4, 'later'))).toBeNull()
    expect(withDelta(writing('one'), delta(2, 0, 'the third part'))).toBeNull()
    expect(withDelta(writing('of another step'), delta(0, 4, 'later', 2))).toBeNull()
  })

  it('is whole and said once, wherever a window comes in and however late it is answered', () => {
    const said = 'For [x]: one and two, of three.'
    fc.assert(
      fc.property(
        fc.array(fc.nat(said.length), { maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        (cuts, opened, snapped, answered) => {
          const ends = [...new Set([...cuts, said.length])].sort((a, b) => a - b)
          const events = ends.map((end, at) => delta(0, ends[at - 1] ?? 0, said.slice(ends[at - 1] ?? 0, end)))
          // It hears events from one moment on; its question is answered later, as of a moment in between.
          const from = opened % (events.length + 1)
          const asOf = from + (snapped % (events.length + 1 - from))
          const at = asOf + (answered % (events.length + 1 - asOf))
          let known: Writing | undefined
          for (let index = from; index <= events.length; index++) {
            if (index === at) known = withWhole(known, writing(said.slice(0, ends[asOf - 1] ?? 0)))
            const event = events[index]
            if (!event) continue
            // Where something is missing the window asks again, and is answered at once.
            known =
              withDelta(known, event) ?? (index >= at ? withWhole(known, writing(said.slice(0, ends[index]))) : known)
          }
          // What comes to no event any more is put on the path a moment later.
          if (at < events.length || asOf === events.length) expect(known?.parts[0]?.text ?? '').toBe(said)
          else expect(said.startsWith(known?.parts[0]?.text ?? '')).toBe(true)
        },
      ),
    )
  })
})
