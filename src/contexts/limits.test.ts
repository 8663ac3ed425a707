import { describe, expect, it } from 'vitest'
import { analyst, codeOf, harness, must, newPath, sibling } from './testing.ts'

const minute = 60_000

describe('limits', () => {
  it('allow five contexts in a conversation and say when the next place is free', async () => {
    const { run, clock } = await harness()
    const first = newPath()
    must(await run(first, 'set a 1'))
    for (let i = 0; i < 4; i++) must(await run(sibling(first), 'set a 1'))
    clock.advance(10 * minute)
    const outcome = await run(sibling(first), 'set a 1')
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'context.too-many' } })
    if (outcome.ok) return
    expect(outcome.problem.message).toContain('5 paths of this conversation')
    expect(outcome.problem.hint).toContain('in 20 minutes')
    must(await run(newPath({ tenant: first.tenant }), 'set a 1'))
    must(await run(first, 'set a 1'))
  })

  it('allow ten contexts to a tenant, also when all are asked for at once, and do not count another tenant', async () => {
    const { run, local, contexts } = await harness()
    const { tenant } = newPath()
    const paths = Array.from({ length: 14 }, () => newPath({ tenant }))
    const outcomes = await Promise.all(paths.map(path => run(path, 'set a 1')))
    expect(outcomes.filter(outcome => outcome.ok)).toHaveLength(10)
    expect(outcomes.filter(outcome => !outcome.ok).map(codeOf)).toEqual(Array(4).fill('context.too-many'))
    expect(local.openNow).toBe(10)
    must(await run(newPath(), 'set a 1'))
    const some = paths.find((_, index) => outcomes[index]?.ok)
    if (some) await contexts.end(some, 'manual', analyst)
    must(await run(newPath({ tenant }), 'set a 1'))
  })

  it('do not count what has expired, and end it to make room', async () => {
    const { run, local, clock, rows } = await harness({ limits: { activePerConversation: 1 } })
    const first = newPath()
    must(await run(first, 'set a 1'))
    expect(codeOf(await run(sibling(first), 'get a'))).toBe('context.too-many')
    clock.set(clock.now() + 30 * minute)
    must(await run(sibling(first), 'get a'))
    expect(local.openNow).toBe(1)
    expect((await rows()).map(row => row.state)).toEqual(['expired', 'ready'])
  })
})
