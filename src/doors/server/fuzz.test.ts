import { expect, it } from 'vitest'
import { testSeed } from '../../seed.testing.ts'
import { fuzzDoor } from './hostile.testing.ts'
import { enter, hello, openDoor } from './testing.ts'

/** `scripts/fuzz-door.mjs` sends as many as one likes. */
const count = 20_000

it(`answers or closes ${count} malformed requests and handshakes, tells nothing and stays up`, async () => {
  const seed = testSeed()
  const door = await openDoor()
  const before = await enter(door)
  const { sent, statuses, leaks } = await fuzzDoor(door.port, count, seed)
  const told = `seed ${seed}: ${JSON.stringify(statuses)}`
  expect(sent, told).toBe(count)
  expect(leaks, told).toEqual([])
  // Each kind of refusal was really met, so the requests went as deep as they were meant to.
  expect(Object.keys(statuses), told).toEqual(expect.arrayContaining(['101', '400', '403', '404', '405', '421']))
  const answered = Object.values(statuses).reduce((sum, each) => sum + each, 0)
  expect(answered, told).toBeGreaterThan(0.9 * count)
  expect(statuses['500'], told).toBeUndefined()
  expect(door.served, told).toHaveLength(1)
  expect(await hello(before)).toBe('hello')
  expect(await hello(await enter(door))).toBe('hello')
})
