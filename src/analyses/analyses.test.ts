import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AnalysisRequest, analysisMime, type Example } from '../contract/analyses.ts'
import type { RunView } from '../contract/runs.ts'
import type { Engine } from '../engine/engine.ts'
import type { Answer } from './analyses.ts'
import { type Calculator, openCalculator } from './calculator.testing.ts'
import { judge } from './examples.ts'

let calculator: Calculator
let engine: Engine
beforeAll(async () => {
  calculator = await openCalculator()
  engine = calculator.engine
})
afterAll(() => calculator.close())

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
  })

  it('come out in each older version as they did then', async () => {
    const asked: { request: AnalysisRequest; example: Example }[] = []
    for (const { id } of (await engine.analyses.list()).entries) {
      const current = await engine.analyses.show(id)
      if (!current.ok) throw new Error(current.problem.message)
      for (const version of current.value.versions.slice(1)) {
        const older = await engine.analyses.show(id, version)
        if (!older.ok) throw new Error(older.problem.message)
        for (const example of older.value.examples.slice(0, 5)) {
          asked.push({ request: { analysis: id, version, inputs: example.input }, example })
        }
      }
    }
    const answers = await calculator.answers(asked.map(({ request }) => request))
    const wrong = asked.flatMap(({ request, example }, at) => {
      const { passed, difference } = judge(example, answers[at] as Answer)
      return passed ? [] : [`${request.analysis} ${request.version}, ${example.name}: ${difference}`]
    })
    expect(wrong).toEqual([])
    expect(asked.length).toBeGreaterThan(250)
  })

  it('answer with what the figures rest on', async () => {
    const inputs = { pay_date: '2025-10-01', weekly_earnings: '600' }
    const [output] = await calculator.outputs([{ analysis: 'ie-prsi', inputs }])
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

  it('say how far they can be relied on: their values, and their method where that is from memory', async () => {
    const bank = { hqla: { level1: '100' }, outflows: [['retail_stable', '100']] }
    const pay = { year: 2025, status: 'single', employment_income: '50000' }
    const profit = { year: 2025, status: 'single', self_employment_income: '50000' }
    const found = await calculator.outputs([
      { analysis: 'ie-paye', inputs: pay },
      { analysis: 'ie-paye', inputs: profit },
      { analysis: 'lcr', inputs: bank },
    ])
    expect(found.map(({ status }) => status)).toEqual(['enacted', 'unverified', 'unverified'])
  })

  it('keep the order of mixed requests, and answer each error in its place', async () => {
    const found = await calculator.answers([
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

  it('take texts with marks at which other languages end a line', async () => {
    const iban = (value: string) => ({ analysis: 'identifier-check', inputs: { scheme: 'iban', value } })
    const found = await calculator.outputs([
      iban('GB82WEST\u202812345698765432'),
      iban('GB82WEST\u008512345698765432'),
      iban('GB82WEST\n12345698765432'),
    ])
    expect(found.map(({ valid }) => valid)).toEqual([true, true, true])
  })

  it('give own code the same inputs and parameters, and mark its result', async () => {
    const code =
      'def run(inputs, params):\n    return {"outputs": {"seen": inputs["weekly_earnings"], "rate": params["employee_rate"]}, "steps": []}\n'
    const inputs = { pay_date: '2025-10-01', weekly_earnings: '600' }
    const [output] = await calculator.outputs([{ analysis: 'ie-prsi', inputs, code }])
    expect(output).toMatchObject({ seen: '600', rate: '0.042', own_code_sha256: expect.any(String) })
  })

  it('answer for code that fails, ends its process or writes nonsense', async () => {
    const inputs = { shares_percent: [100] }
    const own = (code: string) => ({ analysis: 'hhi', inputs, code: `def run(inputs, params):\n    ${code}\n` })
    expect(await calculator.answers([own('1 / 0')])).toMatchObject([
      { error: { code: 'analysis.failed', message: expect.stringContaining('ZeroDivisionError') } },
    ])
    expect(await calculator.answers([own('return {"outputs": {"x": float("nan")}, "steps": []}')])).toMatchObject([
      { error: {} },
    ])
    expect(await calculator.answers([own('raise SystemExit'), own('raise SystemExit')])).toMatchObject([
      { error: { code: 'analysis.failed' } },
      { error: { code: 'analysis.failed' } },
    ])
    expect(await calculator.answers([{ analysis: 'hhi', inputs }])).toMatchObject([{ output: { hhi: 10000 } }])
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
