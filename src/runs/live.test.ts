import { expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import type { EngineEvent } from '../contract/events.ts'
import { ConversationId, PathId, RunId, TenantId } from '../contract/ids.ts'
import { problem } from '../contract/problem.ts'
import type { RunView } from '../contract/runs.ts'
import type { Shown } from '../contract/shown.ts'
import { createEvents } from '../events.ts'
import { LiveRuns } from './live.ts'

const view: RunView = {
  run: RunId.parse(crypto.randomUUID()),
  conversation: ConversationId.parse(crypto.randomUUID()),
  path: PathId.parse(crypto.randomUUID()),
  cell: null,
  language: 'python',
  state: 'running',
  risk: null,
  inspection: null,
  request: null,
  held: null,
  problem: null,
  outcome: null,
  createdAt: 0,
  startedAt: 0,
  finishedAt: null,
}

const tenant = TenantId.parse('01890000-0000-7000-8000-00000000000a')

it('sends windows the start of an endless output, says so once, and goes on with what is no stream', () => {
  const events = createEvents()
  const heard: EngineEvent[] = []
  events.listen(event => heard.push(event))
  const live = new LiveRuns(events, new ManualClock())
  live.begin(tenant, view)
  for (let n = 0; n < 50; n++) live.show(view.run, { type: 'stream', name: 'stdout', text: 'x'.repeat(100_000) })
  live.show(view.run, { type: 'result', data: { 'text/plain': '42' } })
  live.move(view.run, { type: 'failed', problem: problem('internal.bug', '', ''), at: 1 })

  const outputs = heard.flatMap(event => (event.type === 'run.output' ? event.outputs : []))
  const chars = outputs.reduce((sum, output) => sum + (output.type === 'stream' ? output.text.length : 0), 0)
  expect(chars).toBe(1_000_000)
  expect(outputs.filter(output => output.type === 'notice')).toHaveLength(1)
  expect(outputs.at(-1)).toMatchObject({ type: 'result' })
})

it('sends windows the last of many updates, and none of what was cleared before they heard of it', () => {
  const events = createEvents()
  const heard: Shown[][] = []
  events.listen(event => void (event.type === 'run.output' && heard.push(event.outputs)))
  const clock = new ManualClock()
  const live = new LiveRuns(events, clock)
  live.begin(tenant, view)
  const plain = (text: string) => ({ displayId: 'bar', data: { 'text/plain': text } })
  live.show(view.run, { type: 'display', ...plain('0') })
  for (let n = 1; n < 1000; n++) live.show(view.run, { type: 'update', ...plain(String(n)) })
  clock.advance(16)
  expect(heard).toMatchObject([[{ type: 'display' }], [{ type: 'update', ...plain('999') }]])
  expect(live.on(tenant, view.path)[0]?.outputs).toMatchObject([{ type: 'display', ...plain('999') }])

  for (let n = 0; n < 1000; n++) {
    live.show(view.run, { type: 'clear' })
    live.show(view.run, { type: 'stream', name: 'stdout', text: 'x'.repeat(50_000) })
  }
  clock.advance(16)
  expect(heard.at(-1)).toMatchObject([{ type: 'clear' }, { type: 'stream' }])
  expect(live.on(tenant, view.path)[0]?.outputs).toHaveLength(1)

  const before = heard.length
  live.show(view.run, { type: 'clear' })
  clock.advance(16)
  expect(heard).toHaveLength(before)
  clock.advance(9)
  expect(heard.at(-1)).toEqual([{ type: 'clear' }])
})
