import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCode, tidy } from './format.ts'

describe('formatting', () => {
  it('writes JavaScript as its formatter does', async () => {
    expect(await formatCode('javascript', 'const  a={b:1,\nc :2}')).toBe('const a = { b: 1, c: 2 };')
  })

  it('writes Python and Bash as their formatters do', async () => {
    expect(await formatCode('python', "kept  =  kept+1 ;print( 'answer',kept )")).toBe(
      'kept = kept + 1\nprint("answer", kept)',
    )
    expect(await formatCode('bash', 'if [ -f a ];then\n      echo   yes;fi')).toBe('if [ -f a ]; then\n  echo yes\nfi')
  })

  it('leaves code that does not parse as it is, but for its white space', async () => {
    expect(await formatCode('typescript', 'const = = 1   ')).toBe('const = = 1')
    expect(await formatCode('python', '%matplotlib inline   ')).toBe('%matplotlib inline')
    expect(await formatCode('bash', 'if ; fi fi   ')).toBe('if ; fi fi')
  })

  it('tidies a line with very many blanks in it at once', () => {
    const line = `a${' '.repeat(300_000)}b`
    expect(tidy(`${line} \t\n`)).toBe(line)
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
