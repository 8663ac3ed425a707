import { describe, expect, it } from 'vitest'
import { meansNoSandbox } from './contexts.ts'
import { analyst, codeOf, harness, must, newPath, placed, settle } from './testing.ts'

describe('when a sandbox cannot be made', () => {
  it.each(['fails', 'throws'] as const)(
    'because its back end %s, the person is told and tools are off',
    async opening => {
      const { contexts, run, local, rows, entries } = await harness()
      local.opening = opening
      const path = newPath()
      const outcome = await run(path, 'get a')
      expect(outcome).toMatchObject({ ok: false, problem: { code: 'context.unavailable' } })
      if (outcome.ok) return
      expect(outcome.problem.message).toMatch(/^No sandbox could be started: (bubblewrap is missing|spawn EAGAIN)/)
      expect(meansNoSandbox(outcome.problem)).toBe(true)
      expect(await rows()).toMatchObject([{ state: 'error', reason: 'error', sandbox: null }])
      expect(entries).toMatchObject([{ action: 'context.ended', details: { state: 'error', reason: 'error' } }])
      expect(await contexts.status(path)).toMatchObject({ state: 'error', message: outcome.problem.message })
      local.opening = 'works'
      expect(must(await run(path, 'get a')).warnings).toEqual([])
    },
  )

  it('because its back end is not installed, nothing is written', async () => {
    const { run, rows } = await harness()
    const outcome = await run(newPath(), 'get a', placed({ kind: 'microvm' }))
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'context.unavailable' } })
    expect(await rows()).toEqual([])
  })

  it('within 60 s, it is given up, and closed if it comes after all', async () => {
    const { contexts, run, local, clock, rows } = await harness()
    local.opening = 'hangs'
    const path = newPath()
    const running = run(path, 'get a')
    await settle()
    expect((await contexts.status(path)).state).toBe('warming')
    clock.advance(59_999)
    await settle()
    expect((await contexts.status(path)).state).toBe('warming')
    clock.advance(1)
    expect(await running).toMatchObject({ ok: false, problem: { code: 'context.unavailable' } })
    expect(local.openSignal?.aborted).toBe(true)
    local.arrive()
    await settle()
    expect(local.last.closedFor).toBe('error')
    expect(await rows()).toMatchObject([{ state: 'error' }])
  })

  it.each(['its own signal', 'an interrupt', 'an end'])(
    'because %s stopped it, the late sandbox is closed and the path is free',
    async by => {
      const { contexts, run, local } = await harness()
      local.opening = 'hangs'
      const path = newPath()
      const stop = new AbortController()
      const running = run(path, 'get a', {}, stop.signal)
      await settle()
      if (by === 'its own signal') stop.abort()
      else if (by === 'an interrupt') await contexts.interrupt(path)
      else await contexts.end(path, 'manual', analyst)
      expect(codeOf(await running)).toBe('request.cancelled')
      local.arrive()
      await settle()
      expect(local.openNow).toBe(0)
      local.opening = 'works'
      must(await run(path, 'get a'))
    },
  )
})

