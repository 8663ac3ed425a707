import {
  banded,
  constants,
  type EdgesOf,
  each,
  ends,
  type Input,
  near,
  on,
  rate,
  record,
  rows,
  sum,
  type Value,
} from './edge.testing.ts'
import { cgt, nic, paye, prsi, ukIncome, usIncome, usPayroll } from './tax-edges.testing.ts'

const steps = ['1', '2', '3', '4', '5', '6', 'none']
const weights = (framework: string, rules: Value, i: Input): Record<string, boolean> => {
  const isHere = (kind: string) => i.framework === framework && i.exposure_class === kind
  const estates = Object.entries(rules).filter(([kind]) => kind.endsWith('real_estate'))
  const factor = record(rules.sme_factor)
  return {
    ...Object.assign(
      {},
      ...['sovereign', 'institution', 'corporate'].map(kind =>
        each(
          steps.slice(0, (rules[kind] as readonly unknown[] | undefined)?.length ?? 0),
          cqs => `${kind} ${cqs}`,
          cqs => isHere(kind) && i.cqs === cqs,
        ),
      ),
      ...estates.flatMap(([kind, uses]) =>
        Object.entries(record(uses)).map(([use, rule]) => {
          const edges = 'bands' in record(rule) ? ends(record(rule).bands) : [record(rule).limit]
          const isUse = isHere(kind) && i.income_producing === (use === 'income_producing')
          return each(
            edges,
            edge => `${kind} ${use} ${edge}`,
            edge => isUse && near(Number(i.ltv), edge),
          )
        }),
      ),
    ),
    ...(factor.threshold && {
      sme: isHere('corporate_sme') && on(Number(i.ead), factor.threshold),
      turnover: isHere('corporate_sme') && on(Number(i.turnover), factor.turnover_to),
    }),
  }
}
const ruleBook: EdgesOf = (value, i, name) => weights(name, value, i)

const capital = (i: Input) => [
  Number(i.cet1),
  sum(i.cet1, i.at1),
  sum(i.cet1, i.at1, i.tier2),
  Number(i.total_risk_exposure),
]

const after = (i: Input) => {
  const shares = (i.shares_percent ?? []) as unknown[]
  const [a, b] = ((i.merging ?? []) as number[]).map(place => Number(shares[place]))
  const delta = 2 * (a ?? 0) * (b ?? 0)
  return {
    post: shares.reduce<number>((all, share) => all + Number(share) ** 2, 0) + delta,
    delta,
    joint: (a ?? 0) + (b ?? 0),
  }
}
/** Each limit of a regime, met exactly in it. */
const regime: EdgesOf = (value, i, name) => {
  const { post, delta, joint } = after(i)
  const isHere = i.regime === name
  const measures: Record<string, number> = { high: post, moderate: post, low: post, share_percent: joint }
  return each(
    Object.keys(value).filter(limit => limit !== 'provision'),
    String,
    limit => isHere && near(measures[limit] ?? delta, value[limit]),
  )
}

const altman: EdgesOf = (value, i, name) => {
  const assets = Number(i.total_assets)
  const equity = Number(i.market_value_equity ?? i.book_value_equity) / Number(i.total_liabilities)
  const ratios: Record<string, number> = {
    wc_ta: Number(i.working_capital) / assets,
    re_ta: Number(i.retained_earnings) / assets,
    ebit_ta: Number(i.ebit) / assets,
    equity_tl: equity,
    sales_ta: Number(i.sales) / assets,
  }
  const z = sum(
    ...Object.entries(record(value.weights)).map(([ratio, weight]) => Number(weight) * (ratios[ratio] ?? 0)),
  )
  return {
    distress: i.model === name && near(z, value.distress_below),
    safe: i.model === name && near(z, value.safe_above),
  }
}

const categories =
  (list: string): EdgesOf =>
  (value, i) =>
    each(Object.keys(value), String, name => rows(i[list]).some(({ category }) => category === name))
const weighted = (list: unknown, factors: Record<string, number>) =>
  sum(...rows(list).map(({ category, amount }) => Number(amount) * (factors[String(category)] ?? Number.NaN)))
const stable = { retail_stable: 0.05, wholesale_non_operational: 0.4, wholesale_financial: 1 }

