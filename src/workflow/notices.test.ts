import { expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { Notices } from './notices.ts'

function notices() {
  const clock = new ManualClock()
  const told: string[] = []
  return { clock, told, notices: new Notices<string>(clock, async id => void told.push(id)) }
}

it('tells of the first change at once and of a hundred soon after it once', () => {
  const { clock, told, notices: these } = notices()
  for (let n = 0; n < 100; n++) these.changed('a')
  expect(told).toEqual(['a'])
  clock.advance(50)
  expect(told).toEqual(['a', 'a'])
  clock.advance(50)
  expect(told).toEqual(['a', 'a'])
})

it('lets no workflow wait for another', () => {
  const { told, notices: these } = notices()
  these.changed('a')
  these.changed('b')
  expect(told).toEqual(['a', 'b'])
})

it('tells the last state before it closes, and nothing afterwards', async () => {
  const { clock, told, notices: these } = notices()
  these.changed('a')
  these.changed('a')
  these.changed('b')
  await these.close()
  expect(told).toEqual(['a', 'b', 'a'])
  clock.advance(1000)
  expect(told).toHaveLength(3)
})
