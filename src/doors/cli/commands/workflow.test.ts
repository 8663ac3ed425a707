import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../contract/ids.ts'
import { openEngine } from '../../../engine/engine.ts'
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
  const blockImport = async (...imports: string[]) => {
    const engine = await openEngine({ home: cwd, env: {}, pool: 0 })
    const { policy, version } = await engine.approval.policy.current()
    await engine.approval.policy.save({ ...policy, blocked: { violations: [], imports } }, engine.caller.user, version)
    await engine.close()
  }
  /** Rea, for whom Vera has vouched. */
  const people = async () => {
    const engine = await openEngine({ home: cwd, env: {}, pool: 0 })
    const { identities } = engine.approval
    const [vera, rea] = await Promise.all(
      ['Vera', 'Rea'].map(async name => {
        write(`${name}.txt`, `passphrase of ${name}\n`)
        const made = await identities.create(engine.caller.tenant, { name, passphrase: `passphrase of ${name}` }, null)
        if (!made.ok) throw new Error(made.problem.message)
        return made.value.id
      }),
    )
    const reviewer = await identities.logIn(vera as UserId, 'passphrase of Vera')
    if (!reviewer.ok) throw new Error(reviewer.problem.message)
    expect((await identities.vouch(reviewer.value, rea as UserId)).ok).toBe(true)
    const all = await identities.list(engine.caller.tenant)
    await engine.close()
    return { whoStarted: all.find(({ id }) => id === engine.caller.user)?.name }
  }
  const newPath = async () => {
    const engine = await openEngine({ home: cwd, env: {}, pool: 0 })
    const made = await engine.conversations.create(engine.caller, { title: 'A path' })
    await engine.close()
    if (!made.ok) throw new Error(made.problem.message)
    return made.value.conversation.main
  }
  return { write, workflow, blockImport, people, newPath }
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
    const { write, workflow, newPath } = bench()
    const placement = '{ kind: local, isolation: microvm }'
    write('graph.yaml', `name: x\ntasks:\n  a:\n    { ${task}, placement: ${placement} }\n`)
    const told = await workflow(['run', 'graph.yaml']).catch(error => error.message)
    expect(await workflow(['check', 'graph.yaml'])).toMatchObject({ code: 0 })
    expect(await workflow(['check', 'graph.yaml'], { path: await newPath() })).toMatchObject({
      code: 1,
      out: expect.stringContaining('graph.yaml:4: a: The placement'),
    })
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

  it('stops at a task that ends at its time limit', async () => {
    const { write, workflow } = bench()
    write(
      'graph.yaml',
      'name: x\ntasks:\n  a: { type: code_execution, language: python, code: "import time; time.sleep(100)", timeoutSeconds: 1 }\n',
    )
    expect(await workflow(['run', 'graph.yaml'])).toMatchObject({ code: 1, out: expect.stringContaining('TimeLimit') })
  })

  it('goes on with one that failed, without doing again what is over, and runs again from a task', async () => {
    const { write, workflow, blockImport } = bench()
    const task = (code: string, needs: string) =>
      `{ type: code_execution, language: python, code: '${code}', needs: [${needs}] }`
    const written = task('open("a.txt", "w").close()', '')
    write('graph.yaml', `name: x\ntasks:\n  a: ${written}\n  b: ${task('import wave', 'a')}\n`)
    const viewOf = async (action: string, values = {}) => {
      const { code, out } = await workflow([action, 'graph.yaml'], { json: true, ...values })
      const { id, state, tasks } = JSON.parse(out)
      return { code, id, state, runs: tasks.map(({ run }: { run: string }) => run) }
    }
    await blockImport('wave')
    const failed = await viewOf('run')
    expect(failed).toMatchObject({ code: 1, state: 'failed' })
    await blockImport()
    const resumed = await viewOf('resume')
    expect(resumed).toMatchObject({ code: 0, state: 'completed', id: failed.id })
    expect(resumed.runs[0]).toBe(failed.runs[0])
    expect(resumed.runs[1]).not.toBe(failed.runs[1])
    const again = await viewOf('again', { from: 'b' })
    expect(again).toMatchObject({ code: 0, state: 'completed' })
    expect(again.id).not.toBe(failed.id)
    expect(again.runs[1]).not.toBe(resumed.runs[1])
    await expect(workflow(['again', 'graph.yaml'])).rejects.toThrow('--from')
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
    await workflow(['run', 'graph.yaml'])
    expect(JSON.parse((await workflow(['abort', 'graph.yaml'], { json: true })).out)).toMatchObject({
      state: 'aborted',
      undoing: { dropped: ['kept.txt'], lasting: [] },
    })
  })

  it('shows what a workflow asks, and takes the signed answer of somebody else', async () => {
    const { write, workflow, people } = bench()
    const { whoStarted } = await people()
    write(
      'graph.yaml',
      `name: Ask
tasks:
  best:
    type: code_execution
    language: python
    candidates: 2
    choose: reviewer
    code: |
      import json
      at = json.load(open("inputs.json"))["candidate"]
      json.dump({"loss": 10 + at}, open("outputs.json", "w"))
      open(f"candidate-{at}.txt", "w").write("x")
    outputs: { loss: number }
  ask:
    type: approval
    question: "Is the loss plausible?\\nSee the manual. \\u001b[2J"
    inputs: { loss: { from: best.loss, type: number } }
`,
    )
    const run = await workflow(['run', 'graph.yaml'])
    expect(run).toMatchObject({ code: 3, out: expect.stringContaining('best asks somebody else: which of its') })
    expect(run.out).toContain('1: {"loss":11} writes candidate-1.txt')
    expect(run.out).toMatch(/answer \S+ --task best --as NAME --approve --candidate N/)
    const answer = (values: object) => workflow(['answer', 'graph.yaml'], { ...values })
    expect(await answer({})).toMatchObject({ code: 3, out: expect.stringContaining('1: {"loss":11}') })

    const rea = { as: 'rea', 'passphrase-file': 'Rea.txt' }
    expect(await answer({ as: whoStarted, approve: true, candidate: '1' })).toMatchObject({
      code: 3,
      err: expect.stringContaining('Whoever started a workflow does not decide in it.'),
    })
    const unknown = { as: 'vera', 'passphrase-file': 'Vera.txt', approve: true, candidate: '1' }
    expect(await answer(unknown)).toMatchObject({ code: 3, err: expect.stringContaining('vouched for you') })
    await expect(answer({ ...rea, 'passphrase-file': 'Vera.txt', approve: true })).rejects.toThrow('passphrase of Rea')
    await expect(answer({ ...rea, approve: true, candidate: '7' })).rejects.toThrow('no such candidate')
    const chosen = await answer({ ...rea, approve: true, candidate: '1' })
    expect(chosen).toMatchObject({ code: 3, out: expect.stringContaining('completed best') })
    // What would redraw the terminal is shown in place of doing so.
    expect(chosen.out).toContain('ask asks somebody else: Is the loss plausible?\n  See the manual. ␛[2J\n  loss: 11\n')

    await expect(answer({ ...rea, deny: true })).rejects.toThrow('A no needs a reason')
    expect(JSON.parse((await answer({ json: true })).out)).toMatchObject({ name: 'ask', given: { loss: 11 } })
    const done = await answer({ ...rea, approve: true, comment: 'it is', task: 'ask' })
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Ask: completed') })
    await expect(answer({ ...rea, approve: true })).rejects.toThrow('asks nothing')
  })

  it.each([
    [{ approve: true, deny: true, as: 'x' }, 'not both'],
    [{ approve: true }, '--as NAME'],
    [{ as: 'x' }, '--approve or --deny'],
    [{ approve: true, as: 'x', candidate: 'b' }, '--candidate wants'],
  ])('asks for an answer that can be understood: %j', async (values, words) => {
    await expect(bench().workflow(['answer', 'graph.yaml'], values as never)).rejects.toThrow(words)
  })
})
