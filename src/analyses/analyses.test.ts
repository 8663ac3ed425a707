import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AnalysisRequest, analysisMime } from '../contract/analyses.ts'
import type { RunView } from '../contract/runs.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { testSeed } from '../seed.testing.ts'
import type { AnalysisBatch, Answer } from './analyses.ts'

const home = mkdtempSync(join(tmpdir(), 'countersign-analyses-'))
let engine: Engine
let batch: AnalysisBatch
beforeAll(async () => {
  engine = await openEngine({ home, env: {}, pool: 0 })
  batch = engine.analyses.batch(engine.caller)
})
afterAll(async () => {
  await batch.close()
  await engine.close()
  rmSync(home, { recursive: true, force: true })
})

/** Samples with the seed in the title of what fails. */
let seed = 0
beforeEach(() => {
  seed = testSeed()
})
const sample = <T>(arbitrary: fc.Arbitrary<T>, runs = 60): T[] => fc.sample(arbitrary, { seed, numRuns: runs })

async function answers(requests: AnalysisRequest[]): Promise<Answer[]> {
  return batch.run(requests)
}
async function outputs(requests: AnalysisRequest[]): Promise<Record<string, unknown>[]> {
  return (await answers(requests)).map((answer, at) => {
    if ('error' in answer) throw new Error(`${JSON.stringify(requests[at])}: ${answer.error.message} (seed ${seed})`)
    return answer.output
  })
}
const money = (output: Record<string, unknown> | undefined, name: string) => Number(output?.[name])

