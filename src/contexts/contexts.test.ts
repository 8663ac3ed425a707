import { describe, expect, it } from 'vitest'
import { maxCodeBytes } from '../contract/run.ts'
import { analyst, codeOf, harness, must, newPath, runOf, settle, sibling } from './testing.ts'

const minute = 60_000

describe('a path and its sandbox', () => {
  it('has none until its first run, then keeps one with its variables', async () => {
    const { contexts, run, local, rows, entries } = await harness()
    const path = newPath()
    expect((await contexts.status(path)).state).toBe('none')
    must(await run(path, 'set rate 12.5'))
    expect(must(await run(path, 'get rate')).stdout).toBe('12.5')
    expect(local.opened).toHaveLength(1)
    expect(await rows()).toMatchObject([{ state: 'ready', reason: null, sandbox: local.last.id, isolation: 'jail' }])
    expect(entries.map(entry => [entry.action, entry.actor, entry.path])).toEqual([
      ['context.created', analyst, path.path],
    ])
    expect(await contexts.status(path)).toMatchObject({
      state: 'ready',
      runs: 2,
      runTimeMs: 10,
      cpuTimeMs: 6,
      peakMemoryBytes: 1000,
    })
  })

  it('is opened with the kernel of its first run, and with limits that do not depend on that run alone', async () => {
    const { run, local } = await harness()
    must(
      await run(newPath(), 'get a', { language: 'typescript', limits: { ...limits(), timeoutMs: 7, outputChars: 9 } }),
    )
    expect(local.openOptions).toMatchObject({ limits: limits(), placement: { kind: 'local' }, warm: ['typescript'] })
  })

  it('shares nothing with a branch of it', async () => {
    const { contexts, run, local } = await harness()
    const main = newPath()
    const branch = sibling(main)
    must(await run(main, 'set rate 12.5'))
    expect((await contexts.status(branch)).state).toBe('none')
    expect(must(await run(branch, 'get rate')).stdout).toBe('undefined')
    expect(local.opened).toHaveLength(2)
  })

  it('cannot be reached through another tenant or conversation that names its path', async () => {
    const { contexts, run } = await harness()
    const mine = newPath()
    must(await run(mine, 'set secret 42'))
    const theirs = newPath({ path: mine.path })
    expect(codeOf(await contexts.variables(theirs, 'python'))).toBe('context.none')
    expect(must(await run(theirs, 'get secret')).stdout).toBe('undefined')
    expect((await contexts.status(newPath({ tenant: mine.tenant, path: mine.path }))).state).toBe('none')
  })

  it('runs one at a time and in order while other paths go on', async () => {
    const { contexts, run, local } = await harness()
    const [slow, quick] = [newPath(), newPath()]
    const first = run(slow, 'wait')
    const later = [run(slow, 'set a 1'), run(slow, 'set a 2'), run(slow, 'get a')]
    await settle()
    expect(must(await run(quick, 'get a')).stdout).toBe('undefined')
    expect(local.opened[0]?.ran).toEqual(['wait'])
    expect(await contexts.status(slow)).toMatchObject({ state: 'running', queued: 3 })
    local.opened[0]?.release()
    must(await first)
    expect(must(await Promise.all(later).then(all => all[2] ?? Promise.reject())).stdout).toBe('2')
  })

  it('says that a run has begun when it is its turn, whatever it prints', async () => {
    const { contexts, local } = await harness()
    const path = newPath()
    const begun: string[] = []
    const start = (code: string) =>
      contexts.run(runOf(path, code), () => {}, new AbortController().signal, { begun: () => void begun.push(code) })
    const [first, second] = [start('wait'), start('set a 1')]
    await settle()
    expect(begun).toEqual(['wait'])
    local.last.release()
    await Promise.all([first, second])
    expect(begun).toEqual(['wait', 'set a 1'])
  })

  it('lets a waiting run be called off without touching the others', async () => {
    const { run, local } = await harness()
    const path = newPath()
    const first = run(path, 'wait')
    const stop = new AbortController()
    const second = run(path, 'set a 1', {}, stop.signal)
    const third = run(path, 'get a')
    await settle()
    stop.abort()
    expect(codeOf(await second)).toBe('request.cancelled')
    local.last.release()
    must(await first)
    expect(must(await third).stdout).toBe('undefined')
  })

  it('is interrupted without losing its variables, and restarted with its files only', async () => {
    const { contexts, run, local } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    const running = run(path, 'wait')
    await settle()
    await contexts.interrupt(path)
    expect(must(await running).error?.kind).toBe('killed')
    expect(must(await run(path, 'get a')).stdout).toBe('1')
    await contexts.files(path, analyst).write('data.csv', new Uint8Array(3))
    must(await contexts.restart(path))
    expect(must(await run(path, 'get a')).stdout).toBe('undefined')
    expect(must(await contexts.files(path, analyst).list())).toHaveLength(1)
    expect(local.opened).toHaveLength(1)
  })

  it('gets files before its first run, and the run finds them', async () => {
    const { contexts, run, local } = await harness()
    const path = newPath()
    const files = contexts.files(path, analyst)
    expect(must(await files.list())).toEqual([])
    expect(codeOf(await files.read('data.csv'))).toBe('not-found')
    must(await files.write('data.csv', new Uint8Array(3)))
    must(await run(path, 'get a'))
    expect(local.opened).toHaveLength(1)
    expect(must(await files.read('data.csv'))).toHaveLength(3)
  })

  it('puts a file where the next run will find it, also when that run would have rotated the sandbox', async () => {
    const { contexts, run, local } = await harness({ limits: { maxRuns: 1 } })
    const path = newPath()
    must(await run(path, 'get a'))
    must(await contexts.files(path, analyst).write('data.csv', new Uint8Array(3)))
    const outcome = must(await run(path, 'get a'))
    expect(outcome.sandboxId).toBe(local.last.id)
    expect(local.last.filesNow.has('data.csv')).toBe(true)
    expect(outcome.warnings).toHaveLength(1)
  })
})

