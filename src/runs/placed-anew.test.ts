import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { SandboxFacts } from '../contract/placement.ts'
import type { Language } from '../contract/run.ts'
import type { RunView } from '../contract/runs.ts'
import { openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { isOtherEnvironment } from './place.ts'

/** An application in which the next so many looks at the packages see a list that is out of date when the sandbox opens. */
async function opened() {
  const engine = await openEngine({ home: join(temporaryFolder(), 'home'), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const { caller, conversations, environments } = engine
  const made = await conversations.create(caller, { title: 'Test' })
  if (!made.ok) throw new Error(made.problem.message)
  const path = made.value.conversation.main
  const look = environments.of
  let outdated = 0
  Object.assign(environments, {
    of: async (...asked: Parameters<typeof look>) => {
      const seen = await look(...asked)
      if (!seen.ok || outdated-- <= 0) return seen
      const digest = createHash('sha256').update(`${outdated} looks before`).digest('hex')
      return { ok: true, value: { ...seen.value, digest } }
    },
  })
  const start = async (code: string, language: Language = 'python') => {
    const started = await engine.runs.start(caller, { path, cell: null, language, code })
    if (!started.ok) throw new Error(started.problem.message)
    return started.value
  }
  const entries = async (run: RunView['run']) =>
    (await engine.audit.query({ filter: { run } })).items.map(item => item.entry).reverse()
  const outdate = (looks: number) => {
    outdated = looks
  }
  return { engine, start, entries, outdate }
}

it('a run whose packages changed between placing and opening is placed once more, and runs where the record says', async () => {
  const { engine, start, entries, outdate } = await opened()
  outdate(1)
  const view = await (await start('print(6 * 7)')).rest
  expect(view).toMatchObject({ state: 'finished', outcome: { stdout: '42\n' } })
  const written = await entries(view.run)
  expect(written.map(entry => entry.action)).toEqual(['run.intended', 'run.intended', 'run.finished'])
  const { tenant } = engine.caller
  const now = await engine.environments.of(tenant, view.conversation)
  const digests = written.map(
    ({ details }) => (details as { placement?: { environment: { digest: string } } }).placement,
  )
  expect(now.ok && digests.map(place => place?.environment.digest === now.value.digest)).toEqual([false, true, false])
  expect((await engine.audit.verify()).findings).toEqual([])
})

it('and keeps its turn among the runs of its path', async () => {
  const { start, outdate } = await opened()
  outdate(1)
  const asked = [await start('total = 1'), await start('total += 1'), await start('print(total)')]
  const views = await Promise.all(asked.map(each => each.rest))
  expect(views).toMatchObject([{ state: 'finished' }, { state: 'finished' }, { outcome: { stdout: '2\n' } }])
})

it('one that was placed before the sandbox of its path was open is placed in that', async () => {
  const { engine, start, entries, outdate } = await opened()
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  // The first has its place and its sandbox only after the second was placed and waits for its turn.
  engine.events.listen(event => event.type === 'run' && event.run.state === 'queued' && second.resolve())
  const look = engine.environments.of
  let looks = 0
  Object.assign(engine.environments, {
    of: async (...asked: Parameters<typeof look>) => {
      const number = looks++
      if (number === 0) {
        first.resolve()
        await second.promise
      }
      if (number === 1) outdate(1)
      return look(...asked)
    },
  })
  const one = await start('total = 1')
  await first.promise
  const two = await start('print(total)')
  expect(await Promise.all([one.rest, two.rest])).toMatchObject([{ state: 'finished' }, { outcome: { stdout: '1\n' } }])
  const actions = (await entries(two.view.run)).map(entry => entry.action)
  expect(actions).toEqual(['run.intended', 'approval.rejected', 'run.intended', 'run.finished'])
})

it('but not a third time: packages that change without end are refused', async () => {
  const { start, entries, outdate } = await opened()
  outdate(9)
  const view = await (await start('print(6 * 7)')).rest
  expect(view).toMatchObject({ state: 'refused', problem: { code: 'sandbox.mismatch' } })
  const actions = (await entries(view.run)).map(entry => entry.action)
  expect(actions).toEqual(['run.intended', 'run.intended', 'run.refused'])
})

it('what a reviewer signed runs with the packages that they signed for, or not at all', async () => {
  const { engine, start, entries, outdate } = await opened()
  outdate(1)
  const waiting = await (await start('rm -r reports/', 'bash')).rest
  if (!waiting.request) throw new Error('nobody was asked')
  const request = await engine.approval.requests.get(engine.caller.tenant, waiting.request)
  const reviewer = await engine.approval.identities.logIn(engine.caller.user)
  if (!request.ok || !reviewer.ok) throw new Error('no reviewer')
  const over = new Promise<RunView>(resolve =>
    engine.events.listen(event => event.type === 'run' && event.run.state === 'refused' && resolve(event.run)),
  )
  const answer = { kind: 'approve' as const, seen: request.value.subject }
  await engine.approval.requests.decide(waiting.request, reviewer.value, answer)
  expect((await over).problem?.code).toBe('sandbox.mismatch')
  const actions = (await entries(waiting.run)).map(entry => entry.action)
  expect(actions.filter(action => action.startsWith('run.'))).toEqual(['run.intended', 'run.refused'])
})

it('a sandbox that is other in more than its packages is no reason to place a run once more', () => {
  const of = (digest: string): SandboxFacts => ({
    ...{ kind: 'local', isolation: 'jail', image: null, mounts: [] },
    environment: { name: 'system', version: '3.11.2', digest },
  })
  expect(isOtherEnvironment(of('a'), of('b'))).toBe(true)
  expect(isOtherEnvironment(of('a'), of('a'))).toBe(false)
  expect(isOtherEnvironment(of('a'), { ...of('b'), isolation: 'unconfined' })).toBe(false)
  expect(isOtherEnvironment(of('a'), { ...of('b'), mounts: [{ source: '/', target: '/in', writable: true }] })).toBe(
    false,
  )
})