describe('analyses in a real sandbox', () => {
  it('come out as every worked example says', async () => {
    const wrong: string[] = []
    let count = 0
    for await (const { analysis, results, problem } of engine.analyses.check(engine.caller)) {
      if (problem) wrong.push(`${analysis}: ${problem.message}`)
      for (const { example, difference } of results)
        if (difference) wrong.push(`${analysis}, ${example}: ${difference}`)
      count += results.length
    }
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(1350)
    // The examples of 25 analyses, one batch after the other.
  })

  it('answer with what the figures rest on', async () => {
    const inputs = { pay_date: '2025-10-01', weekly_earnings: '600' }
    const [output] = await outputs([{ analysis: 'ie-prsi', inputs }])
    expect(output).toMatchObject({
      analysis: 'ie-prsi',
      version: '1.0.1',
      folder_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      as_of: '2025-10-01',
      employee_prsi: '25.20',
      steps: expect.arrayContaining([{ label: 'Employee PRSI', figure: '25.20', provision: 'SWCA 2005 s. 13' }]),
    })
    const used = (output?.parameters_used ?? []) as { name: string }[]
    const rate = used.find(each => each.name === 'employee_rate')
    expect(rate).toMatchObject({ value: '0.042', from: '2025-10-01', to: '2026-10-01', status: 'enacted' })
  })

  it('keep the order of mixed requests, and answer each error in its place', async () => {
    const found = await answers([
      { analysis: 'hhi', inputs: { shares_percent: [50, 50] } },
      { analysis: 'nowhere', inputs: {} },
      { analysis: 'eu-vat', inputs: { country: 'IE', date: '2020-12-15', net: '100' } },
      { analysis: 'hhi', inputs: { shares_percent: [100] } },
      { analysis: 'eu-vat', inputs: { country: 'ZZ', date: '2020-12-15', net: '100' } },
    ])
    expect(found).toMatchObject([
      { output: { hhi: 5000 } },
      { error: { code: 'analysis.unknown' } },
      { output: { vat: '21.00' } },
      { output: { hhi: 10000 } },
      { error: { code: 'analysis.refused' } },
    ])
  })

  it('give own code the same inputs and parameters, and mark its result', async () => {
    const code =
      'def run(inputs, params):\n    return {"outputs": {"seen": inputs["weekly_earnings"], "rate": params["employee_rate"]}, "steps": []}\n'
    const inputs = { pay_date: '2025-10-01', weekly_earnings: '600' }
    const [output] = await outputs([{ analysis: 'ie-prsi', inputs, code }])
    expect(output).toMatchObject({ seen: '600', rate: '0.042', own_code_sha256: expect.any(String) })
  })

  it('answer for code that fails, ends its process or writes nonsense', async () => {
    const inputs = { shares_percent: [100] }
    const own = (code: string) => ({ analysis: 'hhi', inputs, code: `def run(inputs, params):\n    ${code}\n` })
    expect(await answers([own('1 / 0')])).toMatchObject([
      { error: { code: 'analysis.failed', message: expect.stringContaining('ZeroDivisionError') } },
    ])
    expect(await answers([own('return {"outputs": {"x": float("nan")}, "steps": []}')])).toMatchObject([{ error: {} }])
    expect(await answers([own('raise SystemExit'), own('raise SystemExit')])).toMatchObject([
      { error: { code: 'analysis.failed' } },
      { error: { code: 'analysis.failed' } },
    ])
    expect(await answers([{ analysis: 'hhi', inputs }])).toMatchObject([{ output: { hhi: 10000 } }])
  })

  it('run in a cell like any code, and the record knows them by their text', async () => {
    const made = await engine.conversations.create(engine.caller, { title: 'Test' })
    if (!made.ok) throw new Error(made.problem.message)
    const path = made.value.conversation.main
    const finished = new Promise<RunView>(resolve => {
      const stop = engine.events.listen(event => {
        if (event.type !== 'run' || event.run.path !== path || event.run.state !== 'finished') return
        stop()
        resolve(event.run)
      })
    })
    const inputs = { pay_date: '2025-10-01', weekly_earnings: '600', class: 'A' }
    const started = await engine.analyses.start(engine.caller, { analysis: 'ie-prsi', inputs, path })
    expect(started).toMatchObject({ ok: true, value: { run: { path } } })
    const view = await finished
    expect(view).toMatchObject({ risk: 'low', outcome: { success: true } })
    const shown = view.outcome?.outputs.find(output => output.type === 'result')
    expect(shown).toMatchObject({ data: { [analysisMime]: { employee_prsi: '25.20', analysis: 'ie-prsi' } } })

    const { items } = await engine.audit.query({ filter: { run: view.run } })
    const intended = items.find(({ entry }) => entry.action === 'run.intended')
    const mark = { analysis: 'ie-prsi', version: '1.0.1', untouched: true, as_of: '2025-10-01', count: 1 }
    expect(intended?.entry.details).toMatchObject({ analysis: { ...mark, citations: expect.any(Array) } })

    const opened = await engine.conversations.open(engine.caller, { path })
    const item = opened.ok ? opened.value.items[0] : undefined
    const code = item?.kind === 'cell' ? item.text : ''
    expect(await engine.analyses.original(code)).toBe(code)
    const changed = code.replace('max(gross - credit', 'min(gross - credit')
    expect(changed).not.toBe(code)
    expect(await engine.analyses.original(changed)).toBe(code)
    expect(await engine.analyses.original('print(1)')).toBeNull()
  })

  it('wait for a reviewer where the policy wants that, and code that was touched does not pass for one', async () => {
    const { current, save } = engine.approval.policy
    const { caller } = engine
    const before = await current()
    const run = async (code?: string) => {
      const one = engine.analyses.batch(caller)
      const request = { analysis: 'hhi', inputs: { shares_percent: [100] }, ...(code ? { code } : {}) }
      const [answer] = await one.run([request])
      await one.close()
      return answer
    }
    const touched = 'def run(inputs, params):\n    return {"hhi": 1}\n'
    await save({ ...before.policy, analyses: 'approve' }, caller.user, before.version)
    try {
      expect(await run()).toMatchObject({ error: { code: 'approval.undecided' } })
      expect(await run(touched)).not.toMatchObject({ error: { code: 'approval.undecided' } })
      const reviewed = await current()
      const wary = { ...before.policy, thresholds: { ...before.policy.thresholds, low: 'approve' as const } }
      await save(wary, caller.user, reviewed.version)
      expect(await run()).toMatchObject({ output: { hhi: 10000 } })
      expect(await run(touched)).toMatchObject({ error: { code: 'approval.undecided' } })
    } finally {
      await save(before.policy, caller.user, (await current()).version)
    }
  })

  it('leave one run on the record for a batch', async () => {
    const [before] = (await engine.audit.query({ filter: {}, limit: 1 })).items
    const one = engine.analyses.batch(engine.caller)
    await one.run(Array.from({ length: 50 }, () => ({ analysis: 'hhi', inputs: { shares_percent: [100] } })))
    await one.close()
    const { items } = await engine.audit.query({ filter: { actions: ['run.intended', 'run.finished'] }, limit: 10 })
    const since = items.map(({ entry }) => entry).filter(({ seq }) => seq > (before?.entry.seq ?? 0))
    expect(since.map(({ action }) => action)).toEqual(['run.finished', 'run.intended'])
    const intended = since[1]
    expect(intended?.details).toMatchObject({ analysis: { analysis: 'hhi', untouched: true, count: 50 } })
  })
})

