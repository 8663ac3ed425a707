import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RequestId } from '../contract/ids.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { decide, must, open, stateOf } from './engine.testing.ts'
import { parseGraph } from './workflow.ts'

const graph = `name: Tidies
tasks:
  tidy:
    type: code_execution
    language: python
    code: |
      import json, os, shutil
      os.makedirs("out", exist_ok=True)
      shutil.rmtree("out")
      json.dump({"left": len(os.listdir("."))}, open("outputs.json", "w"))
    outputs: { left: number }
  report:
    type: code_execution
    language: python
    inputs: { left: { from: tidy.left, type: number } }
    code: open("report.txt", "w").write(open("inputs.json").read())
`

async function waiting() {
  const home = join(temporaryFolder(), 'home')
  const first = await open(home)
  const { conversation } = must(await first.conversations.create(first.caller, { title: 'Tidy' }))
  const { id } = must(await first.workflows.start(first.caller, conversation.main, graph))
  await first.workflows.rest(id)
  const view = must(await first.workflows.get(first.caller, id))
  expect(view).toMatchObject({ state: 'waiting', tasks: [{ state: 'waiting' }, { state: 'pending' }] })
  return { home, first, id, path: conversation.main, conversation: conversation.id, request: view.tasks[0]?.request }
}

it('code that waits for a reviewer waits over a restart, and goes on once it is approved', async () => {
  const { home, first, id, path, conversation, request } = await waiting()
  await first.close()
  const next = await open(home)
  await next.workflows.recover()
  await next.workflows.rest(id)
  expect(await stateOf(next, id)).toBe('waiting')
  await decide(next, request, 'approve')
  await expect.poll(() => stateOf(next, id)).toBe('completed')
  const files = next.contexts.files({ tenant: next.caller.tenant, conversation, path }, next.caller.user)
  expect(Buffer.from(must(await files.read('report.txt'))).toString()).toMatch(/^\{"left":\s*\d+\}$/)
  expect((await next.audit.verify()).findings).toEqual([])
})

it('code that a reviewer refuses ends its workflow, with the reason', async () => {
  const { first, id, request } = await waiting()
  await decide(first, request, 'deny')
  await expect.poll(() => stateOf(first, id)).toBe('failed')
  const { problem, tasks } = must(await first.workflows.get(first.caller, id))
  expect(tasks.map(({ state }) => state)).toEqual(['failed', 'pending'])
  expect(problem?.message).toMatch(/refused|denied|as agreed/i)
})

it('the cells of a path become a graph that computes the same', async () => {
  const engine = await open(join(temporaryFolder(), 'home'))
  const { conversation } = must(await engine.conversations.create(engine.caller, { title: 'Cells' }))
  const path = conversation.main
  const cell = (text: string) => ({ kind: 'cell' as const, author: 'analyst' as const, language: 'python', text })
  const items = [
    cell('rate = 0.23'),
    cell('open("in.csv", "w").write("1250")'),
    cell('vat = float(open("in.csv").read()) * rate\nopen("vat.txt", "w").write(str(vat))'),
    cell(''),
    cell('unrelated = 1'),
  ]
  must(await engine.conversations.insert(engine.caller, { path, items }))
  const source = must(await engine.workflowFromPath(engine.caller, path))
  const parsed = parseGraph(source)
  expect('graph' in parsed && parsed.graph.layers).toEqual([['cell_1', 'cell_2', 'cell_4'], ['cell_3']])
  const { id } = must(await engine.workflows.start(engine.caller, path, source))
  await engine.workflows.rest(id)
  expect(must(await engine.workflows.get(engine.caller, id))).toMatchObject({ state: 'completed', problem: null })
  const ref = { tenant: engine.caller.tenant, conversation: conversation.id, path }
  const written = must(await engine.contexts.files(ref, engine.caller.user).read('vat.txt'))
  expect(Buffer.from(written).toString()).toBe('287.5')
})

it('an analysis that a reviewer must see waits like other code, over a restart too, and has its time limit', async () => {
  const home = join(temporaryFolder(), 'home')
  const first = await open(home)
  const { policy, version } = await first.approval.policy.current()
  must((await first.approval.policy.save({ ...policy, analyses: 'approve' }, first.caller.user, version)) as never)
  const { conversation } = must(await first.conversations.create(first.caller, { title: 'Index' }))
  const source = `name: Index
tasks:
  index:
    type: analysis
    analysis: hhi
    timeoutSeconds: 7
    inputs: { shares_percent: { value: [50, 30, 20] } }
`
  const { id } = must(await first.workflows.start(first.caller, conversation.main, source))
  await first.workflows.rest(id)
  const [task] = must(await first.workflows.get(first.caller, id)).tasks
  expect(task).toMatchObject({ state: 'waiting', request: expect.any(String) })
  const request = must(await first.approval.requests.get(first.caller.tenant, RequestId.parse(task?.request)))
  expect(request.placement.limits.timeoutMs).toBe(7000)
  await first.close()
  const next = await open(home)
  await next.workflows.recover()
  await next.workflows.rest(id)
  await decide(next, task?.request, 'approve')
  await expect.poll(() => stateOf(next, id)).toBe('completed')
  const [done] = must(await next.workflows.get(next.caller, id)).tasks
  expect(JSON.stringify(done?.outputs)).toContain('3800')
  expect(done?.written).toEqual([])
})
