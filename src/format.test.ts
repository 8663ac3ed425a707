import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCode, tidy } from './format.ts'

describe('formatting', () => {
  it('writes JavaScript as its formatter does', async () => {
    expect(await formatCode('javascript', 'const  a={b:1,\nc :2}')).toBe('const a = { b: 1, c: 2 };')
  })

  it('leaves code that does not parse as it is, but for its white space', async () => {
    expect(await formatCode('typescript', 'const = = 1   ')).toBe('const = = 1')
  })

  it('tidies twice what it tidied once, and never touches a word', () => {
    fc.assert(
      fc.property(fc.string(), code => {
        const once = tidy(code)
        expect(tidy(once)).toBe(once)
        expect(once.replace(/\s/g, '')).toBe(code.replace(/\s/g, ''))
      }),
    )
  })
})
