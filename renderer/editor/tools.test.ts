import { expect, it } from 'vitest'
import type { KnownTool } from '../../src/contract/tools.ts'
import { toolAt, toolCompletions } from './tools.ts'

const tool = (server: string, name: string, effect: KnownTool['effect'] = 'reads') =>
  ({ calledAs: { server, tool: name }, effect }) as KnownTool
const known = [tool('ledger', 'list'), tool('ledger', 'post', 'writes'), tool('files', 'read')]
const labels = (before: string) => toolCompletions(before, known)?.map(({ label }) => label) ?? null

it('offers servers behind `tools.` and their tools behind their names', () => {
  expect(labels('x = tools.')).toEqual(['ledger', 'files'])
  expect(labels('await tools.ledger.l')).toEqual(['list', 'post'])
  expect(toolCompletions('tools.ledger.', known)?.[1]).toMatchObject({ detail: 'asks for approval' })
})

it('offers the way to await behind a tool of Python, and nothing there in other languages', () => {
  expect(toolCompletions('tools.ledger.list.a', known, 'python')).toMatchObject([{ label: 'aio' }])
  expect(toolCompletions('tools.ledger.list.', known, 'typescript')).toBeNull()
  expect(toolCompletions('tools.ledger.none.', known, 'python')).toBeNull()
})

it.each(['mytools.', 'a.tools.', 'tools', 'tools.ledger.list.x.y'])('leaves %s to the kernel', before =>
  expect(labels(before)).toBeNull(),
)

it('knows the tool under the pointer', () => {
  const code = 'print(tools.ledger.list(a))'
  expect(toolAt(code, code.indexOf('list') + 2, known)?.calledAs.tool).toBe('list')
  expect(toolAt(code, code.indexOf('ledger') + 2, known)).toBeNull()
  expect(toolAt('tools.ledger.list.aio(', 20, known)?.calledAs.tool).toBe('list')
  expect(toolAt('tools.ledger.list.other(', 20, known)).toBeNull()
  expect(toolAt('list', 1, known)).toBeNull()
})
