import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonical } from '../../resources/verify.mjs'

describe('canonical JSON', () => {
  it('writes the numbers and strings of the RFC 8785 example as the RFC does', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    expect(canonical(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('sorts keys by UTF-16 units, as the RFC sorts them', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
    expect([...canonical(value).matchAll(/:(\d)/g)].map(match => Number(match[1]))).toEqual([2, 4, 6, 7, 1, 5, 3])
  })

  it('writes minus zero as zero', () => {
    expect(canonical([-0])).toBe('[0]')
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, 1n, '\ud800'])('refuses %s', value => {
    expect(() => canonical({ value })).toThrow(TypeError)
  })

  it('refuses what is nested without end', () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    expect(() => canonical(loop)).toThrow(TypeError)
  })

  it('depends on the value alone, and a reader gets the value back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), value => {
        const text = canonical(value)
        expect(canonical(JSON.parse(text))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