describe('the life of a context', () => {
  it('expires 30 minutes after its last use, and the next run says what is gone', async () => {
    const { contexts, run, local, clock, rows, shown } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    clock.advance(20 * minute)
    must(await run(path, 'set b 1'))
    clock.advance(30 * minute - 1)
    expect(await contexts.status(path)).toMatchObject({ state: 'ready', expiresAt: clock.now() + 1 })
    clock.advance(1)
    expect((await contexts.status(path)).state).toBe('expired')
    expect(codeOf(await contexts.variables(path, 'python'))).toBe('context.none')
    const outcome = must(await run(path, 'get a'))
    expect(outcome.stdout).toBe('undefined')
    const notice =
      'The sandbox expired after 30 minutes without use. This run started in a new one: earlier variables are gone, the files are here.'
    expect(outcome.warnings).toEqual([notice])
    expect(outcome.outputs[0]).toEqual({ type: 'notice', text: notice })
    expect(shown.at(-2)).toEqual({ type: 'notice', text: notice })
    expect(local.opened[0]?.closedFor).toBe('expired')
    expect(await rows()).toMatchObject([{ state: 'expired', reason: 'expired', runs: 2 }, { state: 'ready' }])
    expect(must(await run(path, 'get a')).warnings).toEqual([])
  })

  it('is not ended for idleness while something runs in it', async () => {
    const { contexts, run, local, clock } = await harness()
    const path = newPath()
    const running = run(path, 'wait', { limits: { ...limits(), timeoutMs: 600_000 } })
    await settle()
    clock.advance(9 * minute)
    clock.set(clock.now() + 60 * minute)
    expect(await contexts.sweep()).toBe(0)
    local.last.release()
    expect(must(await running).success).toBe(true)
  })

  it('is made anew at the call after its hundredth run where no variables are at stake', async () => {
    const { run, local, rows } = await harness()
    const path = newPath()
    for (let i = 0; i < 100; i++) expect(must(await run(path, 'get a')).warnings).toEqual([])
    expect(local.opened).toHaveLength(1)
    const outcome = must(await run(path, 'get a'))
    expect(outcome.stdout).toBe('undefined')
    expect(outcome.warnings[0]).toContain('replaced after 100 runs')
    expect(await rows()).toMatchObject([{ state: 'terminated', reason: 'rotated', runs: 100 }, { state: 'ready' }])
  })

  it('goes on after its hundredth run while it has variables, until the person has it replaced', async () => {
    const { run, contexts, local, rows } = await harness({ limits: { maxRuns: 3 } })
    const path = newPath()
    for (let i = 0; i < 5; i++) expect(must(await run(path, 'set a 1')).warnings).toEqual([])
    expect(local.opened).toHaveLength(1)
    expect(await contexts.status(path)).toMatchObject({ runs: 5, maxRuns: 3 })
    await contexts.end(path, 'rotated', analyst)
    const outcome = must(await run(path, 'get a'))
    expect([outcome.stdout, outcome.warnings]).toEqual(['undefined', []])
    expect(await rows()).toMatchObject([{ reason: 'rotated', runs: 5 }, { state: 'ready' }])
  })

  it('says since when it has its variables: since it was opened, and since it was restarted', async () => {
    const { run, contexts, clock } = await harness()
    const path = newPath()
    await run(path, 'set a 1')
    const opened = (await contexts.status(path)).freshSince
    clock.advance(1_000)
    await contexts.restart(path)
    expect((await contexts.status(path)).freshSince).toBe((opened ?? 0) + 1_000)
    await contexts.end(path, 'manual', analyst)
    expect((await contexts.status(path)).freshSince).toBeNull()
  })

  it('is made anew when a run was approved with other limits', async () => {
    const { run, local } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    const roomy = { ...limits(), memoryBytes: 2 ** 30 }
    const outcome = must(await run(path, 'get a', { limits: roomy }))
    expect(outcome.stdout).toBe('undefined')
    expect(outcome.warnings[0]).toContain('its limits were changed')
    // The time limit belongs to the run, not to the sandbox.
    must(await run(path, 'get a', { limits: { ...roomy, timeoutMs: 1 } }))
    expect(local.opened).toHaveLength(2)
    expect(local.openNow).toBe(1)
  })

  it('ends at a wish, stopping what runs and dropping what waits; the next run needs no explanation', async () => {
    const { contexts, run, local, rows, entries } = await harness()
    const path = newPath()
    const running = run(path, 'wait')
    const waiting = run(path, 'set a 1')
    await settle()
    await contexts.end(path, 'manual', analyst)
    expect(must(await running).error?.kind).toBe('killed')
    expect(codeOf(await waiting)).toBe('request.cancelled')
    expect(local.last.closedFor).toBe('manual')
    expect(await rows()).toMatchObject([{ state: 'terminated', reason: 'manual', ended_by: analyst }])
    expect(entries.at(-1)).toMatchObject({
      action: 'context.ended',
      actor: analyst,
      details: { reason: 'manual', runs: 1 },
    })
    expect((await contexts.status(path)).state).toBe('none')
    expect(must(await run(path, 'get a')).warnings).toEqual([])
  })

  it('ends all of a conversation and leaves the others', async () => {
    const { contexts, run, rows } = await harness()
    const one = newPath()
    const two = sibling(one)
    const other = newPath({ tenant: one.tenant })
    for (const path of [one, two, other]) must(await run(path, 'set a 1'))
    await contexts.endConversation(one.tenant, one.conversation, 'merged', analyst)
    expect((await rows()).map(row => row.reason)).toEqual(['merged', 'merged', null])
    expect((await contexts.active(one.tenant)).map(status => status.path)).toEqual([other.path])
    expect((await contexts.statuses(one.tenant, one.conversation)).map(status => status.state)).toEqual([
      'none',
      'none',
    ])
  })

  it('ends when the application closes, which the next run tells', async () => {
    const { contexts, run, local, storage, clock, entries } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    await contexts.close()
    expect(local.openNow).toBe(0)
    expect(entries.at(-1)?.action).toBe('context.ended')
    expect(codeOf(await run(path, 'get a'))).toBe('context.closed')
    const next = await harness({ storage, clock })
    expect(must(await next.run(path, 'get a')).warnings[0]).toContain('Countersign was closed')
  })
})

