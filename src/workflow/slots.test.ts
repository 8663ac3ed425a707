import { expect, it } from 'vitest'
import { Slots } from './slots.ts'

it('lets so many in at a time, the others in their order, and gives back the place of one that failed', async () => {
  const slots = new Slots(2)
  const inside: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const all = ends.map(({ promise }, at) =>
    slots.with(async () => {
      inside.push(at)
      await promise
    }),
  )
  const settled = Promise.allSettled(all)
  expect(inside).toEqual([0, 1])
  ends[1]?.reject(new Error('it failed'))
  await expect(all[1]).rejects.toThrow('it failed')
  await expect.poll(() => inside).toEqual([0, 1, 2])
  for (const { resolve } of ends) resolve()
  await settled
  expect(inside).toEqual([0, 1, 2, 3, 4])
})
