import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AnalysisRequest, Example } from '../contract/analyses.ts'
import { testSeed } from '../seed.testing.ts'
import { type Calculator, openCalculator } from './calculator.testing.ts'

let calculator: Calculator
beforeAll(async () => {
  calculator = await openCalculator()
})
afterAll(() => calculator.close())

/** Samples with the seed in the message of what fails. */
let seed = 0
beforeEach(() => {
  seed = testSeed()
})
const sample = <T>(arbitrary: fc.Arbitrary<T>, runs = 60): T[] => fc.sample(arbitrary, { seed, numRuns: runs })

type Inputs = Readonly<Record<string, unknown>>
const sum = (output: Inputs | undefined, names: readonly string[]) =>
  names.reduce((all, name) => all + Number(output?.[name] ?? 0), 0)

/** What is charged on an amount, and where the law lets the charge jump. */
interface Charge {
  readonly of: string
  readonly charges: readonly string[]
  /** The law has a jump just above these inputs. */
  jumps?(inputs: Inputs): boolean
  /** Random inputs beside the amount. */
  readonly beside: fc.Arbitrary<Inputs>
}

const is = (a: unknown, b: number) => Math.abs(Number(a) - b) < 0.005
const years = (...all: number[]) => fc.record({ year: fc.constantFrom(...all) })
const statuses = ['single', 'married_joint', 'married_separate', 'head_of_household', 'surviving_spouse']
const filed = fc.record({
  year: fc.constantFrom(2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026),
  filing_status: fc.constantFrom(...statuses),
})

const taxes: Record<string, Charge> = {
  'ie-paye': {
    of: 'employment_income',
    charges: ['income_tax', 'usc', 'prsi'],
    // USC falls on everything above 13,000 a year, at the full rates above 60,000, and PRSI above 352 a week.
    jumps: ({ employment_income: pay, self_employment_income: profit, reduced_usc }) =>
      is(pay, 352 * 52) ||
      [13_000, ...(reduced_usc ? [60_000] : [])].some(edge => is(Number(pay) + Number(profit ?? 0), edge)),
    beside: fc.record({
      year: fc.constantFrom(2023, 2024, 2025, 2026),
      status: fc.constantFrom('single', 'single_parent', 'married_one_income'),
      reduced_usc: fc.boolean(),
    }),
  },
  'ie-prsi': {
    of: 'weekly_earnings',
    charges: ['employee_prsi', 'employer_prsi'],
    // PRSI falls on everything above 352 a week, and the employer's higher rate on everything above its limit.
    jumps: ({ class: kind, weekly_earnings: pay }) =>
      kind !== 'S' && [352, 441, 496, 527, 552].some(edge => is(pay, edge)),
    beside: fc.record({ pay_date: fc.constantFrom('2016-01-01', '2024-09-30', '2025-10-01', '2026-10-01') }),
  },
  'ie-cgt': { of: 'entrepreneur_gain', charges: ['cgt'], beside: years(2017, 2025, 2026) },
  'uk-income-tax': {
    of: 'employment_income',
    charges: ['income_tax', 'dividend_tax'],
    beside: fc.record({
      tax_year: fc.constantFrom('2022-23', '2023-24', '2024-25', '2025-26', '2026-27'),
      region: fc.constantFrom('rest_of_uk', 'scotland'),
      dividends: fc.integer({ min: 0, max: 20_000 }),
      gift_aid: fc.integer({ min: 0, max: 2_000 }),
    }),
  },
  'uk-class1-nic': {
    of: 'gross_pay',
    charges: ['employee_nic', 'employer_nic'],
    beside: fc.record({
      tax_year: fc.constantFrom('2024-25', '2025-26'),
      pay_frequency: fc.constantFrom('weekly', 'fortnightly', 'four_weekly', 'monthly'),
      category: fc.constantFrom('A', 'B', 'C', 'F', 'H', 'I', 'J', 'M', 'V', 'Z'),
    }),
  },
  'us-federal-income-tax': { of: 'taxable_income', charges: ['income_tax'], beside: filed },
  'us-payroll-tax': {
    of: 'wages',
    charges: ['employee_and_employer_total', 'se_tax'],
    beside: filed,
  },
}

const withAmount = (analysis: string, inputs: Inputs, amount: number): AnalysisRequest => ({
  analysis,
  inputs: { ...inputs, [taxes[analysis]?.of ?? '']: amount.toFixed(2) },
})

it('more income never means less tax', async () => {
  const pair = fc.tuple(fc.integer({ min: 1, max: 700_000 }), fc.integer({ min: 1, max: 100_000 }))
  for (const [analysis, { beside, charges }] of Object.entries(taxes)) {
    const cases = sample(fc.tuple(pair, beside), 80)
    const found = await calculator.outputs(
      cases.flatMap(([[low, more], inputs]) => [low, low + more].map(each => withAmount(analysis, inputs, each))),
    )
    cases.forEach((each, at) => {
      const [less, more] = found.slice(2 * at, 2 * at + 2)
      const said = `${analysis} ${JSON.stringify(each)}, seed ${seed}`
      expect(sum(less, charges), said).toBeLessThanOrEqual(sum(more, charges) + 1e-6)
    })
  }
})