/** For every analysis, every parameter that it has. */
export const edges: Record<string, Record<string, EdgesOf | string>> = {
  'audit-sampling': {},
  benford: {
    mad_bounds: 'no counts of digits give a deviation of exactly this, since the expected shares are logarithms',
  },
  'capital-adequacy': {
    minimum: (value, i) => {
      const [cet1 = 0, tier1 = 0, total = 0, exposure = 1] = capital(i)
      return {
        cet1: near(cet1 / exposure, value.cet1),
        tier1: near(tier1 / exposure, value.tier1),
        total: near(total / exposure, value.total),
        ...(value.leverage && { leverage: near(tier1 / Number(i.leverage_exposure), value.leverage) }),
      }
    },
    conservation_buffer: rate,
    mda_factor: (value, i) => {
      const [cet1 = 0, tier1 = 0, total = 0, exposure = 1] = capital(i)
      const part = (amount: number) => (100 * amount) / exposure
      const needed = Math.max(4.5, 6 - part(tier1 - cet1), 8 - part(total - cet1))
      const share = (part(cet1) - needed) / (2.5 + sum(i.ccyb_percent))
      const isPlain = sum(i.p2r_percent, i.gsii_percent, i.osii_percent, i.syrb_percent) === 0
      return each(Object.keys(value), String, quartile => isPlain && near(share, (Number(quartile) - 1) / 4))
    },
    output_floor: (value, i) => ({
      binds: near(Number(i.standardised_total_risk_exposure) * Number(value), i.total_risk_exposure),
    }),
  },
  'cash-flow-return': {},
  'day-count': { rules: (value, i) => each(Object.keys(value), String, name => i.convention === name) },
  'distress-scores': {
    altman_1968: altman,
    altman_private: altman,
    altman_non_manufacturing: altman,
    beneish_1999: (value, i) => {
      const indexes = Object.keys(value).filter(name => i[name] !== undefined && i[name] !== null)
      const m = sum(value.intercept, ...indexes.map(name => Number(value[name]) * Number(i[name])))
      return { flag: i.model === 'beneish_1999' && near(m, value.flag_above) }
    },
  },
  'eu-apr': { rule: 'the same formula in each act' },
  'eu-vat': new Proxy<Record<string, EdgesOf>>({}, { get: () => vat }),
  hhi: { us_2010: regime, us_2023: regime, eu: regime },
  'identifier-check': {
    iban_structures: 'a list of forms, none of which has an edge',
    countries: 'a list of codes',
    isin_prefixes: 'a list of codes',
  },
  'ie-cgt': cgt,
  'ie-paye': paye,
  'ie-prsi': prsi,
  'ifrs9-ecl': { rule: 'the standard has no figures; the presumptions of 30 and 90 days stand in the code' },
  'irb-risk-weight': {
    functions: (value, i) => ({
      small: on(Number(i.turnover_meur), value.sme_from_meur),
      large: on(Number(i.turnover_meur), value.sme_to_meur),
    }),
    pd_floor: (value, i) => {
      const isRevolving = i.asset_class === 'qualifying_revolving_retail'
      return {
        crr: i.framework === 'uk_crr' && near(Number(i.pd), value.crr),
        basel3: i.framework === 'basel3' && !isRevolving && near(Number(i.pd), value.basel3),
      }
    },
    pd_floor_revolving: (value, i) => {
      const isHere =
        i.asset_class === 'qualifying_revolving_retail' && (i.framework === 'basel3' || i.framework === 'crr3')
      return {
        revolver: isHere && i.transactor === false && near(Number(i.pd), value.revolver),
        transactor: isHere && i.transactor === true && near(Number(i.pd), value.transactor),
      }
    },
    scaling: (value, i) => each(Object.keys(value), String, name => i.framework === name),
  },
  'late-payment-interest': {
    rate_percent: rate,
    compensation: (value, i) =>
      Object.assign(
        {},
        ...Object.entries(value).map(([where, bands]) => {
          const isHere = i.jurisdiction === where && i.claim_compensation === true
          return banded(bands, isHere ? Number(i.amount) : -1, `${where} `)
        }),
      ),
  },
  lcr: {
    haircuts: (value, i) => each(Object.keys(value), String, name => Number(record(i.hqla)[name]) > 0),
    haircut_covered_bonds: (_, i) => ({ used: Number(record(i.hqla).level1_covered_bonds) > 0 }),
    outflow_factors: categories('outflows'),
    inflow_factors: categories('inflows'),
    inflow_cap: (value, i) => ({
      reached: near(
        weighted(i.inflows, { retail_performing: 0.5, wholesale_financial: 1 }),
        Number(value) * weighted(i.outflows, stable),
      ),
    }),
    minimum_percent: (value, i) => {
      const only1 = ['level2a', 'level2b_rmbs', 'level2b_50'].every(name => Number(record(i.hqla)[name]) === 0)
      const out = rows(i.inflows).length === 0 ? weighted(i.outflows, stable) : Number.NaN
      return { met: only1 && near((100 * Number(record(i.hqla).level1)) / out, value) }
    },
  },
  nsfr: {
    asf_factors: categories('asf'),
    rsf_factors: categories('rsf'),
    minimum_percent: (value, i) => ({
      met: near((100 * weighted(i.asf, { regulatory_capital: 1 })) / weighted(i.rsf, { fixed_assets: 1 }), value),
    }),
  },
  'sa-credit-rwa': {
    crr2: ruleBook,
    crr3: ruleBook,
    basel3: ruleBook,
    pra_basel31: ruleBook,
    defaulted: (value, i) => ({
      from: i.exposure_class === 'defaulted' && near(Number(i.specific_provisions_share), value.provisions_from),
    }),
    pra_real_estate: (value, i) => weights('pra_basel31', value, i),
  },
  'solvency2-bscr': { correlation: constants, market_correlation_up: constants, market_correlation_down: constants },
  'tp-interquartile': { rule: 'a rule of ranks, whose edge of exactly a quarter is in every example of four results' },
  'uk-class1-nic': nic,
  'uk-income-tax': ukIncome,
  'us-federal-income-tax': usIncome,
  'us-payroll-tax': usPayroll,
}

/** Each rate of a country in each of its periods. */
function vat(value: Value, i: Input, name: string): Record<string, boolean> {
  const isHere = String(i.country).toUpperCase() === name
  return each(Object.keys(record(value.rates)), String, rate => isHere && i.rate === rate)
}