describe('a batch in the sandbox of a path', () => {
  async function openPath() {
    const made = await engine.conversations.create(engine.caller, { title: 'Batch' })
    if (!made.ok) throw new Error(made.problem.message)
    const { id: conversation, main: path } = made.value.conversation
    const ref = { tenant: engine.caller.tenant, conversation, path }
    const run = async (code: string) => {
      const request = { path, cell: null, language: 'python' as const, code }
      const started = await engine.runs.start(engine.caller, request)
      if (!started.ok) throw new Error(started.problem.message)
      return started.value.rest
    }
    return { conversation, path, ref, run }
  }
  const one = { analysis: 'hhi', inputs: { shares_percent: [100] } }

  it('leaves its variables, files and sandbox as they were, and stands on the record as a run of the path', async () => {
    const { conversation, path, ref, run } = await openPath()
    await run('mine = 41; open("analysis-cases.jsonl", "w").write("of the analyst")')
    const before = engine.contexts.facts(ref)
    const within = engine.analyses.batch(engine.caller, { within: { conversation, path } })
    expect(await within.run([one, { analysis: 'nowhere', inputs: {} }, one])).toMatchObject([
      { output: { hhi: 10000 } },
      { error: { code: 'analysis.unknown' } },
      { output: { hhi: 10000 } },
    ])
    await within.close()
    expect(engine.contexts.facts(ref)).toEqual(before)
    const view = await run('import os; print(mine, sorted(os.listdir()), open("analysis-cases.jsonl").read())')
    expect(view.outcome?.stdout).toBe("41 ['analysis-cases.jsonl'] of the analyst\n")

    const { items } = await engine.audit.query({ filter: { conversation } })
    const intended = items.find(({ entry }) => JSON.stringify(entry.details).includes('"analysis":"hhi"'))
    expect(intended?.entry).toMatchObject({ action: 'run.intended', path, details: { analysis: { count: 2 } } })
  })

  it('stops when it is cancelled, answers what was done, and keeps the variables of the path', async () => {
    const { conversation, path, run } = await openPath()
    await run('mine = 41')
    const stop = new AbortController()
    const within = engine.analyses.batch(engine.caller, { within: { conversation, path }, signal: stop.signal })
    const code =
      'def run(inputs, params):\n    while len(inputs["shares_percent"]) > 1:\n        pass\n    return {"outputs": {"hhi": 1}, "steps": []}\n'
    const endless = { analysis: 'hhi', inputs: { shares_percent: [50, 50] }, code }
    const running = new Promise<void>(resolve => {
      const end = engine.events.listen(event => {
        if (event.type !== 'run' || event.run.path !== path || event.run.state !== 'running') return
        end()
        resolve()
      })
    })
    const answered = within.run([endless, endless])
    await running
    stop.abort()
    expect(await answered).toMatchObject([
      { error: { code: 'request.cancelled' } },
      { error: { code: 'request.cancelled' } },
    ])
    await within.close()
    expect((await run('print(mine)')).outcome?.stdout).toBe('41\n')
  })
})

