import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { RequestId, UserId } from '../contract/ids.ts'
import type { PathFiles } from '../files/files.ts'
import { testIds } from '../sandbox/testing.ts'
import { type Act, ana, bea, bench, graph, ref, started, stateOf, task } from './testing.ts'

const as = (change: object) => ({ ...bea, ...change })

describe('a workflow that waits', () => {
  it('rests while a run waits for a reviewer, also over a restart', async () => {
    const request = testIds.make(RequestId)
    const { open, ended, performed } = await bench({ a: () => ({ type: 'waiting', request }) })
    const first = open()
    const id = await started(first, graph({ a: task([]), b: task(['a']) }))
    const waiting = await stateOf(first, id)
    expect(waiting).toMatchObject({ state: 'waiting', tasks: [{ state: 'waiting', request }, { state: 'pending' }] })
    await first.close()

    const second = open()
    await second.recover()
    await second.rest(id)
    expect((await stateOf(second, id)).state).toBe('waiting')
    const run = waiting.tasks[0]?.run
    if (!run) throw new Error('no run')
    ended.set(run, { type: 'completed', outputs: { x: 1 }, changes: { written: [], removed: [] } })
    second.runEnded(run)
    await expect.poll(async () => (await stateOf(second, id)).state).toBe('completed')
    expect(performed).toEqual(['a', 'b'])
  })

  it('asks somebody other than who started it', async () => {
    const { open } = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = open()
    const id = await started(workflows, graph({ ask: '{ type: approval, question: "Go on?" }', b: task(['ask']) }))
    const decision = { approve: true, comment: 'looked at it' }
    expect(await workflows.decide(as({ user: ana.user }), id, 'ask', decision)).toMatchObject({
      ok: false,
      problem: { code: 'approval.four-eyes' },
    })
    // Whoever started it could have made these up.
    for (const forged of [as({ protected: false }), as({ vouchedBy: [] }), as({ vouchedBy: [ana.user] })])
      expect(await workflows.decide(forged, id, 'ask', decision)).toMatchObject({
        problem: { code: 'approval.four-eyes' },
      })
    await workflows.decide(bea, id, 'ask', decision)
    await workflows.rest(id)
    expect(await stateOf(workflows, id)).toMatchObject({
      state: 'completed',
      tasks: [{ outputs: { approved: true } }, {}],
    })
    expect(await workflows.decide(bea, id, 'ask', decision)).toMatchObject({
      ok: false,
      problem: { code: 'approval.decided' },
    })
  })

  it.each([
    ['a yes', "update workflow_tasks set state = 'completed', outputs = '{\"approved\":true}' where task = 'ask'"],
    ['a result', "update workflow_tasks set outputs = '{\"x\":2}' where task = 'first'"],
    ['another program', 'update workflows set source = replace(source, \'code: "1"\', \'code: "2"\')'],
    ['another person who started it', "update workflows set started_by = '01900000-0000-7000-8000-0000000000cc'"],
    ['the question taken out', "delete from workflow_tasks where task = 'ask'"],
    ['a result that cannot be read', "update workflow_tasks set outputs = '{' where task = 'first'"],
    ['a list of files that cannot be read', "update workflows set base = '['"],
    ['a text that is no graph', "update workflows set source = 'tasks: 1'"],
  ])('goes no further with %s that was written into the database', async (_, edit) => {
    const kit = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = kit.open()
    const ask = '{ type: approval, question: "Go on?", needs: [first] }'
    const id = await started(workflows, graph({ first: task([]), ask, b: task(['ask']) }))
    await kit.storage.write(t => sql.raw(edit).execute(t))
    const refused = { ok: false, problem: { code: 'workflow.edited' } }
    expect(await workflows.decide(bea, id, 'ask', { approve: true, comment: '' })).toMatchObject(refused)
    expect(await workflows.resume(ana, id)).toMatchObject(refused)
    const next = kit.open()
    await next.recover()
    await next.rest(id)
    expect(kit.performed).toEqual(['first', 'ask'])
    expect(kit.problems.join()).toContain('was edited in the database')
    expect(await next.list(ana, null)).toMatchObject([{ id }])
    expect(await stateOf(next, id)).toMatchObject({ state: 'failed', problem: { code: 'workflow.edited' } })
    expect((await next.abort(ana, id)).ok).toBe(true)
    expect((await stateOf(next, id)).state).toBe('aborted')
  })

  it('ends with a no, which is not asked again', async () => {
    const { open, performed } = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = open()
    const id = await started(workflows, graph({ ask: '{ type: approval, question: "Go on?" }', b: task(['ask']) }))
    expect((await workflows.decide(bea, id, 'ask', { approve: false, comment: 'not yet' })).ok).toBe(true)
    await workflows.rest(id)
    expect(await stateOf(workflows, id)).toMatchObject({
      state: 'failed',
      problem: { code: 'approval.denied', message: 'ask was denied: not yet' },
      tasks: [{ state: 'failed' }, { state: 'pending' }],
    })
    expect(performed).toEqual(['ask'])
    const yes = await workflows.decide(bea, id, 'ask', { approve: true, comment: '' })
    expect(yes).toMatchObject({ problem: { code: 'approval.decided' } })
  })

  it('asks for a reason with a no', async () => {
    const { open } = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = open()
    const id = await started(workflows, graph({ ask: '{ type: approval, question: "Go on?" }' }))
    expect(await workflows.decide(bea, id, 'ask', { approve: false, comment: ' ' })).toMatchObject({
      problem: { code: 'request.invalid' },
    })
    expect((await stateOf(workflows, id)).state).toBe('waiting')
  })

  it('puts the signature of an answer on the record, with a hash of the figures that were asked about', async () => {
    const answered = async (x: number) => {
      const first: Act = () => ({ type: 'completed', outputs: { x }, changes: { written: [], removed: [] } })
      const { open, audit } = await bench({ first, ask: () => ({ type: 'waiting', request: null }) })
      const workflows = open()
      const ask = '{ type: approval, question: "Plausible?", inputs: { x: { from: first.x }, limit: { value: 9 } } }'
      const id = await started(workflows, graph({ first: task([]), ask }))
      expect((await stateOf(workflows, id)).tasks[1]).toMatchObject({ question: 'Plausible?', given: { x, limit: 9 } })
      expect((await workflows.decide(bea, id, 'ask', { approve: true, comment: 'they are' })).ok).toBe(true)
      await workflows.rest(id)
      const { items } = await audit.query({ filter: { actions: ['workflow.decided'] } })
      expect(items).toHaveLength(1)
      const { actor, details } = items[0]?.entry ?? {}
      expect({ actor, details }).toMatchObject({
        actor: bea.user,
        details: { task: 'ask', approved: true, comment: 'they are', signature: 'bea: approve' },
      })
      return (details as { subject: string }).subject
    }
    const [one, two, oneAgain] = [await answered(1), await answered(2), await answered(1)]
    expect(one).toBe(oneAgain)
    expect(two).not.toBe(one)
  })

  it('takes one answer of two that come at once', async () => {
    const { open } = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = open()
    const id = await started(workflows, graph({ ask: '{ type: approval, question: "Go on?" }', b: task(['ask']) }))
    const cleo = as({ user: testIds.make(UserId) })
    const answers = await Promise.all([
      workflows.decide(bea, id, 'ask', { approve: false, comment: 'no' }),
      workflows.decide(cleo, id, 'ask', { approve: true, comment: 'yes' }),
    ])
    expect(answers.map(each => (each.ok ? 'ok' : each.problem.code)).sort()).toEqual(['approval.decided', 'ok'])
    await workflows.rest(id)
    expect((await stateOf(workflows, id)).state).toBe(answers[0]?.ok ? 'failed' : 'completed')
  })

  it('takes a choice between candidates that were kept without numbers, by their place', async () => {
    const candidates = [1, 2].map(x => ({ outputs: { x }, changes: { written: [], removed: [] } }))
    const { open } = await bench({ a: () => ({ type: 'waiting', request: null, outputs: { candidates } }) })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([], ', candidates: 2, choose: reviewer') }))
    expect((await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 2 })).ok).toBe(false)
    expect((await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 1 })).ok).toBe(true)
    await workflows.rest(id)
    expect((await stateOf(workflows, id)).tasks[0]).toMatchObject({ state: 'completed', outputs: { x: 2 } })
  })

  it('keeps the candidate that a reviewer chooses, and nothing of the others', async () => {
    const candidate = (files: PathFiles) => async (at: number) => ({
      number: at,
      outputs: { x: at },
      changes: { written: [await files.add(`c${at}`, Buffer.from(String(at)))], removed: [] },
    })
    const { open, files } = await bench({
      a: async (_attempt, kept) => ({
        type: 'waiting',
        request: null,
        outputs: { candidates: await Promise.all([0, 1].map(candidate(kept))) },
      }),
    })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([], ', candidates: 2, choose: reviewer') }))
    expect((await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 9 })).ok).toBe(false)
    await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 1 })
    await workflows.rest(id)
    expect((await files.head(ref)).map(file => file.path)).toEqual(['c1'])
  })
})
