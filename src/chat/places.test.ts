import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import type { PathRef } from '../contract/contexts.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Place } from './instructions.ts'
import { Places } from './places.ts'

const ref = { tenant: 't', conversation: 'c', path: 'p' } as unknown as PathRef
const place = (isolation: string): Outcome<Place> => ok({ isolation, network: [] })

/** Answers in this order, whenever somebody looks. */
function places(...answers: (Outcome<Place> | Error)[]) {
  const clock = new ManualClock()
  const sandboxFor = async () => {
    const next = answers.shift()
    if (!next || next instanceof Error) throw next
    return next
  }
  return { clock, places: new Places({ sandboxFor, clock }) }
}

describe('where code of a path would run', () => {
  it('is what was found while the question was written, once', async () => {
    const { places: these } = places(place('first'), place('second'))
    await these.prepare(ref)
    expect(await these.of(ref)).toEqual(place('first'))
    expect(await these.of(ref)).toEqual(place('second'))
  })

  it('is looked for anew after ten seconds, and where the clock was set back', async () => {
    for (const ms of [10_000, -1]) {
      const { clock, places: these } = places(place('first'), place('second'))
      await these.prepare(ref)
      clock.set(clock.now() + ms)
      expect(await these.of(ref)).toEqual(place('second'))
    }
  })

  it('is looked for anew where there was none, or the look failed', async () => {
    const none = places(fail('context.unavailable', 'No.', ''), place('second')).places
    await none.prepare(ref)
    expect(await none.of(ref)).toEqual(place('second'))
    const failed = places(new Error('disk'), place('second')).places
    await expect(failed.prepare(ref)).rejects.toThrow('disk')
    expect(await failed.of(ref)).toEqual(place('second'))
  })
})
