import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { corpus } from '../corpus/corpus.ts'
import { outline } from '../tree/outline.testing.ts'
import { type Reader, reader } from '../tree/reader.ts'
import { javaScriptFieldless, javaScriptHidden, javaScriptLeaves } from './nodes.ts'
import { parseJavaScript } from './parse.ts'

let grammar: Reader
beforeAll(async () => {
  grammar = await reader('javascript')
  grammar.skipping(javaScriptLeaves, javaScriptHidden, javaScriptFieldless)
})

/** The grammar takes `await (x)(y)` for a call of a function named `await`; there the quick parser is right. */
const misread = /await\s*\(/

/** What both say: the same tree, or the quick one leaves it to the other. */
function compare(code: string): boolean {
  const quick = parseJavaScript(code)
  if (quick === null) return false
  if (misread.test(code)) return true
  const slow = grammar.read(code)
  expect(slow?.hasError).toBe(false)
  if (slow) expect(outline(quick, javaScriptFieldless)).toEqual(outline(slow, javaScriptFieldless))
  return true
}

describe('the quick parser of JavaScript', () => {
  it('gives the tree of the grammar for every sample, and reads almost all of them', () => {
    const samples = corpus.filter(({ language }) => language === 'javascript')
    const read = samples.filter(({ code }) => compare(code))
    expect(read.length / samples.length).toBeGreaterThan(0.9)
  })

  it.each([
    'import a, { b as c, default as d } from "x"\nimport * as e from "y";\nimport "z";',
    'export default class A extends b.C { #x = 1; static async *m(a, { b, c: d = 1, ...e }, [f, , g] = []) {} get z() { return 1 } static { a } }',
    'const { a, b: { c } } = d, e = ({ a = 1, ...b }, [c]) => ({ a, b: 1, [c]: 2, ...d, m() {}, get x() { return 1 } })',
    'let x = async y => await y?.z?.[1]?.(2) ?? 3; async (a, b) => { await a }',
    'for (const k of v) ; for (let i = 0; i < 1; i++) { continue } for (k in v) {} for (;;) break',
    'label: while (1) break label\nif (a) b() // c\nelse if (c) d; else { e }\n',
    'try { a } catch { b } finally { c }\nswitch (a) { case 1: b; break; default: c }\ndo a; while (b)',
    'new A.B(1).c\nnew A\nx = `a${b + `${c}`}d`\ntag`q`\na ? b : c, /re[/]/g.test(d)',
    'function* g() { yield* a; yield b; yield }\nexport const z = 1; export { z as q }; export * from "r"',
    'x ||= y ** 2 || typeof z\n;[a, b] = [b, a];({ a, b: [c] } = d)\nx++;--y',
    '!function () { return /=/ / 2 }(), (0, eval)("x"), import("y"), import.meta.url',
    'x = <div className="a" b={c} {...d} e:f>hi {x} <b/> &amp; <A.B>\n  {/* c */}\n</A.B> </div>',
    'const f = () => (\n  <>\n    {a ? <b-c d={<E/>} /> : g.map(h => <i key={h}>{h}</i>)}\n  </>\n)',
    '#!/usr/bin/env node\n"use strict"\nexport default function () {}\n',
  ])('reads %j as the grammar does', code => expect(compare(code)).toBe(true))

  it.each([
    'x = (1',
    'a b',
    'x = <label for="a" />',
    'x = <p>a > b</p>',
    'x = <p>é</p>',
    'x = <a></a>.b',
    'new <a/>',
    'const ä = 1',
    '// a\u2028b()',
    '// a\rb()',
    '@d class A {}',
    'return\nx',
    '010',
  ])('leaves %j to the grammar', code => expect(parseJavaScript(code)).toBeNull())

  it('agrees with the grammar on any markup, or leaves it alone', () => {
    const { element } = fc.letrec<{ element: string; child: string }>(tie => ({
      element: fc
        .tuple(
          fc.constantFrom('a', 'B', 'A.B', 'x-y', 's:t', ''),
          fc.array(fc.constantFrom(' a', ' b="c"', ' d={e}', ' {...f}', "\n g='&lt;h'", ' i={<J/>}'), { maxLength: 2 }),
          fc.array(tie('child'), { maxLength: 4 }),
          fc.boolean(),
        )
        .map(([name, attributes, children, alone]) =>
          name === ''
            ? `<>${children.join('')}</>`
            : alone
              ? `<${name}${attributes.join('')} />`
              : `<${name}${attributes.join('')}>${children.join('')}</${name}>`,
        ),
      child: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'markup' },
        fc.constantFrom('\n  ', ' ', 'text', ' t\n', '{v}', '{/* c */}', '&nbsp;', '&', '}', '\t'),
        tie('element'),
        tie('element').map(inner => `{w && ${inner}}`),
      ),
    }))
    const around = fc.constantFrom('x = @', 'f(@, 1)', 'const A = () => @;', 'a ? @ : b\nc()', '@', '@ + 1', '@\n(d)')
    let read = 0
    fc.assert(
      fc.property(element, around, (markup, place) => {
        if (compare(place.replace('@', () => markup))) read++
      }),
      { numRuns: 1_000 },
    )
    expect(read).toBeGreaterThan(300)
  })

  it('agrees with the grammar on any mixture, or leaves it alone', () => {
    const pieces = fc.constantFrom(
      ...'a|b.c|f(x)|1|.5|"s"|`t${u}`|/r/g|x[1]|...a|(|)|[|]|{|}|,|:|;|=|==|=>|+|-|++|!|?|?.|??|&&|in |of |if (a) |else '.split(
        '|',
      ),
      ...'|for (let i of b) |while (c) |do |async |await |yield |return |throw |import |from |as |export |default |function f(|class A |extends '.split(
        '|',
      ),
      ...[
        'const ',
        'let ',
        'var ',
        'new ',
        'typeof ',
        'get ',
        'static ',
        '#p',
        '<a',
        '/>',
        '</a>',
        '// c',
        '/* d */',
        '\n',
        ' ',
        '\r',
        "'",
      ],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), parts => {
        compare(parts.join(''))
      }),
      { numRuns: 3_000 },
    )
  })
})
