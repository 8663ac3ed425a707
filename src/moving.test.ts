import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Cell } from './contract/conversations.ts'
import type { Outcome } from './contract/problem.ts'
import type { RunView, WayOn } from './contract/runs.ts'
import { type Engine, openEngine } from './engine/engine.ts'
import { secondProvider } from './sandbox/second.testing.ts'
import { temporaryFolder } from './storage/testing.ts'

const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
  return outcome.value
}

const [calm, dangerous] = ['print(open("data.csv").read())', 'import os\nos.remove("data.csv")\nprint("removed")']

/** A path with a file and two cells, on a machine that can make jails and something stronger. */
async function notebook() {
  const folder = temporaryFolder()
  const backEnds = [secondProvider(join(folder, 'second'))]
  const engine = await openEngine({ home: join(folder, 'home'), env: {}, pool: 0, backEnds })
  onTestFinished(() => engine.close())
  const { conversations, caller } = engine
  // High risk, so that the strongest sandbox is wanted; approved by policy, so that nobody has to be asked.
  const { policy, version } = await engine.approval.policy.current()
  const lax = {
    ...policy,
    thresholds: { ...policy.thresholds, medium: 'auto' as const, high: 'auto' as const },
    operations: { ...policy.operations, deletion: 'auto' as const, commands: 'auto' as const },
  }
  must(await engine.approval.policy.save(lax, caller.user, version))
  const made = must(await conversations.create(caller, { title: 'Test' }))
  const path = made.conversation.main
  const items = [calm, risky].map(text => ({
    kind: 'cell' as const,
    author: 'analyst' as const,
    language: 'python',
    text,
  }))
  const cells = must(await conversations.insert(caller, { path, items })) as Cell[]
  must(await must(await engine.files(caller, path)).write('data.csv', Buffer.from('1,2')))
  const run = async (n: 0 | 1, wayOn: WayOn = 'ask'): Promise<RunView> => {
    const { id, revision } = cells[n] as Cell
    return must(await engine.runs.start(caller, { path, cell: id, revision, wayOn })).rest
  }
  const sandbox = async () =>
    (await engine.contexts.status({ tenant: caller.tenant, conversation: made.conversation.id, path })).sandbox
  const files = async () => must(await must(await engine.files(caller, path)).list()).map(file => file.path)
  return { engine, path, run, sandbox, files }
}

/** Code of high risk by the guard's own word. */
const risky = `${dangerous}\nexec(input() if False else "print('ran')")`

const endings = async ({ audit }: Engine) =>
  (await audit.query({ filter: { actions: ['context.ended'] } })).items.map(
    ({ entry }) => (entry.details as { reason: string }).reason,
  )

