import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AnalysisRequest } from '../contract/analyses.ts'
import { type Calculator, openCalculator } from './calculator.testing.ts'

let calculator: Calculator
beforeAll(async () => {
  calculator = await openCalculator()
})
afterAll(() => calculator.close())

it('hostile inputs are refused or answered, and none hangs', async () => {
  const { entries } = await calculator.engine.analyses.list()
  const values = [
    'text',
    1e40,
    `1${'0'.repeat(40)}`,
    -1,
    1800,
    '1e400',
    '',
    null,
    [],
    {},
    '1800-01-01',
    9_999_999_999_999,
    '0.000000000000001',
    true,
  ]
  const requests: AnalysisRequest[] = []
  for (const { id } of entries) {
    const view = await calculator.engine.analyses.show(id)
    if (!view.ok) throw new Error(view.problem.message)
    const [example] = view.value.examples
    requests.push({ analysis: id, inputs: {} })
    for (const name of Object.keys(view.value.definition.inputs)) {
      for (const value of values) requests.push({ analysis: id, inputs: { ...example?.input, [name]: value } })
    }
  }
  const bugs = (await calculator.answers(requests)).flatMap((answer, at) =>
    'error' in answer && answer.error.code === 'analysis.failed'
      ? [`${JSON.stringify(requests[at])}: ${answer.error.message}`]
      : [],
  )
  expect(bugs).toEqual([])
})

it('says what is wrong with text for a number, 10^40, a negative, nothing at all and the year 1800', async () => {
  const inputs = { year: 2025, status: 'single', employment_income: '50000' }
  const wrong: [Record<string, unknown>, string, RegExp][] = [
    [{ employment_income: 'a lot' }, 'analysis.input', /employment_income must be a decimal number, not "a lot"/],
    [{ employment_income: `1${'0'.repeat(40)}` }, 'analysis.input', /employment_income is too large/],
    [{ employment_income: '-1' }, 'analysis.input', /employment_income must be at least 0/],
    [{ status: '' }, 'analysis.input', /status is missing/],
    [{ year: 1800 }, 'analysis.range', /not for 1800/],
  ]
  const found = await calculator.answers(
    wrong.map(([change]) => ({ analysis: 'ie-paye', inputs: { ...inputs, ...change } })),
  )
  for (const [at, [, code, message]] of wrong.entries()) {
    expect(found[at]).toMatchObject({ error: { code, message: expect.stringMatching(message) } })
  }
})

it('refuses at once what would take minutes, and answers large samples and long spans', async () => {
  const trade = { side: 'buy', date: '2024-01-05', security: 'A', quantity: 1, price: 5 }
  const taints = Array.from({ length: 100_000 }, () => '0.5')
  const million = { task: 'evaluate', confidence: '0.95', n: 1_000_000 }
  const found = await calculator.answers([
    { analysis: 'ie-cgt', inputs: { year: 2024, share_trades: Array.from({ length: 100_000 }, () => trade) } },
    { analysis: 'audit-sampling', inputs: { ...million, taints } },
    { analysis: 'audit-sampling', inputs: { ...million, method: 'binomial', deviations: 500_000 } },
    {
      analysis: 'day-count',
      inputs: {
        convention: 'act/act ICMA',
        start: '0100-01-01',
        end: '2100-01-01',
        ref_start: '2000-01-01',
        ref_end: '2000-02-01',
      },
    },
  ])
  expect(found).toMatchObject([
    { error: { code: 'analysis.refused', message: expect.stringMatching(/20,000 share trades/) } },
    { error: { code: 'analysis.refused', message: expect.stringMatching(/5,000 taints/) } },
    { output: { upper_limit_percent: 50.1 } },
    { output: { fraction: expect.closeTo(2000, 6) } },
  ])
})

it('answers for values nested a hundred thousand levels deep, and for more unknown names than anybody reads', async () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  const inputs = { year: 2025, status: 'single' }
  const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`name${at}`, deep]))
  const found = await calculator.answers([
    { analysis: 'ie-paye', inputs: { ...inputs, employment_income: deep } },
    { analysis: 'ie-paye', inputs: { ...inputs, ...names } },
    { analysis: 'lcr', inputs: { hqla: { level1: deep }, outflows: [deep, [deep, deep]] } },
    { analysis: 'ie-paye', inputs },
  ])
  expect(found).toMatchObject([
    { error: { code: 'analysis.input', message: expect.stringContaining('must be a decimal number, not [[["…"]]]') } },
    { error: { code: 'analysis.input', message: expect.stringContaining('(and 19 more)') } },
    { error: { code: 'analysis.input' } },
    { output: { income_tax: '0.00' } },
  ])
})

it('says that a case needs more memory than the sandbox has, and answers the next one', async () => {
  const inputs = { shares_percent: [100] }
  const own = (code: string) => ({ analysis: 'hhi', inputs, code: `def run(inputs, params):\n    ${code}\n` })
  const found = await calculator.answers([
    own('return {"outputs": {"all": "x" * (1 << 40)}, "steps": []}'),
    { analysis: 'hhi', inputs },
  ])
  expect(found).toMatchObject([
    { error: { code: 'analysis.refused', message: expect.stringContaining('more memory than the sandbox has') } },
    { output: { hhi: 10000 } },
  ])
})

it('finds the return of many flows on a few dates, and refuses lists that would take minutes', async () => {
  const many = <T>(length: number, one: T): T[] => Array.from({ length }, () => one)
  const found = await calculator.answers([
    {
      analysis: 'cash-flow-return',
      inputs: { function: 'xirr', flows: [['2024-01-01', -100_000], ...many(200_000, ['2025-01-01', 0.55])] },
    },
    { analysis: 'cash-flow-return', inputs: { function: 'irr', flows: [-1, ...many(20_000, 1)] } },
    {
      analysis: 'eu-apr',
      inputs: { drawdowns: many(1_000_000, { amount: 1, t: 0 }), payments: [{ amount: 1, t: 1 }] },
    },
    {
      analysis: 'eu-apr',
      inputs: {
        drawdowns: [{ amount: 1, t: 0 }],
        payments: Array.from({ length: 3 }, () => ({ amount: 1, t: 1, every: 0.01, count: 10_000 })),
      },
    },
    {
      analysis: 'ifrs9-ecl',
      inputs: { approach: 'general', stage: 2, ead: 1, lgd: 1, pd_curve: many(1_000_000, 0) },
    },
  ])
  expect(found).toMatchObject([
    // 366 days of a leap year are a little more than a year.
    { output: { value: expect.closeTo(1.1 ** (365 / 366) - 1, 6), sign_changes: 1 } },
    { error: { code: 'analysis.refused', message: expect.stringContaining('more than 20,000 dates') } },
    { error: { code: 'analysis.input', message: 'drawdowns has 1000000 rows; 20000 is the most.' } },
    { error: { code: 'analysis.refused', message: 'More than 20,000 flows.' } },
    { error: { code: 'analysis.input', message: 'pd_curve has 1000000 rows; 1200 is the most.' } },
  ])
})

it('takes a column of a million values, and refuses a longer one', async () => {
  const values = Array.from({ length: 1_000_001 }, (_, at) => at + 1)
  const found = await calculator.answers([
    { analysis: 'benford', inputs: { values: values.slice(1) } },
    { analysis: 'benford', inputs: { values } },
  ])
  expect(found[0]).toMatchObject({ output: { n: 1_000_000, conformity: 'nonconformity' } })
  expect(found[1]).toMatchObject({
    error: { code: 'analysis.input', message: expect.stringMatching(/1000001 rows/) },
  })
})
