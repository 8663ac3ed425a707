import {
  banded,
  type EdgesOf,
  each,
  ends,
  type Input,
  on,
  rate,
  record,
  rows,
  sum,
  type Value,
} from './edge.testing.ts'

const earned = (i: Input) => [
  [i.employment_income, i.self_employment_income],
  [i.spouse_employment_income, i.spouse_self_employment_income],
]
const person = (i: Input) => earned(i).map(([a, b]) => sum(a, b))
const someone = (i: Input, edge: unknown) => person(i).some(income => on(income, edge))
const weekly = (i: Input, week: unknown) =>
  [i.employment_income, i.spouse_employment_income].some(pay => on(Number(pay) / 52, week))

export const paye: Record<string, EdgesOf | string> = {
  rates: rate,
  cut_off: (value, i) => {
    const taxable = sum(...person(i)) - sum(i.pension_contributions)
    const two = i.status === 'married_two_incomes'
    return {
      single: i.status === 'single' && on(taxable, value.single),
      single_parent: i.status === 'single_parent' && on(taxable, value.single_parent),
      married: i.status === 'married_one_income' && on(taxable, value.married),
      second_income: two && on(Math.min(...person(i)), value.second_income),
    }
  },
  personal_credit: rate,
  employee_credit: rate,
  earned_income_credit: rate,
  single_parent_credit: rate,
  home_carer_credit: rate,
  dependent_relative_credit: rate,
  usc_bands: (value, i) =>
    each(ends(value), String, to => i.reduced_usc === false && person(i).some(income => on(income, to))),
  usc_exemption: (value, i) => ({ exempt: someone(i, value) }),
  usc_surcharge: (value, i) => ({ above: on(Number(i.self_employment_income), value.above) }),
  usc_reduced: (value, i) => ({ max_income: i.reduced_usc === true && someone(i, value.max_income) }),
  prsi_rate_to_september: rate,
  prsi_rate_from_october: rate,
  prsi_nil_to: (value, i) => ({ nil: weekly(i, value) }),
  prsi_credit: (value, i) => ({ from: weekly(i, value.from), to: weekly(i, value.to) }),
  prsi_class_s: (value, i) => ({ from: on(Number(i.self_employment_income), value.from_income) }),
}

export const prsi: Record<string, EdgesOf | string> = {
  employee_rate: rate,
  nil_to: (value, i) => ({ nil: i.class === 'A' && on(Number(i.weekly_earnings), value) }),
  class_s_limit: (value, i) => ({ s: i.class === 'S' && on(Number(i.weekly_earnings), value) }),
  credit: (value, i) => ({
    from: i.class === 'A' && on(Number(i.weekly_earnings), value.from),
    to: i.class === 'A' && on(Number(i.weekly_earnings), value.to),
  }),
  employer_threshold: (value, i) => ({ lower: i.class === 'A' && on(Number(i.weekly_earnings), value) }),
  employer_rates: rate,
}

const disposed = (i: Input) =>
  rows(i.disposals).map(each => ({
    ...each,
    gain: Number(each.proceeds) - sum(each.cost, each.expenses),
    years: Number(String(each.disposed).slice(0, 4)) - Number(String(each.acquired).slice(0, 4)),
    isAnniversary: String(each.disposed).slice(4) === String(each.acquired).slice(4),
    acquired: each.acquired,
    relief: each.relief_7_year_property === true,
  }))

export const cgt: Record<string, EdgesOf | string> = {
  rate,
  annual_exemption: (value, i) => ({ used: on(sum(...disposed(i).map(({ gain }) => gain)), value) }),
  entrepreneur_relief: (value, i) => ({
    limit: on(Number(i.entrepreneur_gain), value.lifetime_limit),
    ...(value.earlier_gains_up_to && {
      earlier: on(Number(i.entrepreneur_gains_before_2026), value.earlier_gains_up_to),
    }),
  }),
  property_relief: (value, i) => {
    const relieved = disposed(i).filter(({ relief }) => relief)
    const after = (years: unknown) => relieved.some(each => each.isAnniversary && each.years === Number(years))
    return {
      first: relieved.some(({ acquired }) => acquired === value.bought_from),
      last: relieved.some(({ acquired }) => acquired === value.bought_to),
      whole: after(value.years),
      least: after(value.least_years),
    }
  },
}

