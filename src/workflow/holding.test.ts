import { expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Manifest } from '../contract/files.ts'
import type { PathFiles } from '../files/files.ts'
import { type Act, ana, bea, bench, failure, graph, ref, started, stateOf, task } from './testing.ts'

/** Leaves a file that says who wrote it. */
const says = (name: string, needs: string) => task([needs], `, inputs: { by: { value: ${name} } }`)
const question = (needs: string) => `{ type: approval, question: "Go on?", needs: [${needs}] }`
const yes = { approve: true, comment: '' }

/** All that can be forgotten is, a long time after it was written. */
const forget = ({ files, clock }: Pick<Awaited<ReturnType<typeof bench>>, 'files' | 'clock'>) => {
  clock.set(systemClock.now() + 365 * 86_400_000)
  return files.prune(clock.now())
}
const textsOf = async (files: PathFiles, manifest: Manifest) => {
  const found: Record<string, string> = {}
  for (const { path, sha256 } of manifest)
    for await (const part of files.read(sha256)) found[path] = part.ok ? Buffer.from(part.value).toString() : 'gone'
  return found
}

it('files of tasks that are over outlive the old versions of others while their workflow waits for a person', async () => {
  const kit = await bench({ ask: () => ({ type: 'waiting', request: null }) })
  const workflows = kit.open()
  const id = await started(
    workflows,
    graph({ a: says('a', ''), b: says('b', 'a'), ask: question('a'), c: says('c', 'ask') }),
  )
  await forget(kit)
  expect((await workflows.decide(bea, id, 'ask', yes)).ok).toBe(true)
  await workflows.rest(id)
  expect((await stateOf(workflows, id)).state).toBe('completed')
  expect(await textsOf(kit.files, await kit.files.head(ref))).toEqual({
    'a.json': '{"by":"a"}',
    'b.json': '{"by":"b"}',
    'c.json': '{"by":"c"}',
  })
})

it('so do those of candidates until somebody has chosen, and of tasks before one that failed until it is resumed', async () => {
  let broken = true
  const offers: Act = async (_attempt, files) => {
    const written = [await files.add('best.txt', Buffer.from('of candidate 1'))]
    const candidates = [{ number: 1, outputs: { x: 1 }, changes: { written, removed: [] } }]
    return { type: 'waiting', request: null, outputs: { candidates } }
  }
  const kit = await bench({
    best: offers,
    last: () =>
      broken
        ? { type: 'failed', problem: failure, final: true }
        : { type: 'completed', outputs: { x: 1 }, changes: { written: [], removed: [] } },
  })
  const workflows = kit.open()
  const best = task([], ', candidates: 2, choose: reviewer')
  const id = await started(workflows, graph({ best, beside: task(['best']), last: task(['best']) }))
  await forget(kit)
  expect((await workflows.decide(bea, id, 'best', { ...yes, candidate: 1 })).ok).toBe(true)
  await workflows.rest(id)
  expect((await stateOf(workflows, id)).state).toBe('failed')
  await forget(kit)
  broken = false
  await workflows.resume(ana, id)
  await workflows.rest(id)
  expect(await textsOf(kit.files, await kit.files.head(ref))).toEqual({
    'best.txt': 'of candidate 1',
    'beside.json': '{}',
  })
})

it('what a task left is not taken over by another workflow where it is no longer kept', async () => {
  const kit = await bench({ ask: () => ({ type: 'waiting', request: null }) })
  const workflows = kit.open()
  const id = await started(workflows, graph({ a: task([]), ask: question('a') }))
  await workflows.abort(ana, id)
  await forget(kit)
  expect(await workflows.again(ana, id, 'ask')).toMatchObject({
    problem: { code: 'files.missing', message: 'a.json of a is no longer kept.', hint: 'Run again from a.' },
  })
})
