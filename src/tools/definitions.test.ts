import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printedFor } from './definitions.ts'

const name = { server: 'ledger', tool: 'list' }
const typescript = (input: unknown, output?: unknown) => printedFor(name, input, output).typescript

describe('types of tools', () => {
  const entries = {
    type: 'object',
    properties: {
      from: { type: 'string' },
      limit: { type: 'integer' },
      kinds: { type: 'array', items: { enum: ['debit', 'credit'] } },
      'odd name': { type: ['number', 'null'] },
      by: { $ref: '#/$defs/person' },
    },
    required: ['from'],
    $defs: { person: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  }

  it('are printed for both languages', () => {
    const printed = printedFor(name, entries, { type: 'object', properties: { sum: { type: 'number' } } })
    expect(printed.typescript).toBe(
      'tools.ledger.list(args: { from: string; limit?: number; kinds?: ("debit" | "credit")[]; "odd name"?: number | null; by?: { name: string } }): Promise<{ sum?: number }>',
    )
    expect(printed.python).toBe(
      'tools.ledger.list({"from": str, "limit": NotRequired[int], "kinds": NotRequired[list[Literal["debit"] | Literal["credit"]]], "odd name": NotRequired[float | None], "by": NotRequired[{"name": str}]}) -> {"sum": NotRequired[float]}',
    )
  })

  it.each([
    ['a file', { $ref: 'file:///etc/passwd' }],
    ['a host', { $ref: 'https://evil.example/schema' }],
    ['nowhere', { $ref: '#/$defs/none' }],
    ['a prototype', { $ref: '#/__proto__/constructor' }],
  ])('a reference to %s is anything', (_what, schema) => {
    expect(typescript({ type: 'object', properties: { a: schema } })).toContain('{ a?: any }')
  })

  it('a schema that refers to itself, or grows without end, is cut', () => {
    const self = { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' } } }
    expect(typescript(self).length).toBeLessThan(6000)
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, { type: 'string' }]))
    expect(typescript({ type: 'object', properties: wide }).length).toBeLessThan(6000)
  })

  it('names and values cannot leave their quotes', () => {
    const nasty = '"}; import("x"); /*'
    const printed = typescript({ type: 'object', properties: { [nasty]: { const: nasty } } })
    expect(printed).toContain(JSON.stringify(nasty))
    expect(printed).not.toContain(`{ ${nasty}`)
  })

  it('hidden characters and those that turn text around are written out', () => {
    const printed = typescript({ type: 'object', properties: { 'a\u202eb\u200b': { const: 'c\u2028d' } } })
    expect(printed).toContain('"a\\u202eb\\u200b"?: "c\\u2028d"')
  })

  it('a schema of thousands of types, each of them large, is cut', () => {
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, { $ref: '#' }]))
    expect(typescript({ type: Array(20_000).fill('object'), properties }).length).toBeLessThan(40_000)
  })

  it('any schema is printed, in bounded length', () => {
    fc.assert(
      fc.property(fc.jsonValue(), schema => {
        const printed = printedFor(name, schema, schema)
        expect(printed.typescript.length + printed.python.length).toBeLessThan(40_000)
      }),
    )
  })
})