describe('code that needs more than its path’s sandbox gives', () => {
  it('is held, with what it has, what it needs and why; nothing runs and nobody is asked', async () => {
    const { engine, run, sandbox, files } = await notebook()
    expect(await run(0)).toMatchObject({ state: 'finished', outcome: { isolation: 'jail', stdout: '1,2\n' } })
    const held = await run(1)
    expect(held).toMatchObject({
      state: 'held',
      risk: 'high',
      held: { current: { isolation: 'jail' }, needed: { kind: 'microvm', isolation: 'microvm' } },
    })
    expect(held.held?.why).toContain('strongest sandbox of this machine (microvm)')
    expect(await sandbox()).toMatchObject({ kind: 'local' })
    expect(await files()).toEqual(['data.csv'])
    expect((await engine.audit.query({ filter: { run: held.run } })).items).toEqual([])
  })

  it('moves the path: its files go along, the old sandbox ends as moved, and later code stays there', async () => {
    const { engine, run, sandbox, files } = await notebook()
    await run(0)
    expect(await run(1, 'move')).toMatchObject({ state: 'finished', outcome: { success: true, isolation: 'microvm' } })
    expect(await sandbox()).toMatchObject({ kind: 'microvm' })
    expect(await files()).toEqual([])
    expect(await endings(engine)).toEqual(['moved'])
    expect(await run(0)).toMatchObject({ outcome: { isolation: 'microvm', error: { name: 'FileNotFoundError' } } })
    expect((await engine.audit.verify()).findings).toEqual([])
  })

  it('runs aside once: with a copy of the files, and the path keeps its sandbox, its files and its variables', async () => {
    const { engine, run, sandbox, files, path } = await notebook()
    await run(0)
    const aside = await run(1, 'aside')
    expect(aside).toMatchObject({ state: 'finished', outcome: { success: true, isolation: 'microvm' } })
    expect(aside.outcome?.files.deleted).toEqual(['data.csv'])
    expect(await files()).toEqual(['data.csv'])
    expect(await sandbox()).toMatchObject({ kind: 'local' })
    const active = await engine.contexts.active(engine.caller.tenant)
    expect(active.map(status => status.path)).toEqual([path])
    const [intended] = (await engine.audit.query({ filter: { run: aside.run, actions: ['run.intended'] } })).items
    expect(JSON.stringify(intended?.entry.details)).toContain('It runs once in a sandbox of its own')
  })

  it('that was approved to run aside still does so when the approval comes', async () => {
    const { engine, run, files } = await notebook()
    await run(0)
    const { policy, version } = await engine.approval.policy.current()
    must(await engine.approval.policy.save({ ...policy, forceApproval: true }, engine.caller.user, version))
    const waiting = await run(1, 'aside')
    expect(waiting.state).toBe('waiting')
    if (!waiting.request) throw new Error('no request')
    const request = must(await engine.approval.requests.get(engine.caller.tenant, waiting.request))
    expect(request.placement).toMatchObject({ kind: 'microvm', aside: true })
    const over = new Promise<RunView>(resolve =>
      engine.events.listen(event => event.type === 'run' && event.run.state === 'finished' && resolve(event.run)),
    )
    const reviewer = must(await engine.approval.identities.logIn(engine.caller.user))
    must(await engine.approval.requests.decide(request.id, reviewer, { kind: 'approve', seen: request.subject }))
    expect(await over).toMatchObject({ outcome: { success: true, isolation: 'microvm' } })
    expect(await files()).toEqual(['data.csv'])
  })
})

describe('moving a path by hand', () => {
  it('keeps its files and its record, and runs its cells again where that is wanted', async () => {
    const { engine, path, run, sandbox, files } = await notebook()
    const first = await run(0)
    const again = new Promise<RunView>(resolve =>
      engine.events.listen(event => {
        if (event.type === 'run' && event.run.state === 'finished' && event.run.run !== first.run) resolve(event.run)
      }),
    )
    const moved = must(await engine.sandboxes.move(engine.caller, { path, kind: 'microvm', replay: true }))
    expect(moved.sandbox).toMatchObject({ kind: 'microvm', isolation: 'microvm' })
    expect(await again).toMatchObject({ outcome: { stdout: '1,2\n', isolation: 'microvm' } })
    expect(await files()).toEqual(['data.csv'])
    expect(await sandbox()).toMatchObject({ kind: 'microvm' })
    expect(await endings(engine)).toEqual(['moved'])
    const story = await must(engine.readRecord(engine.caller)).run(first.run)
    expect(story).toMatchObject({ isolation: 'jail' })
  })

  it('says of each kind what it gives or why it cannot be had, and does not move there', async () => {
    const { engine, path, run, sandbox } = await notebook()
    await run(0)
    const choices = await engine.sandboxes.choices()
    expect(choices).toContainEqual(expect.objectContaining({ kind: 'local', isolation: 'jail', missing: null }))
    expect(choices.find(each => each.kind === 'e2b')?.missing).toEqual(expect.any(String))
    for (const { missing, hint } of choices)
      if (missing && hint) expect(missing.slice(0, -hint.length)).toMatch(/^\P{Ll}.*\. $/u)
    expect(await engine.sandboxes.move(engine.caller, { path, kind: 'e2b' })).toMatchObject({
      ok: false,
      problem: { code: 'cloud.not-allowed' },
    })
    expect(await sandbox()).toMatchObject({ kind: 'local' })
  })
})
