import { expect, it } from 'vitest'
import { WorkflowId } from '../contract/ids.ts'
import { testIds } from '../sandbox/testing.ts'
import { parseGraph } from './graph.ts'
import { Graphs, graphIn, graphText } from './graphs.ts'
import type { Stored } from './store.ts'
import { bench, graph, started, stateOf, task } from './testing.ts'

const source = `name: One
tasks:
  a: { type: code_execution, language: python, code: "1", outputs: { x: number }, placement: { isolation: container } }
  b: { type: analysis, analysis: hhi, inputs: { year: { from: a.x }, day: { value: null } } }
`
const stored = (text: string, id = testIds.make(WorkflowId)) => ({ workflow: { id, source: text } }) as Stored
const nothing = async () => null

it('reads a graph once, however often it is asked for', async () => {
  const graphs = new Graphs(nothing)
  const one = stored(source)
  expect(await graphs.of(one)).toBe(await graphs.of(one))
  expect(await graphs.of(stored('tasks: 1'))).toBeNull()
})

it('keeps so many and no more', async () => {
  const graphs = new Graphs(nothing, 1)
  const one = stored(source)
  const first = await graphs.of(one)
  await graphs.of(stored(source))
  expect(await graphs.of(one)).not.toBe(first)
})

it('is stored as it was read, and then not read again', async () => {
  const parsed = parseGraph(source)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const kept = graphIn(graphText(parsed.graph))
  expect(kept).toEqual(parsed.graph)
  expect(await new Graphs(async () => kept).of(stored('tasks: 1'))).toBe(kept)
})

it.each([
  ['was edited', { graph: '{"layers":[]}' }],
  ['another version stored', { version: '0.0.0', graph: '{}' }],
])('goes on from the text where the graph is one that %s', async (_what, change) => {
  const kit = await bench({ ask: () => ({ type: 'waiting', request: null }) })
  const id = await started(kit.open(), graph({ ask: '{ type: approval, question: "Go on?" }', b: task(['ask']) }))
  await kit.storage.write(t => t.updateTable('workflow_graphs').set(change).execute())
  const next = kit.open()
  await next.recover()
  await next.rest(id)
  expect(await stateOf(next, id)).toMatchObject({ state: 'waiting', tasks: [{ name: 'ask' }, { name: 'b' }] })
})

it('shows the tasks of a workflow whose text was edited', async () => {
  const kit = await bench()
  const id = await started(kit.open(), graph({ a: task([]) }))
  await kit.storage.write(t => t.updateTable('workflows').set({ source: 'tasks: 1' }).execute())
  expect((await stateOf(kit.open(), id)).tasks).toMatchObject([{ name: 'a' }])
})
