import { describe, expect, it } from 'vitest'
import { analyst, codeOf, harness, must, newPath, placed } from './testing.ts'

const container = placed({ kind: 'docker', isolation: 'container' }).placement

describe('moving a path', () => {
  it('gives it a sandbox of the other kind with its files, and ends the old one as moved', async () => {
    const { contexts, run, local, docker, rows, entries } = await harness()
    const path = newPath()
    must(await contexts.files(path, analyst).write('data.csv', Buffer.from('1,2')))
    must(await run(path, 'set a 1'))
    const status = must(await contexts.move(path, container, analyst))
    expect(status).toMatchObject({ state: 'ready', sandbox: { kind: 'docker', isolation: 'container' } })
    expect(local.last.closedFor).toBe('moved')
    expect(Buffer.from(docker.last.filesNow.get('data.csv') ?? []).toString()).toBe('1,2')
    expect(contexts.facts(path)).toMatchObject({ kind: 'docker' })
    expect(await contexts.last(path)).toMatchObject({ kind: 'docker' })
    expect(await rows()).toMatchObject([
      { state: 'terminated', reason: 'moved', ended_by: analyst },
      { state: 'ready', kind: 'docker' },
    ])
    expect(entries.map(entry => [entry.action, entry.actor])).toEqual([
      ['context.created', analyst],
      ['context.ended', analyst],
      ['context.created', analyst],
    ])
    const outcome = must(await run(path, 'get a', { placement: container }))
    expect(outcome).toMatchObject({ stdout: 'undefined', warnings: [] })
  })

  it('waits for what runs, and makes a sandbox where there was none', async () => {
    const { contexts, run, local, docker } = await harness()
    const path = newPath()
    const running = run(path, 'wait')
    await expect.poll(() => local.opened[0]?.ran.length).toBe(1)
    const moved = contexts.move(path, container, analyst)
    expect(docker.opened).toEqual([])
    local.last.release()
    must(await running)
    must(await moved)
    must(await contexts.move(newPath(), container, analyst))
    expect(docker.openNow).toBe(2)
  })

  it('that cannot be done says so, and the files are still there', async () => {
    const { contexts, run, docker, local } = await harness()
    const path = newPath()
    must(await contexts.files(path, analyst).write('data.csv', Buffer.from('1,2')))
    must(await run(path, 'set a 1'))
    docker.opening = 'fails'
    expect(codeOf(await contexts.move(path, container, analyst))).toBe('context.unavailable')
    must(await run(path, 'get a'))
    expect(local.last.filesNow.has('data.csv')).toBe(true)
  })
})