describe('those who watch', () => {
  it('see every state in turn', async () => {
    const { run, events, clock } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    clock.advance(31 * minute)
    await settle()
    const states = events.map(status => status.state).filter((state, index, all) => state !== all[index - 1])
    expect(states).toEqual(['warming', 'ready', 'running', 'ready', 'expired'])
    expect(events.at(-1)).toMatchObject({ reason: 'expired', sandbox: { isolation: 'jail', kind: 'local' } })
  })

  it('hear nothing of a path that was refused a sandbox', async () => {
    const { run, events } = await harness({ limits: { activePerTenant: 0 } })
    expect(codeOf(await run(newPath(), 'get a'))).toBe('context.too-many')
    expect(events).toEqual([])
  })

  it('do not stop a run by failing, and hear nothing after they left', async () => {
    const { contexts, run, trouble } = await harness()
    const path = newPath()
    const heard: string[] = []
    const leave = contexts.subscribe(() => {
      throw new Error('the view is broken')
    })
    contexts.subscribe(status => heard.push(status.state))
    must(await run(path, 'set a 1'))
    expect(heard).toContain('running')
    leave()
    trouble.length = 0
    must(await run(path, 'set a 1'))
    expect(trouble).toEqual([])
  })
})

describe('a run that breaks the rules', () => {
  it('is refused for code just over 100 KB and not for exactly 100 KB', async () => {
    const { run } = await harness()
    const path = newPath()
    must(await run(path, 'x'.repeat(maxCodeBytes)))
    expect(codeOf(await run(path, 'x'.repeat(maxCodeBytes + 1)))).toBe('request.too-large')
    // Bytes, not characters.
    expect(codeOf(await run(path, 'é'.repeat(maxCodeBytes / 2 + 1)))).toBe('request.too-large')
  })

  it.each([0, -1, 600_001, Number.NaN])('is refused for a time limit of %s ms', async timeoutMs => {
    const { run, local } = await harness()
    expect(codeOf(await run(newPath(), 'get a', { limits: { ...limits(), timeoutMs } }))).toBe('request.invalid')
    expect(local.opened).toEqual([])
  })
})

function limits() {
  return {
    timeoutMs: 60_000,
    memoryBytes: 512 * 1024 * 1024,
    processes: 64,
    fileBytes: 256 * 1024 * 1024,
    diskBytes: 1024 ** 3,
    outputChars: 50_000,
  }
}
