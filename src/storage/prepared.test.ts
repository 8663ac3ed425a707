import { describe, expect, it } from 'vitest'
import { insertRow, prepared } from './prepared.ts'
import { temporaryStorage } from './testing.ts'

const valueNamed = prepared((db, name: string) =>
  db.selectFrom('facts').select('value').where('name', '=', name).limit(1),
)
const between = prepared((db, first: string, last: string) =>
  db.selectFrom('facts').select('name').where('name', '<=', last).where('name', '>=', first).orderBy('name'),
)

describe('a prepared query', () => {
  it('answers for the values of each call, in whatever order it uses them', async () => {
    const storage = await temporaryStorage()
    for (const name of ['a', 'b', 'c', 'd'])
      await storage.write(t => insertRow(t, 'facts', { name, value: `${name} value` }))
    expect(await valueNamed(storage.read, 'a')).toEqual([{ value: 'a value' }])
    expect(await valueNamed(storage.read, 'c')).toEqual([{ value: 'c value' }])
    expect(await between(storage.read, 'b', 'c')).toEqual([{ name: 'b' }, { name: 'c' }])
    expect(await between(storage.read, 'c', 'z')).toEqual([{ name: 'c' }, { name: 'd' }])
  })

  it('inserts a row whose columns come in another order', async () => {
    const storage = await temporaryStorage()
    await storage.write(t => insertRow(t, 'facts', { name: 'x', value: '1' }))
    await storage.write(t => insertRow(t, 'facts', { value: '2', name: 'y' }))
    expect(await valueNamed(storage.read, 'y')).toEqual([{ value: '2' }])
  })

  it('is undone with its transaction', async () => {
    const storage = await temporaryStorage()
    const work = storage.write(async t => {
      await insertRow(t, 'facts', { name: 'z', value: '1' })
      throw new Error('changed my mind')
    })
    await expect(work).rejects.toThrow('changed my mind')
    expect(await valueNamed(storage.read, 'z')).toEqual([])
  })
})
