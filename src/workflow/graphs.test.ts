import { expect, it } from 'vitest'
import { WorkflowId } from '../contract/ids.ts'
import { testIds } from '../sandbox/testing.ts'
import { Graphs } from './graphs.ts'
import type { Stored } from './store.ts'

const source = 'name: One\ntasks:\n  a: { type: code_execution, language: python, code: "1" }\n'
const stored = (text: string, id = testIds.make(WorkflowId)) => ({ workflow: { id, source: text } }) as Stored

it('reads a graph once, however often it is asked for', () => {
  const graphs = new Graphs()
  const one = stored(source)
  expect(graphs.of(one)).toBe(graphs.of(one))
})

it('does not take the graph from before for a row that was edited since', () => {
  const graphs = new Graphs()
  const { workflow } = stored(source)
  graphs.of({ workflow })
  expect(graphs.of(stored(source.replace('a:', 'b:'), workflow.id))?.layers).toEqual([['b']])
  expect(graphs.of(stored('tasks: 1', workflow.id))).toBeNull()
})

it('keeps so many and no more', () => {
  const graphs = new Graphs(1)
  const one = stored(source)
  const first = graphs.of(one)
  graphs.of(stored(source))
  expect(graphs.of(one)).not.toBe(first)
})
