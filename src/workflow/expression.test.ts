import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choose } from './choosing.ts'
import { readExpression } from './expression.ts'
import { parseGraph } from './graph.ts'
import type { TaskEnd, Values } from './task.ts'

const types = { ratio: 'number', loss: 'number', name: 'text', ok: 'boolean', rows: 'list' } as const
const outputs: Values = { ratio: 0.5, loss: 80, name: 'low', ok: true, rows: [] }

const computed = (text: string, given: Values = outputs) => {
  const read = readExpression(text, types)
  if ('fault' in read) throw new Error(read.fault)
  return read.expression.valueIn(given)
}

describe('an expression over outputs', () => {
  it.each([
    ['1 + 2 * 3 - 4 / 2', 5],
    ['10 - 4 - 3', 3],
    ['-(1 + 2) * -2', 6],
    ['2e-1 + 1.5', 1.7],
    ['ratio * 100 - loss', -30],
    ['loss < 100 and ok', true],
    ['not ok or loss >= 80', true],
    ['not (ok and loss > 80)', true],
    ['false or true and false', false],
    ['name == "low"', true],
    [`name != 'it says "low"'`, true],
    ['ok == (loss <= 80)', true],
  ])('reads %s', (text, value) => {
    expect(computed(text)).toEqual(value)
  })

  it.each([
    ['', 'ends too early'],
    ['1 +', 'ends too early'],
    ['(1', 'ends too early'],
    ['1 2', '2 at character 3 is not expected'],
    ['loss < 1 < 2', '< at character 10 is not expected'],
    ['and', 'and at character 1 is not expected'],
    ['loss; 1', '";" at character 5 means nothing'],
    ['los', 'los is no output'],
    ['constructor', 'constructor is no output'],
    ['rows', 'rows must be an output that is a number'],
    ['name + 1', '+ at character 6 wants a number here, and has a text'],
    ['loss and ok', 'and at character 6 wants a boolean here, and has a number'],
    ['name < "x"', '< at character 6 wants a number'],
    ['name == 1', 'wants a text here, and has a number'],
    ['not 1', 'wants a boolean'],
    ['-ok', 'wants a number'],
    [`${'('.repeat(40)}1${')'.repeat(40)}`, 'deeper than 30 levels'],
  ])('refuses %s', (text, why) => {
    expect(readExpression(text, types)).toEqual({ fault: expect.stringContaining(why) })
  })

  it.each([
    ['an output that is missing', 'loss < 1', {}],
    ['an output of another type', 'loss < 1', { loss: '0' }],
    ['a division by zero', '1 / loss < 2', { loss: 0 }],
    ['a number that is too large', '1e999 > loss', outputs],
  ])('has no value with %s', (_what, text, given) => {
    expect(computed(text, given)).toBeNull()
  })

  const piece = fc.constantFrom(
    ...['loss', 'ratio', 'name', 'ok', 'rows', '1', '0.5', '"a"', 'true', '(', ')', '-', '+', '*', '/', '<', '=='],
    ...['and', 'or', 'not', ' ', "'", 'e9', '__proto__'],
  )
  const anyText = fc.oneof(
    fc.string({ maxLength: 500 }),
    fc.array(piece, { maxLength: 60 }).map(all => all.join(' ')),
  )
  const anyOutputs = fc.dictionary(fc.constantFrom(...Object.keys(types)), fc.jsonValue()) as fc.Arbitrary<Values>

  it('never throws, whatever the text and the outputs are', () => {
    fc.assert(
      fc.property(anyText, anyOutputs, (text, given) => {
        const read = readExpression(text, types)
        if ('fault' in read) return
        const value = read.expression.valueIn(given)
        const kind = { number: 'number', text: 'string', boolean: 'boolean' }[read.expression.kind]
        if (value !== null) expect(typeof value).toBe(kind)
        if (kind === 'number' && value !== null) expect(value).toSatisfy(Number.isFinite)
      }),
      { numRuns: 2000 },
    )
  })

  it('in a graph is a graph that can run, or a fault on its line', () => {
    fc.assert(
      fc.property(anyText, text => {
        const task = { type: 'code_execution', language: 'python', code: '1', candidates: 2, outputs: types }
        const head = Object.entries(task).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`)
        const parsed = parseGraph(
          `name: x\ntasks:\n  a:\n${head.join('')}    choose: ${JSON.stringify({ where: text })}\n`,
        )
        if ('faults' in parsed) expect(parsed.faults).toEqual([{ message: expect.any(String), line: 9 }])
      }),
      { numRuns: 300 },
    )
  })
})

describe('the choice between candidates', () => {
  const ends = [
    { ratio: 0.9, loss: 120 },
    { ratio: 0.4, loss: 90 },
    { ratio: 0.6, loss: 95 },
    { ratio: 0.6, loss: 10 },
    { loss: 1 },
  ].map((left): TaskEnd => ({ type: 'completed', outputs: left as Values, changes: { written: [], removed: [] } }))
  const chosen = (by: object) =>
    choose({ type: 'code_execution', candidates: 5, choose: by, outputs: types } as never, ends)

  it.each([
    ['the largest', { largest: 'ratio' }, 0],
    ['the smallest', { smallest: 'ratio' }, 1],
    ['the first of two that are alike', { largest: 'ratio', where: 'loss < 100' }, 2],
    ['the largest of something computed', { largest: 'ratio - loss / 100', where: 'loss < 100' }, 3],
    ['the first that fulfils a condition', { where: 'ratio < 0.6 or loss < 95' }, 1],
  ])('is %s', (_what, by, at) => {
    expect(chosen(by)).toMatchObject({ type: 'completed', number: at })
  })

  it('is none where none fulfils the condition', () => {
    expect(chosen({ largest: 'ratio', where: 'loss < 0' })).toMatchObject({
      type: 'failed',
      final: true,
      problem: { message: 'No candidate could be chosen: none of them fulfils it.' },
    })
  })
})
