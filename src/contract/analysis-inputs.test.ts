import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InputSpec } from './analyses.ts'
import { checkInputs, nearest } from './analysis-inputs.ts'

const specs: Record<string, InputSpec> = {
  amount: { type: 'money', currency: 'EUR', min: 0 },
  rate: { type: 'rate', above: 0, max: 1, optional: true, also: ['share'] },
  year: { type: 'year', default: 2025 },
  on: { type: 'date', optional: true },
  kind: { type: 'choice', of: ['act/act ISDA', '30E/360', '30E/360 ISDA'], default: '30E/360' },
  rows: { type: 'table', default: [], columns: { category: { type: 'text' }, amount: { type: 'money' } } },
}
const message = (given: unknown) => {
  const checked = checkInputs(specs, given)
  return checked.ok ? null : checked.problems[0]?.message
}

describe('inputs of an analysis', () => {
  it('come out as decimal text, with defaults and nulls for what is not given', () => {
    expect(checkInputs(specs, { amount: 12.5, rate: '0.5' })).toEqual({
      ok: true,
      inputs: { amount: '12.5', rate: '0.5', year: 2025, on: null, kind: '30E/360', rows: [] },
    })
  })

  it('names the nearest input for one that is not there', () => {
    expect(message({ amount: 1, rat: 1 })).toBe('There is no input called rat. Did you mean rate?')
    expect(message({ amount: 1, colour: 1 })).toContain('Known: amount, rate')
    expect(message({ amount: 1, rows: [{ categry: 'a', amount: 1 }] })).toContain('Did you mean category?')
  })

  it('takes a name in other letters and the other names of an input, and each input once', () => {
    expect(checkInputs(specs, { AMOUNT: 1, Share: '0.5' })).toMatchObject({
      ok: true,
      inputs: { amount: '1', rate: '0.5' },
    })
    expect(message({ amount: 1, Amount: 2 })).toBe('amount is given twice: Amount is another name of it.')
    expect(message({ amount: 1, rate: 0.1, share: 0.2 })).toContain('rate is given twice')
  })

  it.each([
    [{}, 'amount is missing.'],
    [{ amount: 'abc' }, 'amount must be a decimal number, not "abc".'],
    [{ amount: '1,000' }, 'amount must be a decimal number, not "1,000".'],
    [{ amount: Number.NaN }, 'amount must be a decimal number, not NaN.'],
    [{ amount: Number.POSITIVE_INFINITY }, 'amount must be a decimal number, not Infinity.'],
    [{ amount: 1e40 }, 'amount is too large: 1e+40.'],
    [{ amount: -1 }, 'amount must be at least 0.'],
    [{ amount: true }, 'amount must be a decimal number, not true.'],
    [{ amount: 1, rate: 0 }, 'rate must be more than 0.'],
    [{ amount: 1, rate: 2 }, 'rate must be at most 1.'],
    [{ amount: 1, year: 2025.5 }, 'year must be a whole number, not 2025.5.'],
    [{ amount: 1, on: '2025-02-30' }, 'on must be a date such as 2025-10-01, not "2025-02-30".'],
    [{ amount: 1, on: '01/02/2025' }, 'on must be a date such as 2025-10-01, not "01/02/2025".'],
    [{ amount: 1, kind: 'act/act' }, 'kind must be one of act/act ISDA, 30E/360, 30E/360 ISDA, not "act/act".'],
    [{ amount: 1, rows: { category: 'a' } }, 'rows must be a list, not {"category":"a"}.'],
    [{ amount: 1, rows: [['a', 1, 2]] }, 'rows[0] has 3 values; the columns are category, amount.'],
    [[], 'The inputs must be a JSON object.'],
  ])('says of %j what is wrong', (given, wanted) => {
    expect(message(given)).toContain(wanted)
  })

  it('misses a record as a whole, and takes an empty one whose fields have defaults', () => {
    const stock: Record<string, InputSpec> = {
      hqla: { type: 'record', fields: { level1: { type: 'money', default: '0' } } },
    }
    expect(checkInputs(stock, {})).toMatchObject({ ok: false, problems: [{ message: 'hqla is missing.' }] })
    expect(checkInputs(stock, { hqla: {} })).toEqual({ ok: true, inputs: { hqla: { level1: '0' } } })
  })

  it('takes rows as lists or objects, and a choice in other letters', () => {
    const checked = checkInputs(specs, {
      amount: '0',
      kind: 'ACT/ACT (ISDA)',
      rows: [['a', 1], { category: 'b', amount: '2.50' }],
    })
    expect(checked).toMatchObject({
      ok: true,
      inputs: {
        kind: 'act/act ISDA',
        rows: [
          { category: 'a', amount: '1' },
          { category: 'b', amount: '2.50' },
        ],
      },
    })
  })

  it('stops at twenty problems of a million rows', () => {
    const rows = Array.from({ length: 1_000_000 }, () => 'x')
    const checked = checkInputs(specs, { amount: 1, rows })
    expect(!checked.ok && checked.problems.length).toBe(20)
    expect(message({ amount: 1, rows: [...rows, 'x'] })).toContain('1000001 rows')
  })

  it('refuses more rows than a list may have', () => {
    const few: Record<string, InputSpec> = { rates: { type: 'list', item: { type: 'rate' }, max: 2 } }
    expect(checkInputs(few, { rates: [0.1, 0.2] }).ok).toBe(true)
    expect(checkInputs(few, { rates: [0.1, 0.2, 0.3] })).toMatchObject({
      problems: [{ message: 'rates has 3 rows; 2 is the most.' }],
    })
  })

  it('never throws, and leaves alone what it has let through', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom(...Object.keys(specs), '__proto__'), fc.jsonValue()),
        (any, some) => {
          checkInputs(specs, any)
          const once = checkInputs(specs, { amount: 1, ...some })
          if (once.ok) expect(checkInputs(specs, once.inputs)).toEqual(once)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('finds no nearest name where none is like it', () => {
    expect(nearest('zzzz', ['amount', 'rate'])).toBeNull()
  })
})
