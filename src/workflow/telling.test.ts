import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { WorkflowId } from '../contract/ids.ts'
import { openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { must } from './engine.testing.ts'

const graph = (code: string) => `name: Told
tasks:
  a: { type: code_execution, language: python, code: "1" }
  b: { type: code_execution, language: python, code: ${code}, needs: [a] }
`
const asks = 'name: Told\ntasks:\n  ask: { type: approval, question: Go on? }\n'

/** Stands for a webhook and for a collector of spans. */
async function listener() {
  const heard: { path: string; body: string }[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      heard.push({ path: request.url ?? '', body: Buffer.concat(parts).toString() })
      response.end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { heard, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

it('what becomes of workflows is told to windows, to the webhook, and to whoever collects spans and figures', async () => {
  const { heard, address } = await listener()
  const env = {
    PATH: process.env.PATH,
    COUNTERSIGN_ALERTS_WEBHOOK: `${address}/hook`,
    COUNTERSIGN_ALERTS_WORKFLOWS: 'true',
    COUNTERSIGN_TELEMETRY_ENDPOINT: address,
  }
  const engine = await openEngine({ home: join(temporaryFolder(), 'home'), env, pool: 0 })
  let isOpen = true
  onTestFinished(async () => {
    if (isOpen) await engine.close()
  })
  const { caller, workflows } = engine
  const states = new Map<WorkflowId, string[]>()
  const windows = new AbortController()
  const watching = (async () => {
    for await (const event of engine.events.stream(caller, windows.signal)) {
      if (event.type !== 'workflow') continue
      const { id, state } = event.workflow
      const seen = states.get(id) ?? []
      if (seen.at(-1) !== state) states.set(id, [...seen, state])
    }
  })()
  const path = must(await engine.conversations.create(caller, { title: 'Told' })).conversation.main
  const ended = async (source: string) => {
    const { id } = must(await workflows.start(caller, path, source))
    await workflows.rest(id)
    return id
  }
  const good = await ended(graph('"2"'))
  const bad = await ended(graph('1/0'))
  const aborted = await ended(asks)
  // Changes that follow each other at once are told together.
  await expect.poll(() => states.get(aborted)).toContain('waiting')
  must(await workflows.abort(caller, aborted))
  expect((await engine.metrics()).find(({ name }) => name === 'checkpoint_save_ms')).toMatchObject({ count: 3 })

  const told = [
    ...[`Workflow ${good} started.`, `Workflow ${good} completed.`],
    ...[`Workflow ${bad} started.`, `Workflow ${bad} failed.`],
    ...[`Workflow ${aborted} started.`, `Workflow ${aborted} aborted.`],
  ]
  const texts = () => heard.filter(({ path: to }) => to === '/hook').map(({ body }) => JSON.parse(body).text as string)
  await expect.poll(() => texts().sort()).toEqual(told.sort())

  await engine.close()
  isOpen = false
  windows.abort()
  await watching
  expect([good, bad, aborted].map(id => states.get(id))).toEqual([
    ['running', 'completed'],
    ['running', 'failed'],
    ['running', 'waiting', 'aborted'],
  ])

  const spans = heard
    .filter(({ path: to }) => to === '/v1/traces')
    .flatMap(({ body }) => JSON.parse(body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans: found }) => found)
    .filter(({ name }) => name === 'workflow.run')
  const attribute = (span: (typeof spans)[number], key: string) =>
    span.attributes.find((each: { key: string }) => each.key === key)?.value
  const whole = spans.map(span => [
    attribute(span, 'app.workflow.id')?.stringValue,
    attribute(span, 'success')?.boolValue,
    attribute(span, 'error.type')?.stringValue,
  ])
  expect(whole).toEqual([
    [good, true, undefined],
    [bad, false, 'workflow.task-failed'],
    [aborted, false, 'aborted'],
  ])
})
