import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fakeProvider } from '../chat/fake-provider.testing.ts'
import { ManualClock } from '../clock.testing.ts'
import { systemClock } from '../clock.ts'
import type { PathId } from '../contract/ids.ts'
import { SandboxId, TenantId } from '../contract/ids.ts'
import { openEngine } from '../engine/engine.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore } from '../keystore.ts'
import { openToEdit } from '../mutation.testing.ts'
import { openTableSeals } from '../row-seal.ts'
import { startPeer } from '../sandbox/e2b/testing/peer.testing.ts'
import { temporaryFolder, temporaryStorage } from '../storage/testing.ts'
import { allowance, limitsOf, monthOf } from './allowance.ts'
import { Meter } from './meter.ts'

const email = 'jane.doe@bank.example.ie'
const ids = uuidV7(systemClock)
const hour = 3_600_000

/** The whole application with the service on loopback, and a path with a private value in its code. */
async function atService(changes: { policy?: object; env?: NodeJS.ProcessEnv; home?: string } = {}) {
  const peer = await startPeer()
  const home = changes.home ?? join(temporaryFolder(), 'home')
  const open = () => openEngine({ home, env: { ...peer.env, ...changes.env }, pool: 0 })
  let engine = await open()
  onTestFinished(async () => {
    await engine.close()
    await peer.close()
  })
  const { version } = await engine.approval.policy.current()
  await engine.approval.policy.save({ cloud: true, ...changes.policy }, engine.caller.user, version)
  const who = engine.caller
  const made = await engine.conversations.create(who, { title: 'Rates' })
  if (!made.ok) throw new Error(made.problem.message)
  const path = made.value.conversation.main
  const cell = async (text: string, at: PathId = path) => {
    const inserted = await engine.conversations.insert(who, {
      path: at,
      items: [{ kind: 'cell', author: 'analyst', language: 'python', text }],
    })
    const item = inserted.ok ? inserted.value[0] : null
    if (item?.kind !== 'cell') throw new Error('no cell')
    return item
  }
  const run = async (text: string, at: PathId = path) => {
    const item = await cell(text, at)
    const started = await engine.runs.start(who, { path: at, cell: item.id, revision: item.revision })
    if (!started.ok) throw new Error(started.problem.message)
    const view = await started.value.rest
    return view
  }
  return {
    peer,
    path,
    who,
    cell,
    run,
    get engine() {
      return engine
    },
    async restart() {
      await engine.close()
      engine = await open()
    },
  }
}

it('a path goes to the cloud only when policy and person allow it; what left is listed, and it can be taken back', async () => {
  const kit = await atService()
  const { peer, path, who, run } = kit
  const { engine } = kit
  await kit.cell(`owner = "${email}"`)
  expect(await engine.sandboxes.move(who, { path, kind: 'e2b' })).toMatchObject({
    problem: { code: 'cloud.not-allowed' },
  })
  expect(peer.requests.filter(({ method }) => method === 'POST')).toEqual([])

  const preview = await engine.cloud.preview(who, path)
  expect(preview).toMatchObject({
    value: { service: 'e2b.app', missing: null, consent: null, cells: 1, mode: 'enforce', found: { EMAIL: 1 } },
  })
  expect(JSON.stringify(preview)).not.toContain(email)
  expect(await engine.cloud.allow({ ...who, assistant: 'model' }, path)).toMatchObject({ ok: false })
  expect(await engine.cloud.allow(who, path)).toMatchObject({ value: { service: 'e2b.app', givenBy: who.user } })
  expect(await engine.sandboxes.move(who, { path, kind: 'e2b' })).toMatchObject({ value: { sandbox: { kind: 'e2b' } } })

  const view = await run(`owner = "${email}"\nprint(owner)`)
  expect(view.outcome).toMatchObject({ success: true, sandbox: 'e2b', isolation: 'cloud', stdout: `${email}\n` })
  expect(JSON.stringify(peer.requests)).not.toContain(email)
  const left = await engine.privacy.departures()
  expect(left.some(({ destination }) => destination === 'cloud-sandbox')).toBe(true)

  const state = await engine.cloud.state(who)
  expect(state).toMatchObject({
    key: 'environment',
    figures: { sandboxes: 1, awake: 1 },
    consents: [{ path, title: 'Rates' }],
  })
  expect(JSON.stringify(state)).not.toContain(peer.env.E2B_API_KEY)
  expect(await engine.cloud.revoke(who, path)).toMatchObject({ ok: true })
  expect(peer.boxes()).toEqual([])
  expect((await run('print(1)')).outcome?.sandbox).toBe('local')
  const actions = (await engine.audit.query({ filter: { actions: ['cloud.allowed', 'cloud.revoked'] } })).items
  expect(actions.map(({ entry }) => entry.action)).toEqual(['cloud.revoked', 'cloud.allowed'])
  expect(await engine.audit.verify()).toMatchObject({ ok: true })
})

