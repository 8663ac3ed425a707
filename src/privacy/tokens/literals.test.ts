import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testSeed } from '../../seed.testing.ts'
import { valuesIntoCode } from './literals.ts'

const values: Record<string, string> = { '[PERSON_1]': `Brian "O'Neill"\n`, '[IBAN_1]': 'IE29 AIBK 9311 5212 3456 78' }
const put = (code: string, language: 'python' | 'javascript' | 'bash') =>
  valuesIntoCode(code, language, token => values[token])

/** Values that would like to be code, and any other text. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }).filter(text => text.isWellFormed()),
  fc.constantFrom(
    `'); import os; os.system('x') #`,
    '`${process.exit()}`',
    '"""',
    "'''",
    '\\',
    '{0}',
    '$(id)',
    '\u2028',
  ),
)

describe('values in code', () => {
  it('stand inside string literals only; elsewhere the token stays and is told of', () => {
    expect(put('send("[IBAN_1]")  # to [IBAN_1]', 'python')).toEqual({
      code: 'send("IE29 AIBK 9311 5212 3456 78")  # to [IBAN_1]',
      restored: ['[IBAN_1]'],
      left: ['[IBAN_1]'],
    })
    expect(put('rows[PERSON_1]; x = [IBAN_1]', 'python')).toMatchObject({
      restored: [],
      left: ['[PERSON_1]', '[IBAN_1]'],
    })
    expect(put('f"{ x[PERSON_1] } [PERSON_1]"', 'python').code).toMatch(/^f"\{ x\[PERSON_1\] \} Brian \\u0022/)
    expect(put('/["\']/.test(x) || "[IBAN_1]"', 'javascript').code).toContain('"IE29')
    expect(put('`${ f("[IBAN_1]") } [IBAN_1]`', 'javascript').code).not.toContain('[IBAN_1]')
  })

  it('are left out of a shell string when they hold a sign that a shell could read', () => {
    expect(put(`grep "[IBAN_1]" a; grep '[PERSON_1]' b; echo [IBAN_1]`, 'bash')).toEqual({
      code: `grep "IE29 AIBK 9311 5212 3456 78" a; grep '[PERSON_1]' b; echo [IBAN_1]`,
      restored: ['[IBAN_1]'],
      left: ['[PERSON_1]', '[IBAN_1]'],
    })
  })

  it('leave a token that nobody gave out', () => {
    expect(put('print("[IBAN_9]")', 'python')).toEqual({ code: 'print("[IBAN_9]")', restored: [], left: [] })
  })

  it('are the value itself when Python reads the literal, whatever the value', () => {
    const seed = testSeed()
    const cases = fc.sample(fc.tuple(hostile, fc.constantFrom('"', "'", '"""', "'''", 'f"', "u'")), {
      numRuns: 300,
      seed,
    })
    const code = cases.map(([value, open]) => {
      const quote = open.replace(/^[fu]/, '')
      return valuesIntoCode(`${open}<[X_1]>${quote}`, 'python', () => value).code
    })
    const program = 'import sys,json\nprint(json.dumps([eval(c) for c in json.load(sys.stdin)]))'
    const read = execFileSync('python3', ['-c', program], { input: JSON.stringify(code), encoding: 'utf8' })
    expect(JSON.parse(read), `seed ${seed}`).toEqual(cases.map(([value]) => `<${value}>`))
  })

  it('are the value itself where the literal is JSON, and nothing beside it', () => {
    const seed = testSeed()
    const cases = fc.sample(hostile, { numRuns: 100, seed })
    const code = cases.map(
      value => valuesIntoCode('json.loads("{\\"who\\": \\"[X_1]\\", \\"rate\\": 1}")', 'python', () => value).code,
    )
    const program = 'import sys,json\nprint(json.dumps([eval(c) for c in json.load(sys.stdin)]))'
    const read = execFileSync('python3', ['-c', program], { input: JSON.stringify(code), encoding: 'utf8' })
    expect(JSON.parse(read), `seed ${seed}`).toEqual(cases.map(who => ({ who, rate: 1 })))
  })

  it('are the value itself when JavaScript reads the literal, whatever the value', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom('"', "'", '`'), (value, quote) => {
        const { code } = valuesIntoCode(`${quote}<[X_1]>${quote}`, 'javascript', () => value)
        expect(runInNewContext(code)).toBe(`<${value}>`)
      }),
    )
  })

  it('bring no sign into code that could end a literal, however the code is misread', () => {
    const soup = fc.array(fc.constantFrom('"', "'", '`', '[X_1]', '\\', '\n', '#', '/', '{', '}', '${', 'f"', ' ', 'a'))
    fc.assert(
      fc.property(
        soup,
        hostile,
        fc.constantFrom('python' as const, 'javascript' as const, 'bash' as const),
        (parts, value, language) => {
          const code = parts.join('')
          const made = valuesIntoCode(code, language, () => value).code
          const bare = (text: string) => text.replace(/\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|[A-Za-z0-9 _.@-]/g, '')
          expect(bare(made).replaceAll('[]', '')).toBe(bare(code.replaceAll('[X_1]', '')).replaceAll('[]', ''))
        },
      ),
    )
  })
})
