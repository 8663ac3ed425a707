import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { temporaryStorage } from '../storage/testing.ts'
import type { ContextLimits } from './limits.ts'
import {
  analyst,
  codeOf,
  FakeProvider,
  harness,
  memoryKeys,
  must,
  newPath,
  placed,
  settle,
  sibling,
} from './testing.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** Processes that share a database and a service that keeps paused sandboxes. */
async function machine() {
  const clock = new ManualClock()
  const storage = await temporaryStorage(clock)
  const keys = memoryKeys()
  const dead = new Set<string>()
  const asleep: FakeProvider['asleep'] = new Map()
  const start = (name: string, limits: Partial<ContextLimits> = {}) => {
    const local = new FakeProvider('local').canPause(asleep)
    return harness({ clock, storage, keys, local, limits, owner: { name, isAlive: other => !dead.has(other) } })
  }
  return { clock, storage, start, asleep, kill: (name: string) => dead.add(name) }
}

describe('a sandbox that can be paused', () => {
  it('is paused when nobody uses it, and the next run finds its variables', async () => {
    const { start, clock } = await machine()
    const { contexts, run, rows, entries, local } = await start('one')
    const path = newPath()
    must(await run(path, 'set rate 12.5'))
    clock.advance(30 * minute)
    await settle()
    expect(await contexts.status(path)).toMatchObject({ state: 'paused', expiresAt: clock.now() + 7 * day })
    expect(await rows()).toMatchObject([{ state: 'ready', paused_at: clock.now() }])
    const back = must(await run(path, 'get rate'))
    expect(back).toMatchObject({ stdout: '12.5', warnings: [] })
    expect(await contexts.status(path)).toMatchObject({ state: 'ready', runs: 2 })
    expect(await rows()).toHaveLength(1)
    expect(local.opened.map(each => each.closedFor)).toEqual([null, null])
    expect(entries.map(entry => entry.action)).toEqual(['context.created', 'context.paused', 'context.resumed'])
    expect(JSON.stringify(entries)).not.toContain('token')
  })

  it('is paused by a run that comes after its time, and woken at once', async () => {
    const { start, clock } = await machine()
    const { run } = await start('one')
    const path = newPath()
    must(await run(path, 'set rate 12.5'))
    clock.set(clock.now() + 31 * minute)
    expect(must(await run(path, 'get rate')).stdout).toBe('12.5')
  })

  it('is paused when the application closes, and woken by the next one', async () => {
    const { start } = await machine()
    const first = await start('one')
    const path = newPath()
    must(await first.run(path, 'set rate 12.5'))
    await first.contexts.close()
    const second = await start('two')
    expect((await second.contexts.status(path)).state).toBe('paused')
    expect(must(await second.run(path, 'get rate')).stdout).toBe('12.5')
    expect(await second.rows()).toMatchObject([{ owner: 'two', paused_at: null }])
  })

  it('is paused by the next start after a kill, and its credentials still wake it', async () => {
    const { start, kill, asleep } = await machine()
    const first = await start('one')
    const path = newPath()
    must(await first.run(path, 'set rate 12.5'))
    kill('one')
    asleep.set(first.local.last.id, first.local.last)
    const second = await start('two')
    expect(await second.contexts.recoverOrphans()).toBe(1)
    expect(second.local.leftBehind).toEqual([])
    expect(must(await second.run(path, 'get rate')).stdout).toBe('12.5')
  })

  it('that is no more after a kill is recorded as left behind', async () => {
    const { start, kill } = await machine()
    const first = await start('one')
    const path = newPath()
    must(await first.run(path, 'set rate 12.5'))
    kill('one')
    const second = await start('two')
    expect(await second.contexts.recoverOrphans()).toBe(1)
    expect(await second.rows()).toMatchObject([{ state: 'terminated', reason: 'orphaned' }])
  })

  it('is not taken for an orphan by another process, nor while it is paused', async () => {
    const { start, clock } = await machine()
    const first = await start('one')
    const [awake, resting] = [newPath(), newPath()]
    must(await first.run(resting, 'set a 1'))
    clock.advance(30 * minute)
    await settle()
    must(await first.run(awake, 'set a 1'))
    const second = await start('two')
    expect(await second.contexts.recoverOrphans()).toBe(0)
    const held = second.local.held.map(each => each.sandbox).sort()
    expect(held).toEqual(first.local.opened.map(each => each.id).sort())
    expect(second.local.held.every(each => each.credentials === 'token-local')).toBe(true)
  })

  it('that is gone is made anew, and the person is told', async () => {
    const { start, clock, asleep } = await machine()
    const { run, rows } = await start('one')
    const path = newPath()
    must(await run(path, 'set rate 12.5'))
    clock.advance(30 * minute)
    await settle()
    asleep.clear()
    const outcome = must(await run(path, 'get rate'))
    expect(outcome.stdout).toBe('undefined')
    expect(outcome.warnings[0]).toContain('no longer exists. This run started in a new one')
    expect((await rows()).map(row => row.reason)).toEqual(['error', null])
  })

  it('that cannot be woken now stays paused: the run is refused, and nothing is lost', async () => {
    const { start, clock } = await machine()
    const { run, local } = await start('one')
    const path = newPath()
    must(await run(path, 'set rate 12.5'))
    clock.advance(30 * minute)
    await settle()
    local.waking = 'fails'
    expect(codeOf(await run(path, 'get rate'))).toBe('context.unavailable')
    local.waking = 'works'
    expect(must(await run(path, 'get rate')).stdout).toBe('12.5')
  })

  it('takes nobody’s place while it is paused', async () => {
    const { start, clock } = await machine()
    const { run } = await start('one')
    const path = newPath()
    for (let i = 0; i < 5; i++) must(await run(sibling(path), 'set a 1'))
    expect(codeOf(await run(sibling(path), 'set a 1'))).toBe('context.too-many')
    clock.advance(30 * minute)
    await settle()
    must(await run(sibling(path), 'set a 1'))
  })

  it('is ended for good at a person’s wish, with its conversation, by a move, and after a week', async () => {
    const { start, clock, asleep } = await machine()
    const { contexts, run, rows } = await start('one')
    const paths = [newPath(), newPath(), newPath(), newPath()] as const
    const [ended, ofConversation, moved, forgotten] = paths
    for (const path of paths) must(await run(path, 'set a 1'))
    clock.advance(30 * minute)
    await settle()
    expect(asleep.size).toBe(4)
    await contexts.end(ended, 'manual', analyst)
    await contexts.endConversation(ofConversation.tenant, ofConversation.conversation, 'manual', analyst)
    must(await run(moved, 'get a', placed({ kind: 'docker', isolation: 'container' })))
    expect(asleep.size).toBe(1)
    clock.advance(7 * day)
    await settle()
    expect(asleep.size).toBe(0)
    const reasons = await rows()
    expect(paths.map(({ path }) => reasons.find(row => row.path === path)?.reason)).toEqual([
      'manual',
      'manual',
      'moved',
      'expired',
    ])
    expect((await contexts.status(forgotten)).state).toBe('expired')
  })

  it('goes on after its hundredth run while it has variables, and is replaced where it has none', async () => {
    const { start, clock } = await machine()
    const { run, rows } = await start('one', { maxRuns: 2 })
    const [full, empty] = [newPath(), newPath()]
    for (let i = 0; i < 2; i++) {
      must(await run(full, 'set a 1'))
      must(await run(empty, 'get a'))
    }
    clock.advance(30 * minute)
    await settle()
    expect(must(await run(full, 'get a'))).toMatchObject({ stdout: '1', warnings: [] })
    expect(must(await run(empty, 'get a')).warnings[0]).toContain('replaced after 2 runs')
    const found = await rows()
    const reasons = (path: string) => found.filter(row => row.path === path).map(row => row.reason)
    expect([reasons(full.path), reasons(empty.path)]).toEqual([[null], ['rotated', null]])
  })

  it('loses its variables by a restart', async () => {
    const { start, clock, asleep } = await machine()
    const { contexts, run } = await start('one')
    const path = newPath()
    must(await run(path, 'set a 1'))
    clock.advance(30 * minute)
    await settle()
    must(await contexts.restart(path))
    expect(asleep.size).toBe(0)
    expect(must(await run(path, 'get a')).stdout).toBe('undefined')
  })

  it('is brought up to date with files that were changed meanwhile, and with those only', async () => {
    const { start, clock } = await machine()
    const { contexts, run, local } = await start('one')
    const path = newPath()
    const files = contexts.files(path, analyst)
    must(await run(path, 'set a 1'))
    for (const name of ['kept', 'removed']) must(await files.write(name, Buffer.from(name)))
    clock.advance(30 * minute)
    await settle()
    must(await files.remove('removed'))
    must(await files.write('added', Buffer.from('added')))
    expect([...local.last.filesNow.keys()].sort()).toEqual(['added', 'kept'])
    expect(must(await run(path, 'get a')).stdout).toBe('1')
  })

  it('is woken by one of two processes, and the other says where it is', async () => {
    const { start } = await machine()
    const first = await start('one')
    const path = newPath()
    must(await first.run(path, 'set a 1'))
    await first.contexts.close()
    const [second, third] = [await start('two'), await start('three')]
    const outcomes = await Promise.all([second.run(path, 'get a'), third.run(path, 'get a')])
    expect(
      outcomes.map(outcome => (outcome.ok ? outcome.value.stdout : 'refused')).filter(text => text === '1'),
    ).toHaveLength(1)
  })
})