it('tasks of a workflow go to the cloud where their path may, and come back with the word that let them', async () => {
  const { engine, peer, path, who } = await atService()
  const graph = (code: string) => `name: Away
tasks:
  far: { type: code_execution, language: python, code: ${JSON.stringify(code)}, placement: { kind: e2b } }
  shared: { type: code_execution, language: python, code: "1", needs: [far], sandbox: shared, placement: { kind: e2b } }
  paye: { type: analysis, analysis: hhi, needs: [far], inputs: { shares_percent: { value: [50, 50] } }, placement: { kind: e2b } }
  near: { type: code_execution, language: python, code: "1", needs: [shared] }
`
  expect(await engine.workflows.start(who, path, graph('1'))).toMatchObject({
    ok: false,
    problem: { message: expect.stringMatching(/^Line 3: far: .*Nobody has let this path go to the cloud/) },
  })
  expect(peer.requests.filter(({ method }) => method === 'POST')).toEqual([])

  await engine.cloud.allow(who, path)
  const started = await engine.workflows.start(who, path, graph('open("far.txt", "w").write("here")'))
  if (!started.ok) throw new Error(started.problem.message)
  await engine.workflows.rest(started.value.id)
  const over = await engine.workflows.get(who, started.value.id)
  expect(over).toMatchObject({ value: { state: 'completed' } })
  const runs = (await engine.audit.query({ filter: { actions: ['run.finished'] } })).items
  const kinds = runs.map(({ entry }) => (entry.details as { sandbox?: string }).sandbox)
  expect(kinds.toSorted()).toEqual(['e2b', 'e2b', 'e2b', 'local'])
  expect(peer.boxes()).toEqual([])

  // What is under way there ends when the word is taken back.
  const there = new Promise<void>(resolve =>
    engine.events.listen(event => {
      if (event.type === 'run.output' && JSON.stringify(event).includes('there')) resolve()
    }),
  )
  const slow = await engine.workflows.start(
    who,
    path,
    graph('print("there", flush=True)\nimport time\ntime.sleep(600)'),
  )
  if (!slow.ok) throw new Error(slow.problem.message)
  await there
  expect(peer.boxes()).toHaveLength(1)
  await engine.cloud.revoke(who, path)
  await engine.workflows.rest(slow.value.id)
  expect(await engine.workflows.get(who, slow.value.id)).toMatchObject({ value: { state: 'failed' } })
  expect(peer.boxes()).toEqual([])
})

it('neither the settings nor the risk of code choose the cloud for a path that nobody let go there', async () => {
  const kit = await atService({ env: { SANDBOX_TYPE: 'e2b' } })
  const view = await kit.run('print(1)')
  expect(view.outcome?.sandbox).toBe('local')
  expect(JSON.stringify(view)).toContain('Nobody has let this path go to the cloud')
  await kit.engine.cloud.allow(kit.who, kit.path)
  const branched = await kit.engine.branch(kit.who, { path: kit.path, after: null, name: 'other' })
  if (!branched.ok) throw new Error(branched.problem.message)
  expect((await kit.run('print(1)', branched.value.id)).outcome?.sandbox).toBe('local')
  expect(kit.peer.requests.filter(({ method }) => method === 'POST')).toEqual([])
})

it('a closed application leaves the sandbox paused, and the next one goes on with its variables', async () => {
  const kit = await atService()
  await kit.engine.cloud.allow(kit.who, kit.path)
  await kit.engine.sandboxes.move(kit.who, { path: kit.path, kind: 'e2b' })
  await kit.run('kept = 5')
  await kit.restart()
  expect(kit.peer.boxes()).toMatchObject([{ state: 'paused' }])
  const ref = { tenant: kit.who.tenant, path: kit.path, conversation: await located(kit) }
  expect((await kit.engine.contexts.status(ref)).state).toBe('paused')
  const view = await kit.run('print(kept)')
  expect(view.outcome).toMatchObject({ stdout: '5\n', sandbox: 'e2b', warnings: [] })
  const branched = await kit.engine.branch(kit.who, {
    path: kit.path,
    after: null,
    name: 'with state',
    withState: true,
  })
  if (!branched.ok) throw new Error(branched.problem.message)
  expect((await kit.run('print(kept + 1)', branched.value.id)).outcome).toMatchObject({ stdout: '6\n', sandbox: 'e2b' })
  expect((await kit.engine.cloud.state(kit.who)).consents).toMatchObject([{}, { branchedFrom: kit.path }])
})

