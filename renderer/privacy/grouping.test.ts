import { describe, expect, it } from 'vitest'
import type { Departure } from '../../src/contract/privacy.ts'
import { tripsOf } from './grouping.ts'

const departure = (at: number, more: Partial<Departure> = {}): Departure => ({
  id: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
  at,
  destination: 'export',
  to: 'file',
  conversation: null,
  mode: 'enforce',
  result: 'sent',
  characters: 10,
  found: { EMAIL: 1 },
  ...more,
})

describe('what left together', () => {
  it('is one trip with the sum of its pieces', () => {
    const [trip, ...others] = tripsOf([departure(5000), departure(4000, { found: { IBAN: 2 } }), departure(2500)])
    expect(others).toEqual([])
    expect(trip).toMatchObject({ at: 5000, pieces: 3, characters: 30, found: { EMAIL: 2, IBAN: 2 } })
  })

  it('is not mixed with what went elsewhere, otherwise or later', () => {
    const elsewhere = departure(4900, { destination: 'model', to: 'a model' })
    const otherwise = departure(4800, { mode: 'report' })
    const held = departure(4700, { mode: 'report', result: 'held' })
    const long = departure(1000, { mode: 'report', result: 'held' })
    expect(tripsOf([departure(5000), elsewhere, otherwise, held, long])).toHaveLength(5)
  })
})