describe('when a run', () => {
  it('meets its time limit, it is an error and the variables stay', async () => {
    const { run, local } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    expect(must(await run(path, 'slow'))).toMatchObject({ success: false, error: { kind: 'timeout' }, warnings: [] })
    expect(must(await run(path, 'get a')).stdout).toBe('1')
    expect(local.opened).toHaveLength(1)
  })

  it('takes its sandbox down, what it showed is kept and the loss is told', async () => {
    const { contexts, run, clock, rows, shown } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    const running = run(path, 'die')
    await settle()
    clock.advance(1_000)
    const outcome = must(await running)
    expect(outcome).toMatchObject({
      success: false,
      stdout: 'last words',
      error: { kind: 'sandbox', name: 'SandboxLost' },
    })
    expect(outcome.warnings[0]).toContain('variables are gone')
    expect(outcome.outputs.map(output => output.type)).toEqual(['stream', 'error', 'notice'])
    expect(shown.at(-1)?.type).toBe('notice')
    expect(await rows()).toMatchObject([{ state: 'error', reason: 'error', runs: 2 }])
    expect((await contexts.status(path)).state).toBe('error')
    const next = must(await run(path, 'get a'))
    expect(next).toMatchObject({ success: true, stdout: 'undefined' })
    expect(next.outputs[0]).toMatchObject({ type: 'notice' })
    expect(next.warnings[0]).toContain('The connection to the sandbox was lost. This run started in a new one')
  })

  it('is blamed on the sandbox a moment before that ends, the loss is told at once', async () => {
    const { run, local } = await harness()
    const path = newPath()
    const running = run(path, 'fall')
    await settle()
    local.last.crash()
    expect(must(await running)).toMatchObject({
      error: { name: 'fell' },
      warnings: [expect.stringContaining('are gone')],
    })
    expect(must(await run(path, 'get a')).sandboxId).not.toBe(local.opened[0]?.id)
  })

  it('is blamed on a sandbox that lives on, its variables stay', async () => {
    const { run, clock, local } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    const running = run(path, 'fall')
    await settle()
    clock.advance(1_000)
    expect(must(await running)).toMatchObject({ error: { name: 'fell' }, warnings: [] })
    expect(must(await run(path, 'get a')).stdout).toBe('1')
    expect(local.opened).toHaveLength(1)
  })

  it('loses the connection, the cause is not shown: it may hold a secret', async () => {
    const { run, local, rows } = await harness()
    const path = newPath()
    const outcome = must(await run(path, 'break'))
    expect(outcome.error?.kind).toBe('sandbox')
    expect(local.last.closedFor).toBe('error')
    expect(JSON.stringify([outcome, await rows()])).not.toContain('secret')
  })

  it('is not answered long after its time limit, the sandbox is taken for lost and its late words are dropped', async () => {
    const { run, local, clock, shown } = await harness()
    const path = newPath()
    const running = run(path, 'deaf')
    await settle()
    clock.advance(60_000 + 19_999)
    await settle()
    expect(local.last.closedFor).toBeNull()
    clock.advance(1)
    expect(must(await running).error?.kind).toBe('sandbox')
    local.last.release()
    await settle()
    expect(shown).not.toContainEqual({ type: 'stream', name: 'stdout', text: 'too late' })
  })

  it('does not hear that it was stopped, the path waits ten seconds and no more', async () => {
    const { contexts, run, local, clock } = await harness()
    const path = newPath()
    const running = run(path, 'deaf')
    await settle()
    const ending = contexts.end(path, 'manual', analyst)
    await settle()
    clock.advance(10_000)
    await ending
    expect(must(await running).error?.kind).toBe('sandbox')
    expect(local.openNow).toBe(0)
  })

  it.each(['fails', 'hangs'] as const)('follows a restart that %s, it gets a new sandbox', async restarting => {
    const { contexts, run, local, clock } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    local.last.restarting = restarting
    const restarted = contexts.restart(path)
    await settle()
    clock.advance(60_000)
    expect(codeOf(await restarted)).toBe('context.unavailable')
    expect(local.openNow).toBe(0)
    expect(must(await run(path, 'get a')).stdout).toBe('undefined')
  })

  it('finds that its sandbox died while idle, it runs in a new one and says so', async () => {
    const { contexts, run, local, rows, events } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    local.last.crash()
    await settle()
    expect(events.at(-1)).toMatchObject({ state: 'error', reason: 'error' })
    expect(await rows()).toMatchObject([{ state: 'error' }])
    expect(codeOf(await contexts.variables(path, 'python'))).toBe('context.none')
    local.opening = 'fails'
    expect(codeOf(await run(path, 'get a'))).toBe('context.unavailable')
    local.opening = 'works'
    // A failed attempt in between does not make the loss forgotten.
    expect(must(await run(path, 'get a')).warnings[0]).toContain('connection to the sandbox was lost')
  })
})

describe('when the store fails', () => {
  it('before the sandbox is on the record, it is closed again and the error is clear', async () => {
    const { run, local, store, rows } = await harness()
    const path = newPath()
    store.fails = true
    expect(await run(path, 'get a')).toMatchObject({ ok: false, problem: { code: 'storage.full' } })
    expect(local.last).toMatchObject({ closedFor: 'error', ran: [] })
    store.fails = false
    must(await run(path, 'get a'))
    // The half-made record of the first attempt was put right by the second.
    expect(await rows()).toMatchObject([{ state: 'error', reason: 'error' }, { state: 'ready' }])
  })

  it('at the end of a context, the sandbox is gone, the record waits, and the same reason is written later', async () => {
    const { contexts, run, local, store, rows, entries } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    store.fails = true
    await expect(contexts.end(path, 'merged', analyst)).rejects.toThrow('disk is full')
    expect(local.openNow).toBe(0)
    expect(await rows()).toMatchObject([{ state: 'ready' }])
    expect(codeOf(await run(path, 'get a'))).toBe('storage.full')
    store.fails = false
    expect(await contexts.sweep()).toBe(1)
    expect(await rows()).toMatchObject([{ state: 'terminated', reason: 'merged', ended_by: analyst }])
    expect(entries.filter(entry => entry.action === 'context.ended')).toHaveLength(1)
  })

  it('after a run was lost, the person still gets the outcome', async () => {
    const { run, store, trouble } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    store.fails = true
    expect(must(await run(path, 'break')).error?.kind).toBe('sandbox')
    expect(trouble.map(problem => problem.code)).toEqual(['storage.full'])
  })

  it('with the counts of a run, the next run is refused until the store works again', async () => {
    const { run, clock, store, trouble, rows, local } = await harness()
    const path = newPath()
    must(await run(path, 'set a 1'))
    store.isDown = true
    clock.advance(1_000)
    await settle()
    expect(trouble.map(problem => problem.code)).toEqual(['storage.locked'])
    expect(codeOf(await run(path, 'set a 2'))).toBe('storage.locked')
    store.isDown = false
    expect(must(await run(path, 'get a')).stdout).toBe('1')
    expect(await rows()).toMatchObject([{ state: 'ready', runs: 1 }])
    expect(local.opened).toHaveLength(1)
  })
})
