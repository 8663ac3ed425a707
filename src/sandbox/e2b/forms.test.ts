import { expect, it } from 'vitest'
import { explain } from './explain.ts'
import { errorOf, formsOf } from './forms.ts'

it('gives a result of the service its MIME types, and a data frame as a table', () => {
  const raw = {
    text: 'x',
    png: 'aGk=',
    svg: '<svg/>',
    chart: { type: 'bar' },
    'application/geo+json': { a: 1 },
    pdf: undefined,
  }
  expect(formsOf({ ...raw, data: { name: ['a', 'b'], paid: [1, null] } })).toEqual({
    'text/plain': 'x',
    'image/png': 'aGk=',
    'image/svg+xml': '<svg/>',
    'application/geo+json': { a: 1 },
    'application/vnd.dataresource+json': {
      schema: {
        fields: [
          { name: 'name', type: 'string' },
          { name: 'paid', type: 'number' },
        ],
      },
      data: [
        { name: 'a', paid: 1 },
        { name: 'b', paid: null },
      ],
    },
  })
  expect(formsOf({ text: 'x', data: 'no table' })).toEqual({ 'text/plain': 'x' })
})

it('reads the line of an error from a coloured traceback: where the cell failed, not what it called', () => {
  const traceback = '\u001b[0;31mCell In[3], line 7\u001b[0m\nCell In[3], line 2, in f'
  expect(errorOf({ name: 'KeyError', value: '\u001b[1mx\u001b[0m', traceback })).toMatchObject({
    ...{ kind: 'runtime', message: 'x', line: 7 },
    traceback: ['Cell In[3], line 7', 'Cell In[3], line 2, in f'],
  })
  expect(errorOf({ name: 'MemoryError', value: '', traceback: '' })).toMatchObject({ kind: 'memory', traceback: [] })
})

it.each([
  [new TypeError('fetch failed'), 'unreachable'],
  [Object.assign(new Error('502: gone'), { name: 'SandboxError', statusCode: 502 }), 'service'],
  [Object.assign(new Error('The sandbox was killed while'), { name: 'TimeoutError' }), 'gone'],
  [Object.assign(new Error('403: no'), { statusCode: 403 }), 'key'],
  [Object.assign(new Error('400: bad'), { statusCode: 400 }), 'refused'],
  ['thrown text', 'service'],
])('sorts what goes wrong: %s', (error, kind) => {
  expect(explain(error).kind).toBe(kind)
})
