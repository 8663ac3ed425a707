import { expect, it } from 'vitest'
import type { WantedPlace } from './contract/placement.ts'
import { ok, problem } from './contract/problem.ts'
import type { RiskLevel } from './contract/run.ts'
import type { Caller } from './conversations/conversations.ts'
import { parseGraph } from './workflow/workflow.ts'
import { obstaclesOf } from './workflows.ts'

const source = `name: Mixed
tasks:
  plain: { type: code_execution, language: python, code: "1", outputs: { x: number } }
  same: { type: code_execution, language: python, code: "1", placement: { isolation: container }, outputs: { x: number } }
  risky: { type: code_execution, language: python, code: "rm" }
  wrong: { type: code_execution, language: python, code: "1 +" }
  known: { type: mcp_tool, server: ledger, tool: post }
  unknown: { type: mcp_tool, server: ledger, tool: burn }
  paye: { type: analysis, analysis: ie-paye, inputs: { year: { value: 2025 }, income: { from: plain.x } } }
  bare: { type: analysis, analysis: ie-paye, inputs: { yaer: { value: 1 }, income: { from: same.x } } }
  none: { type: analysis, analysis: no-such }
  ask: { type: approval, question: Go on? }
`

it('what a task would be refused for is known before the start, by what its code really is', async () => {
  const parsed = parseGraph(source)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const { tasks } = parsed.graph.spec
  const planned = Object.entries(tasks).map(([name, task]) => {
    return { name, task, wanted: parsed.graph.placements.get(name)?.wanted }
  })
  const number = { type: 'number', label: 'A number' }
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
          id === 'ie-paye'
            ? ok({ code: 'paye', definition: { inputs: { year: number, income: number } } })
            : { ok: false, problem: problem('not-found', 'No such.', 'Look.') },
      },
      whyNowhere: (wishes: (typeof wanted)[number]) => {
        wanted.push(wishes)
        return wishes.risk === 'high' ? problem('sandbox.unavailable', 'Only a jail here.', 'Install.') : null
      },
    } as never,
    {} as Caller,
    planned,
  )
  expect(Object.fromEntries(planned.map(({ name }, at) => [name, found[at]?.message ?? null]))).toEqual({
    plain: null,
    same: null,
    risky: 'Only a jail here.',
    wrong: 'Line 1 of its code: invalid syntax.',
    known: 'Only a jail here.',
    unknown: 'The tool burn of ledger has not been accepted.',
    paye: null,
    bare: 'There is no input called yaer. Did you mean year? year is missing.',
    none: 'No such.',
    ask: null,
  })
  expect(wanted).toContainEqual({ risk: 'low', placement: { isolation: 'container' } })
  // The same code is read once.
  expect(inspected.filter(code => code === '1')).toHaveLength(1)
})
