import { expect, it } from 'vitest'
import { createAnalyses, openCatalogue } from './analyses/analyses.ts'
import type { WantedPlace } from './contract/placement.ts'
import { ok, problem } from './contract/problem.ts'
import type { RiskLevel } from './contract/run.ts'
import type { ValueType } from './contract/workflow.ts'
import type { Caller } from './conversations/conversations.ts'
import { obstaclesOf, outputsOfAnalysis } from './foreseeing.ts'
import { temporaryFolder } from './storage/testing.ts'
import { parseGraph } from './workflow/workflow.ts'

const source = `name: Mixed
tasks:
  plain: { type: code_execution, language: python, code: "1", outputs: { x: number, rows: list } }
  same: { type: code_execution, language: python, code: "1", placement: { isolation: container }, outputs: { x: number } }
  risky: { type: code_execution, language: python, code: "rm" }
  wrong: { type: code_execution, language: python, code: "1 +" }
  known: { type: mcp_tool, server: ledger, tool: post }
  unknown: { type: mcp_tool, server: ledger, tool: burn }
  paye: { type: analysis, analysis: ie-paye, inputs: { year: { value: 2025 }, salary: { from: plain.x } } }
  bare: { type: analysis, analysis: ie-paye, inputs: { yaer: { value: 1 }, income: { from: same.x } } }
  typed: { type: analysis, analysis: ie-paye, inputs: { year: { value: 1 }, salary: { from: plain.rows } } }
  fits: { type: analysis, analysis: ie-paye, inputs: { year: { value: 1 }, salary: { from: paye.net } } }
  none: { type: analysis, analysis: no-such }
  ask: { type: approval, question: Go on?, inputs: { net: { from: paye.net, type: text }, tax: { from: paye.tax } } }
  list: { type: code_execution, language: python, code: "1", inputs: { net: { from: paye.net, type: list } } }
`

it('what a task would be refused for is known before the start, by what its code really is', async () => {
  const parsed = parseGraph(source)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const { tasks } = parsed.graph.spec
  const planned = Object.entries(tasks).map(([name, task]) => {
    return { name, task, wanted: parsed.graph.placements.get(name)?.wanted }
  })
  const inputs = { year: { type: 'integer' }, income: { type: 'money', also: ['salary'] } }
  const paye = {
    code: 'paye',
    entry: { origin: 'catalogue' },
    definition: { inputs, outputs: { net: { type: 'money' } } },
  }
  const inspected: string[] = []
  const wanted: { risk: RiskLevel; placement: WantedPlace | undefined }[] = []
  const inspect = async (code: string) => {
    inspected.push(code)
    const risk = code === 'rm' || code.includes('tools.ledger') ? 'high' : 'low'
    return { risk, findings: [], ...(code === '1 +' ? { syntaxError: { message: 'invalid syntax', line: 1 } } : {}) }
  }
  const tool = { server: 'ledger', tool: 'post', calledAs: { server: 'ledger', tool: 'post' }, effect: 'reads' }
  const found = await obstaclesOf(
    {
      guard: { inspect },
      tools: { known: async () => [tool], grantsFor: async () => [] },
      analyses: {
        show: async (id: string) =>
          id === 'ie-paye' ? ok(paye) : { ok: false, problem: problem('not-found', 'No such.', 'Look.') },
      },
      whyNowhere: (wishes: (typeof wanted)[number]) => {
        wanted.push(wishes)
        return wishes.risk === 'high' ? problem('sandbox.unavailable', 'Only a jail here.', 'Install.') : null
      },
    } as never,
    {} as Caller,
    planned,
  )
  const told = planned.map(({ name }, at) => [name, found[at]?.map(each => [each.input, each.problem.message])])
  expect(Object.fromEntries(told)).toEqual({
    plain: [],
    same: [],
    risky: [[null, 'Only a jail here.']],
    wrong: [[null, 'Line 1 of its code: invalid syntax.']],
    known: [[null, 'Only a jail here.']],
    unknown: [[null, 'The tool burn of ledger has not been accepted.']],
    paye: [],
    bare: [
      ['yaer', 'There is no input called yaer. Did you mean year?'],
      [null, 'year is missing.'],
    ],
    typed: [['salary', 'salary is read from number or text, but plain.rows is list.']],
    fits: [],
    none: [[null, 'No such.']],
    ask: [['tax', expect.stringContaining('tax is taken from paye.tax, but paye has no output tax. It has net, ')]],
    list: [['net', 'net is to be list, but paye.net is text.']],
  })
  expect(wanted).toContainEqual({ risk: 'low', placement: { isolation: 'container' } })
  // The same code is read once.
  expect(inspected.filter(code => code === '1')).toHaveLength(1)
})

it('a reference to an analysis of the catalogue may be of the types that its worked examples show', async () => {
  const analyses = createAnalyses({ catalogue: openCatalogue(temporaryFolder()) } as never)
  const kindOf = (value: unknown) =>
    typeof value === 'string' ? 'text' : Array.isArray(value) ? 'list' : (typeof value as ValueType)
  const wrong: string[] = []
  let count = 0
  for (const { id } of (await analyses.list()).entries) {
    const shown = await analyses.show(id)
    if (!shown.ok) throw new Error(shown.problem.message)
    const outputs = outputsOfAnalysis(shown.value)
    for (const { output = {}, tolerance } of shown.value.examples) {
      // Within a tolerance a number stands for the text of a decimal.
      if (tolerance !== undefined) continue
      for (const [name, value] of Object.entries(output)) {
        count++
        if (value !== null && !outputs[name]?.includes(kindOf(value))) wrong.push(`${id}.${name}: ${kindOf(value)}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(200)
})
