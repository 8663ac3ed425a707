import { expect, it } from 'vitest'
import type { ListedTool } from '../../src/contract/mcp-servers.ts'
import { changesOf } from './changes.ts'

const tool: ListedTool = {
  ...{ server: 'a', name: 'send', description: 'Sends it to us', effect: 'destroys', hash: 'h', standing: 'changed' },
  inputSchema: { type: 'object', properties: { to: { type: 'string' }, all: { type: 'boolean' } } },
}

it('shows each piece that changed, before and now', () => {
  const inputSchema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }
  const before = { description: 'Sends it', inputSchema, effect: 'writes' } as const
  expect(changesOf({ ...tool, before }).map(({ what }) => what)).toEqual([
    'Description',
    'Effect',
    'Parameter all',
    'Rest of the schema',
  ])
  expect(changesOf(tool)).toEqual([])
  const gives = { ...tool, before: { ...tool, outputSchema: { type: 'object' } } }
  expect(changesOf(gives)).toEqual([{ what: 'What it gives', before: '{"type":"object"}', now: 'none' }])
})

it('a parameter named as something that every object has is one like any other', () => {
  const properties = { constructor: { type: 'string' }, toString: { type: 'number' } }
  const changes = changesOf({ ...tool, before: { ...tool, inputSchema: { type: 'object', properties } } })
  expect(changes.find(({ what }) => what === 'Parameter constructor')).toMatchObject({ now: 'none' })
  expect(changes.every(({ before, now }) => typeof before === 'string' && typeof now === 'string')).toBe(true)
})

it('takes any schema', () => {
  const before = { description: 'Sends it to us', inputSchema: { properties: null }, effect: 'destroys' } as const
  expect(changesOf({ ...tool, before }).length).toBeGreaterThan(0)
})
