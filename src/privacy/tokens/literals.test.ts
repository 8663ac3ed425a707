import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { testSeed } from '../../seed.testing.ts'
import { valuesIntoCode } from './literals.ts'

const values: Record<string, string> = { '[PERSON_1]': `Brian "O'Neill"\n`, '[IBAN_1]': 'IE29 AIBK 9311 5212 3456 78' }
const put = (code: string, language: 'python' | 'javascript' | 'bash') =>
  valuesIntoCode(code, language, token => values[token])

const parsed = (code: string) => ts.createSourceFile('a.js', code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS)
const isProgram = (code: string): boolean =>
  (parsed(code) as unknown as { parseDiagnostics: readonly unknown[] }).parseDiagnostics.length === 0
/** The kinds of all that a program is made of, and the names in it. */
const shapeOf = (code: string): unknown => {
  const kinds = (node: ts.Node): unknown[] => {
    const inside: unknown[] = []
    ts.forEachChild(node, each => void inside.push(kinds(each)))
    return [node.kind, ts.isIdentifier(node) ? node.text : '', ...inside]
  }
  return kinds(parsed(code))
}

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

  it.each([
    ['python', `f"{'}' + [PERSON_1]}"`],
    ['python', `f"{'"'}"; y = [PERSON_1]; z = 'x'`],
    ['python', `f"{x["a"]} "; y = f"{[PERSON_1]}"`],
    ['python', `!echo don't [PERSON_1] stop`],
    ['python', `out = !echo don't [PERSON_1] stop`],
    ['python', `%%bash\necho don't\nrm [PERSON_1]\necho 'x'`],
    ['javascript', `return /'/.test(s) && [PERSON_1] && 'x'`],
    ['javascript', `if (a) /'/.test(b); y = [PERSON_1]; c = 'x'`],
    ['javascript', `i++ / [PERSON_1] / "x"`],
    ['javascript', `{}/'/; y = [PERSON_1]; c = 'x'`],
    ['javascript', `<!-- don't\ny = [PERSON_1]; c = 'x'`],
    ['javascript', `#! don't\ny = [PERSON_1]; c = 'x'`],
    ['bash', `cat <<EOF\nit's\nEOF\nrm [PERSON_1]\necho 'x'`],
    ['bash', `echo $'it\\'s' [PERSON_1] 'x'`],
    ['bash', `echo a;# don't\nrm [PERSON_1]; echo 'x'`],
    ['bash', 'echo "$(rm [PERSON_1])"'],
    ['bash', 'echo "`rm [PERSON_1]`"'],
    ['bash', 'echo "$(echo "a") [PERSON_1]"'],
    ['bash', `echo "\${x#"'"}"; rm [PERSON_1]; echo 'x'`],
  ] as const)('do not stand in %s where a quote only seems to open a string: %s', (language, code) => {
    expect(valuesIntoCode(code, language, () => 'Jane Doe').code).toBe(code)
  })

  it.each([
    ['python', `print(f"{len(x)} rows, {', '.join(y)}, {d['a']}: [PERSON_1]")`],
    ['python', `s = 5 % 3\nx = "100%"\nif a != b: print("[PERSON_1]")  # don't`],
    ['javascript', `const r = a / b\nconst q = (a + b) / 2\nlog("it's " + r / 2 + " [PERSON_1]")`],
    ['javascript', "log(`${ x.replace(/'/g, '') } [PERSON_1]`)"],
    ['bash', `# don't\necho "\${HOME} $USER" && grep "[PERSON_1]" <<< 'x'`],
  ] as const)('stand in %s in the strings of ordinary programs: %s', (language, code) => {
    expect(valuesIntoCode(code, language, () => 'Jane Doe').code.replace(/\\u00(..)/g, ' ')).toBe(
      code.replace('[PERSON_1]', 'Jane Doe'),
    )
  })

  it('change nothing of a program but what its strings say, by the word of Python', () => {
    const piece = fc.constantFrom(
      ...[
        '"',
        "'",
        '"""',
        "'''",
        'f"',
        "f'",
        'r"',
        '{',
        '}',
        '[X_1]',
        '[X_1]',
        '\\',
        '\n',
        '#',
        ' ',
        'a',
        '+',
        '(',
        ')',
      ],
      ...['%', '!', '= '],
    )
    const seed = testSeed()
    const programs = fc
      .sample(fc.array(piece, { maxLength: 14 }), { numRuns: 20_000, seed })
      .map(parts => parts.join(''))
      .filter(code => code.includes('[X_1]'))
    const made = programs.map(code => [code, valuesIntoCode(code, 'python', () => 'or True').code])
    const changed = made.filter(([code, now]) => code !== now)
    const program = `
import sys, json, ast, warnings
warnings.simplefilter('ignore')
def shape(code):
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)): node.value, node.kind = '', None
    return ast.dump(tree)
read = 0
def differs(code, made):
    global read
    try: before = shape(code)
    except (SyntaxError, ValueError): return False
    read += 1
    try: return shape(made) != before
    except (SyntaxError, ValueError): return True
print(json.dumps([[pair for pair in json.load(sys.stdin) if differs(*pair)], read]))`
    const read = execFileSync('python3', ['-c', program], { input: JSON.stringify(changed), encoding: 'utf8' })
    const [wrong, programsRead] = JSON.parse(read)
    expect(wrong, `seed ${seed}`).toEqual([])
    expect(programsRead).toBeGreaterThan(20)
  })

  it('change nothing of a program but what its strings say, as TypeScript reads it', () => {
    const piece = fc.constantFrom(
      ...['"', "'", '`', '${', '{', '}', '[X_1]', '[X_1]', '\\', '\n', '/', '//', ' ', 'a', '+', '(', ')', ';', '= '],
      ...['return ', 'if(a)', '++'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), parts => {
        const code = parts.join('')
        const made = valuesIntoCode(code, 'javascript', () => 'or True').code
        if (made !== code && isProgram(code)) expect(shapeOf(made), made).toEqual(shapeOf(code))
      }),
      { numRuns: 10_000 },
    )
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