it('bands join without a jump at every worked example, but where the law has one', async () => {
  // Each edge of each band of each period has an example that lies on it: `edges.test.ts` holds that.
  for (const [analysis, { of, charges, jumps }] of Object.entries(taxes)) {
    const view = await calculator.engine.analyses.show(analysis)
    if (!view.ok) throw new Error(view.problem.message)
    const isUsed = ({ input, refused }: Example) => !refused && Number(input[of]) > 0 && input.method !== 'irs_table'
    const inputs = view.value.examples.filter(isUsed).map(({ input }) => input)
    const found = await calculator.outputs(
      inputs.flatMap(input => [0, 0.01].map(more => withAmount(analysis, input, Number(input[of]) + more))),
    )
    const seen = inputs.map((input, at) => {
      const [on, above] = found.slice(2 * at, 2 * at + 2).map(output => sum(output, charges))
      return { input, jumps: Math.abs((above ?? 0) - (on ?? 0)) > 0.035 }
    })
    expect(seen.length, analysis).toBeGreaterThan(2)
    expect(seen, analysis).toEqual(inputs.map(input => ({ input, jumps: jumps?.(input) ?? false })))
  }
})

it('liquid assets and inflows keep to their caps', async () => {
  const amount = fc.integer({ min: 0, max: 10_000 })
  const cases = sample(
    fc.record({
      hqla: fc.record({ level1: amount, level2a: amount, level2b_rmbs: amount, level2b_50: amount }),
      inflow: amount,
    }),
  )
  const found = await calculator.outputs(
    cases.flatMap(({ hqla, inflow }) =>
      ['basel', 'eu'].flatMap(framework =>
        [hqla, { ...hqla, level2a: 0 }].map(each => ({
          analysis: 'lcr',
          inputs: {
            framework,
            hqla: each,
            outflows: [['wholesale_financial', 1000]],
            inflows: [['retail_performing', inflow]],
          },
        })),
      ),
    ),
  )
  found.forEach((output, at) => {
    const { hqla = { level1: 0, level2a: 0, level2b_rmbs: 0, level2b_50: 0 }, inflow = 0 } = cases[at >> 2] ?? {}
    const only2b = at % 2 === 1
    const level2b = 0.75 * hqla.level2b_rmbs + 0.5 * hqla.level2b_50
    const all = hqla.level1 + (only2b ? 0 : 0.85 * hqla.level2a) + level2b
    const held = Number(output.hqla)
    const said = `${JSON.stringify(cases[at >> 2])}, seed ${seed}`
    expect(held, said).toBeLessThanOrEqual(all + 0.01)
    expect(held, said).toBeGreaterThanOrEqual(hqla.level1 - 0.01)
    expect(held - hqla.level1, `at most 40 % of level 2: ${said}`).toBeLessThanOrEqual(0.4 * held + 0.01)
    if (only2b) {
      expect(held - hqla.level1, `at most 15 % of level 2B: ${said}`).toBeLessThanOrEqual(0.15 * held + 0.01)
    }
    expect(Number(output.inflows), said).toBeCloseTo(Math.min(inflow / 2, 750), 2)
    expect(Number(output.net_outflows), said).toBeGreaterThanOrEqual(250)
  })
})

it('a return found satisfies its equation', async () => {
  const flow = fc.record({
    days: fc.integer({ min: 0, max: 3650 }),
    amount: fc.integer({ min: -10_000, max: 10_000 }),
  })
  const cases = sample(fc.array(flow, { minLength: 2, maxLength: 12 }), 40)
  const on = (days: number) => new Date(Date.UTC(2015, 0, 1 + days)).toISOString().slice(0, 10)
  const found = await calculator.outputs(
    cases.map(flows => ({
      analysis: 'cash-flow-return',
      inputs: { function: 'xirr', flows: flows.map(({ days, amount }) => ({ date: on(days), amount })) },
    })),
  )
  found.forEach((output, at) => {
    const flows = cases[at] ?? []
    const first = Math.min(...flows.map(({ days }) => days))
    for (const root of output.roots as number[]) {
      const terms = flows.map(({ days, amount }) => amount * (1 + root) ** (-(days - first) / 365))
      const size = Math.max(...terms.map(Math.abs))
      // A rate just above -1 has few digits left in 1 + rate, which each term raises to the power of its years.
      const years = Math.max(...flows.map(({ days }) => days - first)) / 365
      const digits = (flows.length * years * Number.EPSILON) / (1 + root)
      expect(Math.abs(terms.reduce((a, b) => a + b, 0)) / size, `seed ${seed}`).toBeLessThan(1e-6 + digits)
    }
    if (output.value === null) expect(output.reason).toEqual(expect.any(String))
  })
})

it('day counts agree with counting day by day', async () => {
  const cases = sample(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 2_000 })))
  const on = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10)
  const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
  /** Days of each convention, counted one after the other: what each day of the calendar adds. */
  const counted: Record<string, (day: number) => number> = {
    'act/act ISDA': day => 1 / (isLeap(new Date(day * 86_400_000).getUTCFullYear()) ? 366 : 365),
    'NL/365': day => (on(day + 1).endsWith('-02-29') ? 0 : 1 / 365),
    'act/365F': () => 1 / 365,
    'act/360': () => 1 / 360,
    // Months of thirty days: a 31st adds nothing, and the last day of February brings the month to its end.
    '30E/360': day => (Math.min(dayOf(day + 1), 30) - Math.min(dayOf(day), 30) + (dayOf(day + 1) === 1 ? 30 : 0)) / 360,
  }
  const dayOf = (day: number) => Number(on(day).slice(8))
  const conventions = Object.keys(counted)
  const found = await calculator.outputs(
    cases.flatMap(([start, length]) =>
      conventions.map(convention => ({
        analysis: 'day-count',
        inputs: { convention, start: on(start), end: on(start + length) },
      })),
    ),
  )
  cases.forEach(([start, length], at) => {
    conventions.forEach((convention, which) => {
      let all = 0
      for (let day = start; day < start + length; day++) all += counted[convention]?.(day) ?? Number.NaN
      const output = found[at * conventions.length + which]
      expect(output?.fraction, `${convention} ${on(start)} + ${length}, seed ${seed}`).toBeCloseTo(all, 9)
    })
  })
})
