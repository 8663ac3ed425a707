import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { corpus } from '../corpus/corpus.ts'
import { outline } from '../tree/outline.testing.ts'
import { type Reader, reader } from '../tree/reader.ts'
import { pythonFieldless, pythonHidden, pythonLeaves } from './nodes.ts'
import { parsePython } from './parse.ts'

let grammar: Reader
beforeAll(async () => {
  grammar = await reader('python')
  grammar.skipping(pythonLeaves, pythonHidden, pythonFieldless)
})

/** What both say: the same tree, or the quick one leaves it to the other. */
function compare(code: string): boolean {
  const quick = parsePython(code)
  if (quick === null) return false
  const slow = grammar.read(code)
  expect(slow?.hasError).toBe(false)
  if (slow) expect(outline(quick, pythonFieldless)).toEqual(outline(slow, pythonFieldless))
  return true
}

describe('the quick parser of Python', () => {
  it('gives the tree of the grammar for every sample, and reads almost all of them', () => {
    const samples = corpus.filter(({ language }) => language === 'python')
    const read = samples.filter(({ code }) => compare(code))
    expect(read.length / samples.length).toBeGreaterThan(0.9)
  })

  it.each([
    'if a:\n    b # c\n    # d\n  # e\nelse: f; g;\n',
    'try:\n\ta\nexcept (A, B) as e:\n\tpass\nelse:\n\tb\nfinally:\n\tc\n',
    '@a.b(1) # c\nasync def f(a, /, b: int = 1, *, c, **d) -> int:\n    return await x\n',
    'x: int = y = yield z\na, (b, *c), [d] = e\nx[1:2, ::3] += 1, 2\n',
    'f"{a!r:>10} {{b}} {c[\'d\']=}" "e" rb\'f\'\n',
    '[x async for a, b in c if d if e]\n{**a, 1: 2}\n{a: b for c in d}\nf(x for x in y)\nf(*a, b=1, **c)\n',
    'not a < b is not c not in d or -x ** -2 * 3 if e else lambda q, *r: (s := 1)\n',
    'from . import a\nfrom ..b.c import (d as e,\n  f,)\nimport g.h as i, j\nfrom k import *\n',
    'with a as b, c: pass\nfor x, in y, z:\n  break\nelse:\n  continue\n',
    'class A(B, metaclass=C):\n    """d"""\n\n    x = 1\r\n\r\n    def f(self): ...\n',
    'a = 1 + \\\n  2\nprint("x"), y\nassert a, b\ndel a, b\nraise A from b\nglobal x, y\n',
    '0x1F, 1_000, 1.5e-3j, .5, 1., 0o7, 1j\n',
  ])('reads %j as the grammar does', code => expect(compare(code)).toBe(true))

  it.each([
    'x = (1\n',
    'print x\n',
    'match x:\n  case 1: pass\n',
    'ä = 1\n',
    ' x = 1\n',
    'a b\n',
    '1if x else 2\n',
    '# a\rb()\n',
  ])('leaves %j to the grammar', code => expect(parsePython(code)).toBeNull())

  it('agrees with the grammar on any mixture, or leaves it alone', () => {
    const pieces = fc.constantFrom(
      ...'a|b.c|f(x)|1|2.5|"s"|f"{x}"|x[1:2]|*a|**b|(|)|[|]|{|}|,|:|;|=|==|:=|+|-|not |and |or |in |is |if |else |elif |for |while '.split(
        '|',
      ),
      ...'|lambda x: |await |async |yield |return |import |from |as |def f(a=1):|class A:|try:|except E as e:|finally:|with |pass|# c|@d|\n|\n    |\n  |\n\t|\\\n| '.split(
        '|',
      ),
      ...['print', 'match ', 'type ', 'exec ', 'del ', 'raise ', 'global x', 'assert ', '...', '->', '!r', "'", '"""'],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), parts => {
        compare(parts.join(''))
      }),
      { numRuns: 2_000 },
    )
  })
})
