import { expect, it } from 'vitest'
import { RemoteTool } from '../contract/mcp-servers.ts'
import { checkArguments } from './arguments.ts'

const toolWith = (inputSchema: Record<string, unknown>) =>
  RemoteTool.parse({ name: 'work', inputSchema: { type: 'object', ...inputSchema } })
const fits = (inputSchema: Record<string, unknown>, args: Record<string, unknown>) => {
  const checked = checkArguments(toolWith(inputSchema), args)
  return checked.ok || checked.problem.message
}
const words = [
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__proto__',
  'pattern',
  'patternProperties',
  '$ref',
]

it.each(words)('a parameter named %s is one like any other', word => {
  const properties = JSON.parse(`{${JSON.stringify(word)}:{"type":"string"}}`)
  const given = JSON.parse(`{${JSON.stringify(word)}:"a"}`)
  const wrong = JSON.parse(`{${JSON.stringify(word)}:1}`)
  expect(fits({ properties, additionalProperties: false }, {})).toBe(true)
  expect(fits({ properties, additionalProperties: false }, given)).toBe(true)
  expect(fits({ properties }, wrong)).toContain('does not match')
  expect(fits({ properties, required: [word] }, {})).toContain('required')
  expect(fits({ properties, required: [word] }, given)).toBe(true)
})

it('regular expressions are left to the server, and what they would allow is not refused', () => {
  const text = `${'a'.repeat(60)}!`
  expect(fits({ properties: { text: { type: 'string', pattern: '^(a+)+$' } } }, { text })).toBe(true)
  expect(fits({ patternProperties: { '^(a+)+$': {} }, additionalProperties: false }, { [text]: 1 })).toBe(true)
  // Where they stand in a value they are no expressions.
  const schema = { properties: { find: { enum: [{ pattern: 'a' }] } } }
  expect(fits(schema, { find: { pattern: 'a' } })).toBe(true)
  expect(fits(schema, { find: {} })).toContain('does not match')
})

/** Each step looks twice at the next one. */
const doubling = (keyword: string) => ({
  $defs: Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => {
      const next = { $ref: `#/$defs/d${n + 1}` }
      return [`d${n}`, n === 59 ? { type: 'string' } : { [keyword]: [next, next] }]
    }),
  ),
  properties: { a: { $ref: '#/$defs/d0' } },
})

it.each([
  ['doubles with each reference (allOf)', doubling('allOf'), { a: 'x' }],
  ['doubles with each reference (anyOf)', doubling('anyOf'), { a: 1 }],
  ['refers to itself', { properties: { a: { $ref: '#/properties/a' } } }, { a: 1 }],
  [
    'refers to itself by a way round',
    { $defs: { b: { $ref: '#/$defs/c' }, c: { $ref: '#/$defs/b' } }, $ref: '#/$defs/b' },
    {},
  ],
  ['refers to a host', { properties: { a: { $ref: 'https://evil.example/schema' } } }, { a: 1 }],
  ['refers to a file', { properties: { a: { $ref: 'file:///etc/passwd' } } }, { a: 1 }],
  [
    'compares everything with everything',
    { properties: { a: { type: 'array', uniqueItems: true } } },
    { a: Array.from({ length: 60_000 }, (_, n) => [n]) },
  ],
  [
    'has ten thousand choices for each of many items',
    { properties: { a: { items: { anyOf: Array.from({ length: 10_000 }, (_, n) => ({ const: -n })) } } } },
    { a: Array.from({ length: 20_000 }, (_, n) => n + 1) },
  ],
  ['is of a dialect that nobody knows', { $schema: 'https://evil.example/dialect', $id: 'https://evil.example/' }, {}],
])('a schema that %s is broken off, or not followed', (_what, schema, args) => {
  const begun = performance.now()
  const told = fits(schema, args)
  expect(told === true || /cannot be used|does not match|does not take/.test(told)).toBe(true)
  // Without a limit each of the long ones takes minutes at least.
  expect(performance.now() - begun).toBeLessThan(30_000)
})

it('a schema with references is followed where it is an honest one', () => {
  const schema = {
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, n: { type: 'number' } } } },
    properties: { list: { $ref: '#/$defs/node' } },
  }
  expect(fits(schema, { list: { n: 1, next: { n: 2, next: {} } } })).toBe(true)
  expect(fits(schema, { list: { n: 1, next: { n: 'two' } } })).toContain('does not match')
})
