import { describe, expect, it } from 'vitest'
import { Pool, Turnstile } from './pool.ts'

const lasting = () => ({ ended: new Promise<void>(() => undefined) })

describe('the turnstile', () => {
  it('lets only so many in at once, in order', async () => {
    const turnstile = new Turnstile(2)
    const log: number[] = []
    let inside = 0
    let most = 0
    await Promise.all(
      [1, 2, 3, 4, 5].map(n =>
        turnstile.pass(async () => {
          most = Math.max(most, ++inside)
          log.push(n)
          await new Promise(resolve => setImmediate(resolve))
          inside--
        }),
      ),
    )
    expect({ most, log }).toEqual({ most: 2, log: [1, 2, 3, 4, 5] })
  })

  it('lets the next one in when one fails', async () => {
    const turnstile = new Turnstile(1)
    await expect(turnstile.pass(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await turnstile.pass(async () => 'in')).toBe('in')
  })
})

describe('the pool', () => {
  it('replaces what is taken', async () => {
    let made = 0
    const pool = new Pool(
      2,
      async () => ({ n: ++made, ...lasting() }),
      async () => undefined,
    )
    await pool.fill()
    expect(pool.take()?.n).toBe(1)
    await pool.fill()
    expect({ waiting: pool.waiting, made }).toEqual({ waiting: 2, made: 3 })
  })

  it('gives out nothing that has ended', async () => {
    let end: () => void = () => undefined
    const ended = new Promise<void>(resolve => {
      end = resolve
    })
    const things = [{ ended }, lasting()]
    const pool = new Pool(
      1,
      async () => things.shift() ?? null,
      async () => undefined,
    )
    await pool.fill()
    end()
    await ended
    await Promise.resolve()
    expect(pool.waiting).toBe(0)
  })

  it('stops filling when nothing can be made, and discards what is left when it closes', async () => {
    const discarded: unknown[] = []
    const things = [lasting()]
    const pool = new Pool(
      3,
      async () => things.shift() ?? null,
      async thing => void discarded.push(thing),
    )
    await pool.fill()
    await pool.close()
    expect(discarded).toHaveLength(1)
  })
})