const earnedUk = (i: Input) => sum(i.employment_income, i.other_non_savings_income)
const netUk = (i: Input) => earnedUk(i) + sum(i.dividends) - sum(i.pension_contributions_gross) - sum(i.gift_aid) / 0.8
/** Up to the height where the allowance begins to go; above the height where it is gone. */
const taxableUk = (i: Input) =>
  i.taxable_non_savings_income === null
    ? earnedUk(i) - (netUk(i) <= 100_000 ? 12_570 : netUk(i) >= 125_140 ? 0 : Number.NaN)
    : Number(i.taxable_non_savings_income)
const isPlain = (i: Input) => sum(i.pension_contributions_gross, i.gift_aid) === 0

export const ukIncome: Record<string, EdgesOf | string> = {
  personal_allowance: (value, i) => ({
    taper: on(netUk(i), value.taper_from),
    gone: on(netUk(i), Number(value.taper_from) + Number(value.amount) / Number(value.taper)),
  }),
  uk_bands: (value, i) => (isPlain(i) && i.region === 'rest_of_uk' ? banded(value, taxableUk(i)) : banded(value, -1)),
  scottish_bands: (value, i) =>
    isPlain(i) && i.region === 'scotland' ? banded(value, taxableUk(i)) : banded(value, -1),
  dividend_nil_rate: (value, i) => ({ nil: earnedUk(i) >= 12_570 && on(Number(i.dividends), value) }),
  dividend_rates: rate,
  child_benefit_charge: (value, i) => ({
    from: Number(i.child_benefit) > 0 && on(netUk(i), value.from),
    whole: Number(i.child_benefit) > 0 && on(netUk(i), Number(value.from) + 100 * Number(value.per)),
  }),
}

const byStatus = (value: Value, i: Input, hit: (edge: unknown) => boolean) =>
  Object.fromEntries(
    Object.entries(value).flatMap(([status, edges]) =>
      [edges].flat().map(edge => [`${status} ${edge}`, i.filing_status === status && hit(edge)]),
    ),
  )
const gains = (i: Input) => sum(i.long_term_gains, i.qualified_dividends) > 0

export const usIncome: Record<string, EdgesOf | string> = {
  rates: rate,
  brackets: (value, i) => byStatus(value, i, edge => !gains(i) && on(Number(i.taxable_income), edge)),
  standard_deduction: rate,
  capital_gains_thresholds: (value, i) => byStatus(value, i, edge => gains(i) && on(Number(i.taxable_income), edge)),
  capital_gains_rates: rate,
  loss_limit: (value, i) => byStatus(value, i, edge => on(-sum(i.short_term_gains, i.long_term_gains), edge)),
  niit_rate: rate,
  niit_threshold: (value, i) =>
    byStatus(value, i, edge => Number(i.net_investment_income) > 0 && on(Number(i.modified_agi ?? i.wages), edge)),
}

export const usPayroll: Record<string, EdgesOf | string> = {
  wage_base: (value, i) => ({ base: on(Number(i.wages), value) }),
  social_security_rate: rate,
  medicare_rate: rate,
  additional_medicare_rate: rate,
  net_earnings_factor: rate,
  se_social_security_rate: rate,
  se_medicare_rate: rate,
  net_earnings_from: (value, i) => ({ from: on(Number(i.self_employment_income) * 0.9235, value) }),
  additional_medicare_threshold: (value, i) => byStatus(value, i, edge => on(Number(i.wages), edge)),
}

const groups = (value: unknown, i: Input) =>
  each(
    rows(value).map(({ categories }) => categories as readonly string[]),
    letters => letters.join(''),
    letters => letters.includes(String(i.category)),
  )
/** Categories whose employer pays nothing up to the threshold of freeports. */
const freeport = 'FILSDEKN'

export const nic: Record<string, EdgesOf | string> = {
  thresholds: (value, i) =>
    Object.fromEntries(
      Object.entries(value).flatMap(([name, amounts]) =>
        ['weekly', 'monthly'].map(often => {
          const isHere = i.pay_frequency === often && on(Number(i.gross_pay), record(amounts)[often])
          return [`${name} ${often}`, isHere && (name !== 'fust' || freeport.includes(String(i.category)))]
        }),
      ),
    ),
  employee_rates: groups,
  employer_rates: groups,
}