it('a limit that is reached stops the next run with a sentence', async () => {
  const kit = await atService({ policy: { cloudLimits: { sandboxesPerMonth: 1 } } })
  await kit.engine.cloud.allow(kit.who, kit.path)
  const moved = await kit.engine.sandboxes.move(kit.who, { path: kit.path, kind: 'e2b' })
  expect(moved).toMatchObject({ ok: true })
  const view = await kit.run('print(1)')
  expect(view.outcome?.error?.message).toContain('1 of 1 sandboxes')
})

it('a service that fails costs one request its sandbox; a machine that is lost is made anew, and the person is told', async () => {
  const kit = await atService()
  await kit.engine.cloud.allow(kit.who, kit.path)
  await kit.engine.sandboxes.move(kit.who, { path: kit.path, kind: 'e2b' })
  const slow = await kit.run('kept = 5\nraise TimeoutError("of the code itself")')
  expect(slow.outcome?.error).toMatchObject({ kind: 'runtime' })
  expect((await kit.run('print(kept)')).outcome?.stdout).toBe('5\n')
  await kit.peer.loseAll()
  const lost = await kit.run('print(1)')
  expect(lost.outcome).toMatchObject({ success: false, error: { kind: 'sandbox', name: 'SandboxLost' } })
  for (const [fault, sentence] of [
    [{ status: 429 }, 'too many requests'],
    [{ status: 429, message: 'maximum number of concurrent sandboxes' }, 'as many cloud sandboxes'],
    [{ status: 500 }, 'service failed'],
  ] as const) {
    kit.peer.failNext(/POST \/v2\/sandboxes$/, fault)
    const refused = await kit.run('print(1)')
    expect(refused).toMatchObject({ problem: { code: 'context.unavailable' } })
    expect(JSON.stringify(refused)).toContain(sentence)
  }
  const anew = await kit.run('print("kept" in globals())')
  expect(anew.outcome).toMatchObject({ stdout: 'False\n', sandbox: 'e2b' })
  expect(anew.outcome?.warnings.join()).toContain('started in a new one')
})

it('a machine that cannot be made turns the tools off for that answer alone, and the answer goes on', async () => {
  const kit = await atService()
  const { engine, who, path, peer } = kit
  await engine.cloud.allow(who, path)
  await engine.sandboxes.move(who, { path, kind: 'e2b' })
  // The path has none of its own any more: the next run makes one.
  await peer.loseAll()
  await kit.run('print(1)')
  const call = { name: 'run_code', input: { language: 'python', code: 'print(6 * 7)' } }
  const model = await fakeProvider('compatible', [
    { calls: [call] },
    { text: 'No.' },
    { calls: [call] },
    { text: '42.' },
  ])
  onTestFinished(() => model.close())
  const saved = await engine.chat.providers.save(who, {
    ...{ kind: 'compatible', name: 'Fake', baseUrl: model.baseUrl },
    models: [{ id: 'fake-1', windowTokens: 32_000, price: null }],
  })
  if (!saved.ok) throw new Error(saved.problem.message)
  const ask = async () => {
    await engine.chat.ask(who, { path, text: '?', model: { provider: saved.value.id, model: 'fake-1' }, seen: true })
    await engine.chat.idle()
    const view = await engine.chat.open(who, path)
    return view.ok ? view.value.turns.at(-1) : null
  }
  peer.failNext(/POST \/v2\/sandboxes$/, { status: 500 })
  expect(await ask()).toMatchObject({ state: 'done', notices: [expect.stringContaining('service failed')] })
  expect(model.asked.map(({ body }) => 'tools' in body)).toEqual([true, false])
  expect(await ask()).toMatchObject({ state: 'done', notices: [] })
  expect(model.asked.map(({ body }) => 'tools' in body)).toEqual([true, false, true, true])
  expect(JSON.stringify(model.asked[3]?.body)).toContain('42')
})

