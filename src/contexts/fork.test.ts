import { describe, expect, it } from 'vitest'
import { analyst, codeOf, FakeProvider, harness, must, newPath, settle, sibling } from './testing.ts'

describe('fork with state', () => {
  it('starts a branch with the variables and files of its parent; both then go their own way', async () => {
    const { contexts, run, rows } = await harness()
    const main = newPath()
    const branch = sibling(main)
    must(await run(main, 'set a 1'))
    must(await contexts.files(main, analyst).write('data.csv', new Uint8Array(3)))
    const status = must(await contexts.fork({ from: main, to: branch, actor: analyst }))
    expect(status).toMatchObject({ state: 'ready', path: branch.path, forkedFrom: main.path })
    expect(must(await run(branch, 'get a'))).toMatchObject({ stdout: '1', warnings: [] })
    must(await run(branch, 'set a 2'))
    expect(must(await run(main, 'get a')).stdout).toBe('1')
    expect(must(await contexts.files(branch, analyst).list())).toHaveLength(1)
    expect((await rows()).map(row => row.forked_from)).toEqual([null, main.path])
  })

  it('waits for the run under way, so that it never copies half a state', async () => {
    const { contexts, run, local } = await harness()
    const main = newPath()
    must(await run(main, 'set a 1'))
    const running = run(main, 'wait')
    const forking = contexts.fork({ from: main, to: sibling(main), actor: analyst })
    await settle()
    expect(local.opened).toHaveLength(1)
    local.last.release()
    must(await running)
    must(await forking)
  })

  it('is refused where there is nothing to copy, no way to copy, no room, or someone else there', async () => {
    const { contexts, run, local } = await harness({ limits: { activePerConversation: 2 } })
    const main = newPath()
    const branch = sibling(main)
    expect(codeOf(await contexts.fork({ from: main, to: branch, actor: analyst }))).toBe('context.none')
    must(await run(main, 'set a 1'))
    expect(codeOf(await contexts.fork({ from: main, to: newPath(), actor: analyst }))).toBe('request.invalid')
    expect(codeOf(await contexts.fork({ from: main, to: main, actor: analyst }))).toBe('request.invalid')
    const elsewhere = newPath({ tenant: main.tenant })
    expect(codeOf(await contexts.fork({ from: main, to: elsewhere, actor: analyst }))).toBe('request.invalid')
    must(await run(branch, 'set a 1'))
    expect(codeOf(await contexts.fork({ from: main, to: branch, actor: analyst }))).toBe('conflict')
    expect(codeOf(await contexts.fork({ from: main, to: sibling(main), actor: analyst }))).toBe('context.too-many')
    const plain = new FakeProvider('local')
    plain.canFork = false
    const other = await harness({ local: plain })
    must(await other.run(main, 'set a 1'))
    expect(codeOf(await other.contexts.fork({ from: main, to: branch, actor: analyst }))).toBe('context.cannot-fork')
    expect(local.openNow).toBe(2)
  })
})
