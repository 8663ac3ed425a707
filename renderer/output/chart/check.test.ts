import { describe, expect, it } from 'vitest'
import type { MimeBundle } from '../../../src/contract/run.ts'
import { checkSpec } from './check.ts'

describe('a chart specification', () => {
  it('takes the width that there is, unless it has its own', () => {
    expect(checkSpec({ mark: 'bar' }, 500)).toMatchObject({ width: 500 })
    expect(checkSpec({ mark: 'bar', width: 90 }, 500)).toMatchObject({ width: 90 })
    expect(checkSpec('{"hconcat":[]}', 500)).toEqual({ hconcat: [] })
  })

  it('loses what speaks to embedding tools', () => {
    expect(checkSpec({ mark: 'bar', usermeta: { embedOptions: { loader: {} } } }, 500)).not.toHaveProperty('usermeta')
  })

  it('is refused when it would hang the window', () => {
    for (const stop of [1e9, '1e9', 'x', null]) {
      const sequence = { start: stop === null ? -1e9 : 0, stop, step: 1 }
      expect(() => checkSpec({ layer: [{ data: { sequence } }] } as MimeBundle, 500)).toThrow('a million points')
    }
    let deep: MimeBundle[string] = {}
    for (let level = 0; level < 5000; level++) deep = { layer: [deep] }
    expect(() => checkSpec(deep, 500)).toThrow('too deeply')
    expect(() => checkSpec('[1]', 500)).toThrow('not an object')
  })
})
