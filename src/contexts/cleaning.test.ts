import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { temporaryStorage } from '../storage/testing.ts'
import { codeOf, harness, memoryKeys, must, newPath, settle, sibling } from './testing.ts'

const minute = 60_000

/** Processes that share a database; one can be killed, which closes nothing. */
async function machine() {
  const clock = new ManualClock()
  const storage = await temporaryStorage(clock)
  const keys = memoryKeys()
  const dead = new Set<string>()
  const start = (name: string) => harness({ clock, storage, keys, owner: { name, isAlive: other => !dead.has(other) } })
  return { clock, storage, start, kill: (name: string) => dead.add(name) }
}

describe('the clean-up', () => {
  it('runs every 15 minutes and ends what nobody has used for 30', async () => {
    const { run, local, clock, rows } = await harness()
    const [idle, used] = [newPath(), newPath()]
    must(await run(idle, 'set a 1'))
    must(await run(used, 'set a 1'))
    clock.advance(15 * minute)
    await settle()
    must(await run(used, 'set a 1'))
    clock.advance(15 * minute)
    await settle()
    expect(local.opened.map(sandbox => sandbox.closedFor)).toEqual(['expired', null])
    expect((await rows()).map(row => row.state)).toEqual(['expired', 'ready'])
    clock.advance(15 * minute)
    await settle()
    expect(local.openNow).toBe(0)
  })

  it('also tidies what sandboxes have left elsewhere', async () => {
    const { clock, pruned } = await harness()
    clock.advance(30 * minute)
    await settle()
    expect(pruned.times).toBe(2)
  })

  it('ends 50 at a time, batch after batch until none is left', async () => {
    const { contexts, run, local, clock } = await harness()
    const paths = Array.from({ length: 120 }, () => newPath())
    await Promise.all(paths.map(async path => must(await run(path, 'set a 1'))))
    clock.set(clock.now() + 30 * minute)
    expect(await contexts.sweep()).toBe(50)
    expect(local.openNow).toBe(70)
    clock.advance(15 * minute)
    await settle()
    expect(local.openNow).toBe(0)
  })

  it('goes on after the store failed once', async () => {
    const { run, local, clock, store, trouble, rows } = await harness()
    must(await run(newPath(), 'set a 1'))
    store.fails = true
    clock.advance(30 * minute)
    await settle()
    expect(trouble.map(problem => problem.code)).toContain('storage.full')
    store.fails = false
    clock.advance(15 * minute)
    await settle()
    expect(await rows()).toMatchObject([{ state: 'expired', reason: 'expired' }])
    expect(local.openNow).toBe(0)
  })
})

describe('after the application was killed', () => {
  it('the next start ends what it left, with its credentials, and the next run tells', async () => {
    const { start, kill, storage } = await machine()
    const first = await start('first')
    first.local.credentials = 'token-4711'
    const path = newPath()
    must(await first.run(path, 'set a 1'))
    const [kept] = await storage.read.selectFrom('contexts').select('credentials').execute()
    expect(Buffer.from(kept?.credentials ?? []).toString('latin1')).not.toContain('token-4711')
    kill('first')
    const second = await start('second')
    expect(await second.contexts.recoverOrphans()).toBe(1)
    expect(second.local.leftBehind).toEqual([{ sandbox: first.local.last.id, credentials: 'token-4711' }])
    expect(await second.rows()).toMatchObject([{ state: 'terminated', reason: 'orphaned', credentials: null }])
    expect(second.entries).toMatchObject([{ action: 'context.ended', actor: null, details: { reason: 'orphaned' } }])
    expect(JSON.stringify([first.entries, second.entries, first.events])).not.toContain('token-4711')
    expect(must(await second.run(path, 'get a')).warnings[0]).toContain('Countersign stopped without warning')
  })

  it('the back ends are asked for orphans even when no record names one', async () => {
    const { contexts, local, docker } = await harness()
    expect(await contexts.recoverOrphans()).toBe(0)
    expect([local.orphanSearches, docker.orphanSearches]).toEqual([1, 1])
  })

  it('a record that was still being created is closed too', async () => {
    const { start, kill } = await machine()
    const first = await start('first')
    first.local.opening = 'hangs'
    void first.run(newPath(), 'set a 1')
    await settle()
    kill('first')
    const second = await start('second')
    expect(await second.contexts.recoverOrphans()).toBe(1)
    expect(await second.rows()).toMatchObject([{ state: 'terminated', reason: 'orphaned', sandbox: null }])
    expect(second.local.leftBehind).toEqual([])
  })

  it('a run needs no restart to get past its orphans', async () => {
    const { start, kill } = await machine()
    const first = await start('first')
    const second = await start('second')
    const path = newPath()
    must(await first.run(path, 'set a 1'))
    for (let i = 0; i < 4; i++) must(await first.run(sibling(path), 'set a 1'))
    expect(codeOf(await second.run(path, 'get a'))).toBe('context.elsewhere')
    expect(codeOf(await second.run(sibling(path), 'get a'))).toBe('context.too-many')
    kill('first')
    must(await second.run(path, 'get a'))
    must(await second.run(sibling(path), 'get a'))
  })
})

