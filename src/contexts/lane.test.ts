import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { enterAll, Lane } from './lane.ts'
import { settle } from './testing.ts'

const microtasks = () => new Promise(resolve => setImmediate(resolve))

describe('a lane', () => {
  it('lets in everyone in order, one at a time, but those who gave up while they waited', async () => {
    const visitor = fc.record({ lane: fc.nat(3), turns: fc.nat(3), givesUpAfter: fc.option(fc.nat(6), { nil: null }) })
    await fc.assert(
      fc.asyncProperty(fc.array(visitor, { maxLength: 30 }), async visitors => {
        const lanes = Array.from({ length: 4 }, () => new Lane())
        const inside = lanes.map(() => 0)
        const came: number[][] = lanes.map(() => [])
        const answered = await Promise.all(
          visitors.map(async ({ lane: at, turns, givesUpAfter }, index) => {
            const giveUp = new AbortController()
            const lane = lanes[at] ?? new Lane()
            const entering = lane.enter(giveUp.signal)
            if (givesUpAfter !== null) void wait(givesUpAfter).then(() => giveUp.abort())
            const entered = await entering
            if (!entered.ok) return false
            came[at]?.push(index)
            inside[at] = (inside[at] ?? 0) + 1
            expect(inside[at]).toBe(1)
            await wait(turns)
            inside[at] = (inside[at] ?? 0) - 1
            entered.value()
            return true
          }),
        )
        for (const [at, order] of came.entries()) {
          const expected = visitors.flatMap((visitor, index) => (visitor.lane === at && answered[index] ? [index] : []))
          expect(order).toEqual(expected)
          expect(lanes[at]?.busy).toBe(false)
          expect(lanes[at]?.waiting).toBe(0)
        }
        for (const [index, visitor] of visitors.entries())
          if (visitor.givesUpAfter === null) expect(answered[index]).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('does not make one lane wait for another', async () => {
    const [blocked, free] = [new Lane(), new Lane()]
    await blocked.enter()
    expect((await free.enter()).ok).toBe(true)
  })

  it('sends away who waits with a signal and keeps who must have its turn', async () => {
    const lane = new Lane()
    const first = await lane.enter()
    const run = lane.enter(new AbortController().signal)
    const ending = lane.enter()
    lane.clear()
    expect(await run).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
    if (first.ok) first.value()
    expect((await ending).ok).toBe(true)
  })

  it('does not let one in whose signal was aborted before it came', async () => {
    const lane = new Lane()
    expect((await lane.enter(AbortSignal.abort())).ok).toBe(false)
    expect(lane.busy).toBe(false)
  })

  it('is left once, however often that is said', async () => {
    const lane = new Lane()
    const first = await lane.enter()
    const second = lane.enter()
    let third = false
    void lane.enter().then(() => {
      third = true
    })
    if (first.ok) {
      first.value()
      first.value()
    }
    await second
    await microtasks()
    expect(third).toBe(false)
  })

  it('never locks out two who want the same lanes in another order', async () => {
    const [a, b] = [new Lane(), new Lane()]
    const order: string[] = []
    const both = async (name: string, lanes: Lane[]) => {
      const entered = await enterAll(lanes)
      order.push(name)
      await microtasks()
      if (entered.ok) entered.value()
    }
    await Promise.race([Promise.all([both('ab', [a, b]), both('ba', [b, a])]), settle()])
    expect(order).toEqual(['ab', 'ba'])
    expect([a.busy, b.busy]).toEqual([false, false])
  })
})

async function wait(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await microtasks()
}
