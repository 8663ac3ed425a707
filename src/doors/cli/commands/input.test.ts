import { describe, expect, it } from 'vitest'
import { jsonOf } from './input.ts'

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('a line of JSON', () => {
  it('is read with its id, whatever mark an editor put before it', () => {
    expect(jsonOf('\ufeff{"id":{"row":7},"text":"a"}')).toEqual({
      json: { id: { row: 7 }, text: 'a' },
      id: { row: 7 },
    })
    expect(jsonOf('[1]')).toEqual({ json: [1], id: null })
  })

  it('is refused where it is nested a hundred thousand levels deep, and keeps an id that is not', () => {
    expect(jsonOf(`{"id":"a","input":${deep(100_000)}}`)).toEqual({ json: undefined, id: 'a' })
    expect(jsonOf(`{"id":${deep(100_000)},"input":{}}`)).toEqual({ json: undefined, id: null })
    expect(jsonOf(deep(100)).json).toBeDefined()
    expect(jsonOf(deep(102)).json).toBeUndefined()
  })

  it.each([
    ['{"id": "a \\"b\\"", "amount": NaN}', 'a "b"'],
    ['{"id":7,"amount":Infinity}', 7],
    ['{"id":"a', null],
    ['{"amount":NaN,"id":7}', null],
    ['no JSON', null],
  ])('keeps the id that stands first in what is no JSON: %s', (line, id) => {
    expect(jsonOf(line)).toEqual({ json: undefined, id })
  })
})