describe('two processes on one database', () => {
  it('leave each other alone', async () => {
    const { start, clock } = await machine()
    const first = await start('first')
    const second = await start('second')
    const path = newPath()
    must(await first.run(path, 'set a 1'))
    expect(await second.contexts.recoverOrphans()).toBe(0)
    clock.set(clock.now() + 31 * minute)
    expect(await second.contexts.sweep()).toBe(0)
    expect(first.local.openNow).toBe(1)
    expect((await second.contexts.status(path)).state).toBe('expired')
  })

  it('let only one of them start a path', async () => {
    const { start } = await machine()
    const [first, second] = [await start('first'), await start('second')]
    const path = newPath()
    const outcomes = await Promise.all([first.run(path, 'set a 1'), second.run(path, 'set a 2')])
    expect(outcomes.map(codeOf).sort()).toEqual(['context.elsewhere', 'ok'])
  })

  it('never take their own for orphans, however late they are', async () => {
    const { contexts, run, local, clock, rows } = await harness()
    must(await run(newPath(), 'set a 1'))
    clock.set(clock.now() + 24 * 60 * minute)
    expect(await contexts.recoverOrphans()).toBe(0)
    expect(local.openNow).toBe(1)
    expect(await contexts.sweep()).toBe(1)
    expect(await rows()).toMatchObject([{ reason: 'expired' }])
  })

  it('let go of what another has ended in the belief that they were dead, and leave its record as it is', async () => {
    const { start, kill, clock } = await machine()
    const alive = await start('alive')
    const path = newPath()
    must(await alive.run(path, 'set a 1'))
    kill('alive')
    const other = await start('other')
    expect(await other.contexts.recoverOrphans()).toBe(1)
    must(await alive.run(path, 'set a 2'))
    clock.advance(1_000)
    await settle()
    expect(must(await alive.run(path, 'get a')).stdout).toBe('undefined')
    expect(alive.local.openNow).toBe(1)
    expect(await other.rows()).toMatchObject([{ state: 'terminated', reason: 'orphaned', runs: 0 }, { state: 'ready' }])
  })

  it('take over what one has not ended long after its time, and that one lets go of it', async () => {
    const { start, clock } = await machine()
    const asleep = await start('asleep')
    const awake = await start('awake')
    const path = newPath()
    must(await asleep.run(path, 'set a 1'))
    // Asleep: its clean-up does not run. `set` moves the clock without calling anything.
    clock.set(clock.now() + 61 * minute)
    must(await awake.run(path, 'get a'))
    expect((await awake.rows()).map(row => row.reason)).toEqual(['orphaned', null])
    const late = await asleep.run(path, 'get a')
    expect(codeOf(late)).toBe('context.elsewhere')
    expect(asleep.local.openNow).toBe(0)
  })
})
