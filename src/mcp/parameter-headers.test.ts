import fc from 'fast-check'
import { expect, it } from 'vitest'
import { headersOf, parameterHeaders } from './parameter-headers.ts'

const schema = (properties: Record<string, unknown>) => ({ inputSchema: { type: 'object' as const, properties } })
const region = { type: 'string', 'x-mcp-header': 'Region' }

it('finds the parameters that a server wants in headers, at any depth of named ones', () => {
  const found = parameterHeaders(
    schema({ place: { type: 'object', properties: { region } }, other: { type: 'string' } }),
  )
  expect(found).toEqual({ ok: true, value: [{ header: 'Region', path: ['place', 'region'] }] })
})

it.each([
  ['in the items of a list', { all: { type: 'array', items: region } }],
  ['in one of several shapes', { one: { anyOf: [region] } }],
  ['twice, in other letters', { a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }],
  ['with a line break', { a: { type: 'string', 'x-mcp-header': 'A\r\nHost' } }],
  ['for an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
])('refuses a header that is declared %s', (_, properties) => {
  expect(parameterHeaders(schema(properties))).toMatchObject({ ok: false, problem: { code: 'request.invalid' } })
})

it('takes the mark for a name where it stands among values', () => {
  expect(parameterHeaders(schema({ a: { type: 'object', default: { 'x-mcp-header': 1 } } }))).toMatchObject({
    ok: true,
  })
})

it('leaves out what is missing, null or inherited', () => {
  const wanted = ['a', 'b', 'toString'].map(name => ({ header: name, path: [name] }))
  expect(headersOf(wanted, { a: null })).toEqual({})
})

it('writes any text so that it stays in its header and can be read back', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('=?base64?QQ==?=', ' a', 'a\r\nHost: b')),
      text => {
        const value = headersOf([{ header: 'A', path: ['a'] }], { a: text })['Mcp-Param-A'] ?? ''
        expect(value).toMatch(/^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/)
        const [, inside] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
        expect(inside === undefined ? value : Buffer.from(inside, 'base64').toString('utf8')).toBe(text)
      },
    ),
  )
})
