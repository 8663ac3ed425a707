import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { call, folder } from './call.testing.ts'
import { command } from './workflow.ts'

const graph = `
name: Totals
tasks:
  load:
    type: code_execution
    language: python
    code: |
      import csv, json
      total = sum(float(row["amount"]) for row in csv.DictReader(open("in.csv")))
      json.dump({"total": total}, open("outputs.json", "w"))
    outputs: { total: number }
    placement: { kind: local }
  double:
    type: code_execution
    language: python
    inputs: { total: { from: load.total, type: number }, text: { value: "'); import os #" } }
    code: |
      import json
      given = json.load(open("inputs.json"))
      json.dump({"twice": given["total"] * 2}, open("outputs.json", "w"))
      open("twice.txt", "w").write(str(given["total"] * 2))
    outputs: { twice: number }
  tax:
    type: analysis
    analysis: hhi
    inputs: { shares_percent: { value: [50, 30, 20] } }
    needs: [load]
  best:
    type: code_execution
    language: python
    needs: [load]
    candidates: 3
    choose: { largest: score }
    code: |
      import json
      at = json.load(open("inputs.json"))["candidate"]
      json.dump({"score": -abs(at - 1)}, open("outputs.json", "w"))
      open(f"candidate-{at}.txt", "w").write("x")
    outputs: { score: number }
`

function bench() {
  const cwd = folder()
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  const workflow = (positionals: string[], values = {}) => call(command, values, positionals, '', cwd)
  return { write, workflow }
}

describe('countersign workflow', () => {
  it('runs a graph in sandboxes, hands results on as data and leaves the chosen files', async () => {
    const { write, workflow } = bench()
    write('graph.yaml', graph)
    write('in.csv', 'amount\n1.5\n2\n')
    const done = await workflow(['run', 'graph.yaml'], { put: ['in.csv'], json: true })
    const view = JSON.parse(done.out)
    expect(done.code).toBe(0)
    expect(view.tasks.map((task: { name: string; outputs: object }) => [task.name, task.outputs])).toEqual([
      ['load', { total: 3.5 }],
      ['best', { score: 0 }],
      ['double', { twice: 7 }],
      ['tax', expect.objectContaining({ hhi: expect.anything() })],
    ])
    expect(view.tasks.flatMap((task: { written: string[] }) => task.written)).toEqual(['candidate-1.txt', 'twice.txt'])
    const status = await workflow(['status', 'graph.yaml'])
    expect(status.out).toContain('Totals: completed')
    expect(status.out).toContain('load (code_execution, local)')
    await expect(workflow(['abort', 'graph.yaml'])).rejects.toThrow('completed')
  })

  it('says what is wrong with a graph on its line, and starts nothing', async () => {
    const { write, workflow } = bench()
    write('bad.yaml', 'name: x\ntasks:\n  a: { type: approval, question: q, needs: [b] }\n')
    const checked = await workflow(['check', 'bad.yaml'])
    expect(checked).toMatchObject({ code: 1, out: expect.stringContaining('bad.yaml:3: a needs b') })
    expect(await workflow(['run', 'bad.yaml']).catch(error => error.message)).toContain('Line 3')
    await expect(workflow(['status', 'bad.yaml'])).rejects.toThrow('no workflow was started')
  })

  it.each([
    ['code', 'type: code_execution, language: python, code: "1"'],
    ['an analysis', 'type: analysis, analysis: hhi, inputs: { shares_percent: { value: [100] } }'],
    ['a tool', 'type: mcp_tool, server: ledger, tool: post'],
  ])('starts nothing where a placement of %s cannot be had on this machine', async (_what, task) => {
    const { write, workflow } = bench()
    const placement = '{ kind: local, isolation: microvm }'
    write('graph.yaml', `name: x\ntasks:\n  a:\n    { ${task}, placement: ${placement} }\n`)
    const told = await workflow(['run', 'graph.yaml']).catch(error => error.message)
    expect(told).toContain('Line 4: a: The placement (local, at least microvm) cannot be had here: local gives')
    await expect(workflow(['status', 'graph.yaml'])).rejects.toThrow('no workflow was started')
  })

  it('prints what tasks print as it comes, under their names and without a word to the terminal itself', async () => {
    const { write, workflow } = bench()
    const code = 'import sys\nprint("half", end="")\nprint(" a line")\nprint("\\x1b[2Jaside\\x07", file=sys.stderr)'
    const task = (text: string) => JSON.stringify({ type: 'code_execution', language: 'python', code: text })
    const chatty = task('for n in range(300): print(n)\nprint("end", end="")')
    write('graph.yaml', `name: x\ntasks:\n  a: ${task(code)}\n  b: ${chatty}\n`)
    const { err, out } = await workflow(['run', 'graph.yaml'])
    const lines = err.split('\n')
    expect(lines).toContain('  a | half a line')
    expect(lines).toContain('  a | aside')
    expect(lines.filter(line => line.startsWith('  b | '))).toHaveLength(201)
    expect(lines.find(line => line.startsWith('running   a'))).toBeDefined()
    expect(lines.find(line => line.startsWith('completed a'))).toBeDefined()
    expect(out).not.toContain(' | ')
  })

  it('fails with the reason of the code, and leaves nothing behind', async () => {
    const { write, workflow } = bench()
    const task = (code: string, needs: string) =>
      `{ type: code_execution, language: python, code: '${code}', needs: [${needs}] }`
    write(
      'graph.yaml',
      `name: x\ntasks:\n  a: ${task('open("kept.txt", "w").close()', '')}\n  b: ${task('1/0', 'a')}\n`,
    )
    const failed = await workflow(['run', 'graph.yaml'])
    expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('ZeroDivisionError') })
    const aborted = await workflow(['abort', 'graph.yaml'])
    expect(aborted.out).toContain('Dropped: kept.txt. The files of the path are as they were.')
  })
})
