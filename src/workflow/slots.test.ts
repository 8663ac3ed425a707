import { expect, it } from 'vitest'
import { Slots, SlotsOfEach } from './slots.ts'

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

it('lets in so many of each kind and so many of all, so that a slow kind holds up no other', async () => {
  const slots = new SlotsOfEach<string>(2, 3)
  const inside: string[] = []
  const ends = new Map<string, () => void>()
  const enter = (name: string) =>
    slots.with(name[0] as string, async () => {
      inside.push(name)
      await new Promise<void>(resolve => ends.set(name, resolve))
    })
  const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map(enter)
  await expect.poll(() => inside).toEqual(['a1', 'a2', 'b1'])
  ends.get('b1')?.()
  await expect.poll(() => inside).toEqual(['a1', 'a2', 'b1', 'b2'])
  ends.get('a1')?.()
  await expect.poll(() => inside.at(-1)).toBe('a3')
  for (const end of ends.values()) end()
  await Promise.all(all)
})