it('keeps the key in the key store and never in a log, the record or an answer', async () => {
  const kit = await atService({ env: { E2B_API_KEY: '' } })
  const { engine, who } = kit
  expect(await engine.cloud.test(who)).toMatchObject({
    value: { available: false, detail: expect.stringContaining('No key') },
  })
  await engine.cloud.setKey(who, `  ${kit.peer.env.E2B_API_KEY}\n`)
  expect((await engine.cloud.state(who)).key).toBe('stored')
  expect(await engine.cloud.test(who)).toMatchObject({ value: { available: true } })
  const record = JSON.stringify((await engine.audit.query({ limit: 500 })).items)
  expect(record).toContain('"key":"set"')
  expect(record).not.toContain(kit.peer.env.E2B_API_KEY)
  await engine.cloud.setKey(who, '')
  expect((await engine.cloud.state(who)).key).toBe('none')
  const stranger = { ...who, tenant: ids.make(TenantId) }
  expect(await engine.cloud.setKey(stranger, 'x')).toMatchObject({ ok: false })
  expect(await engine.cloud.test(stranger)).toMatchObject({ ok: false })
})

it.each(['delete from cloud_stretches', 'update cloud_stretches set started_at = 0, seen_at = 0, is_over = 1'])(
  'counts a machine of which the record tells, whatever the database says: %s',
  async edit => {
    const home = join(temporaryFolder(), 'home')
    const kit = await atService({ home, policy: { cloudLimits: { sandboxesPerMonth: 1 } } })
    await kit.engine.cloud.allow(kit.who, kit.path)
    expect(await kit.engine.sandboxes.move(kit.who, { path: kit.path, kind: 'e2b' })).toMatchObject({ ok: true })
    const db = openToEdit(join(home, 'countersign.db'))
    db.exec(edit)
    db.close()
    expect((await kit.engine.cloud.state(kit.who)).figures).toMatchObject({ sandboxes: 1 })
    expect(await kit.engine.cloud.meter.allowance(undefined)).toMatchObject({ problem: { code: 'cloud.limit' } })
  },
  60_000,
)

it('counts seconds awake and sandboxes of a tenant by month, and no more than the service can have kept', async () => {
  const clock = new ManualClock()
  clock.set(Date.UTC(2026, 2, 31, 23))
  const storage = await temporaryStorage(clock)
  const [tenant, other] = [ids.make(TenantId), ids.make(TenantId)]
  const meter = new Meter({
    ...{ storage, clock, tenant, makeId: randomUUID, onProblem: () => undefined },
    audit: { query: async () => ({ items: [], next: null }) },
    seal: (await openTableSeals(storage, fileKeyStore(temporaryFolder()))).cloud_stretches,
    limits: async () => ({ hoursPerMonth: 10, sandboxesPerMonth: 10 }),
    awakeMs: async () => 600_000,
  })
  const sandbox = ids.make(SandboxId)
  const first = await meter.begin({ path: undefined, sandbox, begun: 'made' })
  clock.set(clock.now() + 2 * hour)
  await first.over(clock.now())
  // Only what lies in April counts for April.
  expect(await meter.figures(tenant)).toMatchObject({ month: '2026-04', seconds: 3600, sandboxes: 1, awake: 0 })
  await meter.begin({ path: undefined, sandbox, begun: 'resumed' })
  clock.set(clock.now() + 300_000)
  expect(await meter.figures(tenant)).toMatchObject({ seconds: 3900, sandboxes: 1, awake: 1 })
  clock.set(clock.now() + 5 * hour)
  expect(await meter.figures(tenant)).toMatchObject({ seconds: 4200, awake: 0 })
  await meter.left([sandbox])
  expect(await meter.figures(tenant)).toMatchObject({ seconds: 4200, awake: 0 })
  expect(await meter.figures(other)).toMatchObject({ seconds: 0, sandboxes: 0 })
})

it('warns from 80 % of a limit on, and takes the smaller of settings and policy', () => {
  const limits = limitsOf({ hoursPerMonth: 10, sandboxesPerMonth: 5 }, { hoursPerMonth: 2, sandboxesPerMonth: null })
  expect(limits).toEqual({ hoursPerMonth: 2, sandboxesPerMonth: 5 })
  expect(allowance({ seconds: 1.5 * 3600, sandboxes: 3 }, limits)).toEqual({ ok: true, value: [] })
  expect(allowance({ seconds: 1.6 * 3600, sandboxes: 4 }, limits)).toMatchObject({
    value: [expect.stringContaining('1.6 of 2 hours'), expect.stringContaining('4 of 5 sandboxes')],
  })
  expect(allowance({ seconds: 7200, sandboxes: 0 }, limits)).toMatchObject({ problem: { code: 'cloud.limit' } })
  expect(monthOf(Date.UTC(2026, 11, 31))).toEqual({ from: Date.UTC(2026, 11), to: Date.UTC(2027, 0), name: '2026-12' })
})

async function located(kit: Awaited<ReturnType<typeof atService>>) {
  const found = await kit.engine.conversations.locate(kit.who, kit.path)
  if (!found.ok) throw new Error(found.problem.message)
  return found.value
}