describe('properties', () => {
  const incomes = fc
    .array(fc.integer({ min: 0, max: 300_000 }), { minLength: 2, maxLength: 2 })
    .map(pair => pair.sort((a, b) => a - b))

  it('more income never means less tax', async () => {
    const pairs = sample(fc.tuple(incomes, fc.constantFrom(2023, 2024, 2025, 2026)))
    const ask = (make: (income: number, year: number) => AnalysisRequest) =>
      outputs(pairs.flatMap(([[low, high], year]) => [make(low ?? 0, year), make(high ?? 0, year)]))
    const irish = await ask((income, year) => ({
      analysis: 'ie-paye',
      inputs: { year, status: 'single', employment_income: income },
    }))
    const british = await ask((income, year) => ({
      analysis: 'uk-income-tax',
      inputs: { tax_year: `${year}-${(year + 1) % 100}`, region: 'scotland', employment_income: income },
    }))
    const american = await ask((income, year) => ({
      analysis: 'us-federal-income-tax',
      inputs: { year, filing_status: 'single', taxable_income: income },
    }))
    for (const found of [irish, british, american]) {
      for (let at = 0; at < found.length; at += 2) {
        expect(money(found[at], 'income_tax'), `seed ${seed}`).toBeLessThanOrEqual(money(found[at + 1], 'income_tax'))
      }
    }
  })

  it('bands join without a jump, but for the two that the law has', async () => {
    const step = (analysis: string, name: string, at: number, more: Record<string, unknown>) =>
      [at, at + 0.01].map(amount => ({ analysis, inputs: { [name]: amount.toFixed(2), ...more } }))
    const edges = [40_000, 44_000, 70_044, 28_700]
    const irish = await outputs(
      edges.flatMap(at => step('ie-paye', 'employment_income', at, { year: 2026, status: 'single' })),
    )
    irish.forEach((low, at) => {
      if (at % 2 === 0)
        expect(
          Math.abs(
            money(irish[at + 1], 'income_tax') +
              money(irish[at + 1], 'usc') -
              money(low, 'income_tax') -
              money(low, 'usc'),
          ),
        ).toBeLessThan(0.03)
    })
    // Above 13,000 USC is due on everything; above 352 a week PRSI is.
    const [below, above] = await outputs(step('ie-paye', 'employment_income', 13_000, { year: 2026, status: 'single' }))
    expect([money(below, 'usc'), money(above, 'usc')]).toEqual([0, 79.82])
  })

  it('liquid assets keep to their caps', async () => {
    const amount = fc.integer({ min: 0, max: 10_000 })
    const cases = sample(fc.record({ level1: amount, level2a: amount, level2b_rmbs: amount, level2b_50: amount }))
    const found = await outputs(
      cases.flatMap(hqla =>
        ['basel', 'eu'].map(framework => ({
          analysis: 'lcr',
          inputs: { framework, hqla, outflows: [['wholesale_financial', 1000]] },
        })),
      ),
    )
    found.forEach((output, at) => {
      const hqla = cases[at >> 1] ?? { level1: 0, level2a: 0, level2b_rmbs: 0, level2b_50: 0 }
      const level2b = 0.75 * hqla.level2b_rmbs + 0.5 * hqla.level2b_50
      const held = money(output, 'hqla')
      expect(held, `seed ${seed}`).toBeLessThanOrEqual(hqla.level1 + 0.85 * hqla.level2a + level2b + 0.01)
      expect(held - hqla.level1, `at most 40 % of level 2, seed ${seed}`).toBeLessThanOrEqual(0.4 * held + 0.01)
      expect(held, `seed ${seed}`).toBeGreaterThanOrEqual(hqla.level1 - 0.01)
    })
  })

  it('a return found satisfies its equation', async () => {
    const flow = fc.record({
      days: fc.integer({ min: 0, max: 3650 }),
      amount: fc.integer({ min: -10_000, max: 10_000 }),
    })
    const cases = sample(fc.array(flow, { minLength: 2, maxLength: 12 }), 40)
    const on = (days: number) => new Date(Date.UTC(2015, 0, 1 + days)).toISOString().slice(0, 10)
    const found = await outputs(
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
        expect(Math.abs(terms.reduce((a, b) => a + b, 0)) / size, `seed ${seed}`).toBeLessThan(1e-6)
      }
      if (output.value === null) expect(output.reason).toEqual(expect.any(String))
    })
  })

  it('day counts agree with counting day by day', async () => {
    const cases = sample(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 2_000 })))
    const on = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10)
    const conventions = ['act/act ISDA', 'NL/365', 'act/365F']
    const found = await outputs(
      cases.flatMap(([start, length]) =>
        conventions.map(convention => ({
          analysis: 'day-count',
          inputs: { convention, start: on(start), end: on(start + length) },
        })),
      ),
    )
    const leap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
    cases.forEach(([start, length], at) => {
      let byYear = 0
      let without = 0
      for (let day = start; day < start + length; day++) {
        byYear += 1 / (leap(new Date(day * 86_400_000).getUTCFullYear()) ? 366 : 365)
        if (!on(day + 1).endsWith('-02-29')) without++
      }
      const [isda, nl, fixed] = found.slice(at * 3, at * 3 + 3)
      expect(isda?.fraction, `seed ${seed}`).toBeCloseTo(byYear, 9)
      expect(nl?.days, `seed ${seed}`).toBe(without)
      expect(fixed?.fraction).toBeCloseTo(length / 365, 12)
    })
  })

  it('hostile inputs are refused or answered, and none hangs', async () => {
    const { entries } = await engine.analyses.list()
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
      const view = await engine.analyses.show(id)
      if (!view.ok) throw new Error(view.problem.message)
      const [example] = view.value.examples
      requests.push({ analysis: id, inputs: {} })
      for (const name of Object.keys(view.value.definition.inputs)) {
        for (const value of values) requests.push({ analysis: id, inputs: { ...example?.input, [name]: value } })
      }
    }
    const bugs = (await answers(requests)).flatMap((answer, at) =>
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
    const found = await answers(wrong.map(([change]) => ({ analysis: 'ie-paye', inputs: { ...inputs, ...change } })))
    for (const [at, [, code, message]] of wrong.entries()) {
      expect(found[at]).toMatchObject({ error: { code, message: expect.stringMatching(message) } })
    }
  })

  it('refuses at once what would take minutes, and answers large samples and long spans', async () => {
    const trade = { side: 'buy', date: '2024-01-05', security: 'A', quantity: 1, price: 5 }
    const taints = Array.from({ length: 100_000 }, () => '0.5')
    const million = { task: 'evaluate', confidence: '0.95', n: 1_000_000 }
    const found = await answers([
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

  it('takes a column of a million values, and refuses a longer one', async () => {
    const values = Array.from({ length: 1_000_001 }, (_, at) => at + 1)
    const found = await answers([
      { analysis: 'benford', inputs: { values: values.slice(1) } },
      { analysis: 'benford', inputs: { values } },
    ])
    expect(found[0]).toMatchObject({ output: { n: 1_000_000, conformity: 'nonconformity' } })
    expect(found[1]).toMatchObject({
      error: { code: 'analysis.input', message: expect.stringMatching(/1000001 rows/) },
    })
  })
})
