import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { beforeAll, describe, expect, it } from 'vitest'
import { openBundle, verifyBundle } from '../../../resources/verify.mjs'
import { type AuditAction, type AuditScope, auditActions } from '../../contract/audit.ts'
import type { RunView } from '../../contract/runs.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { router } from './router.ts'
import { Session } from './session.ts'

type Client = ReturnType<typeof windowOf>['client']

function windowOf(engine: Engine) {
  const session = new Session(engine)
  return {
    session,
    client: createRouterClient(router, { context: { engine, session, door: 'browser', chooseFolder: null } }),
  }
}

/** The last thing that a stream of work says. */
async function resultOf<T>(steps: Promise<AsyncIterable<{ type: string; result?: T }>>): Promise<T> {
  let result: T | undefined
  for await (const step of await steps) if (step.type === 'done') result = step.result
  if (result === undefined) throw new Error('the stream ended without a result')
  return result
}

async function fetchAll(client: Client, { download, bytes }: { download: string; bytes: number }): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let offset = 0; offset < bytes; offset += 1000) {
    pieces.push(Buffer.from(await client.downloads.piece({ download, offset, length: 1000 }), 'base64'))
  }
  return Buffer.concat(pieces)
}

async function upload(client: Client, name: string, text: string): Promise<string> {
  const { upload: id } = await client.uploads.begin({ name, bytes: Buffer.byteLength(text) })
  await client.uploads.piece({ upload: id, data: Buffer.from(text).toString('base64') })
  return id
}

/** Runs code to its end, or until it waits for a reviewer. */
async function run(engine: Engine, client: Client, request: Parameters<Client['runs']['start']>[0]): Promise<RunView> {
  const resting = new Map<string, RunView>()
  let wake = () => {}
  const stop = engine.events.listen(event => {
    if (event.type !== 'run' || !['finished', 'refused', 'failed', 'waiting'].includes(event.run.state)) return
    resting.set(event.run.run, event.run)
    wake()
  })
  const { run: id } = await client.runs.start(request)
  for (;;) {
    const view = resting.get(id)
    if (view) {
      stop()
      return view
    }
    await new Promise<void>(resolve => (wake = resolve))
  }
}

/** One of everything that a person can do, by the door that people use. */
async function everythingOnce(home: string): Promise<{ calm: RunView; scope: AuditScope }> {
  const engine = await openEngine({ home, env: {}, pool: 0 })
  const { client, session } = windowOf(engine)
  const { conversation } = await client.conversations.create({ title: 'Capital' })
  await client.conversations.rename({ conversation: conversation.id, title: 'Capital review' })
  const path = conversation.main
  const [cell] = await client.paths.insert({
    path,
    items: [{ kind: 'cell', author: 'analyst', language: 'python', text: 'open("out.txt", "w").write("1")' }],
  })
  if (cell?.kind !== 'cell') throw new Error('no cell')
  const edit = { path, item: cell.id, text: 'print("CET1", 11.84)', expectedRevision: cell.revision }
  const edited = await client.paths.edit(edit)
  if (edited.result !== 'saved') throw new Error('not saved')
  const calm = await run(engine, client, { path, cell: cell.id, revision: edited.item.revision })

  const branch = await client.paths.branch({ path, after: cell.id, name: 'stress' })
  await client.paths.rename({ path: branch.id, name: 'stress +200bp' })
  await client.paths.compare({ left: path, right: branch.id })
  const summary = { mode: 'summary', text: 'the same' } as const
  const merged = await client.paths.merge({ source: branch.id, target: path, what: summary })
  await client.paths.undoMerge({ target: path, version: merged.version })
  await client.paths.archive(branch.id)
  await client.paths.restore(branch.id)
  await client.paths.remove(branch.id)
  const exported = await client.paths.export({ path, format: 'ipynb' })
  await client.conversations.importNotebook({ upload: await upload(client, 'n.ipynb', exported.text) })
  for await (const _ of await client.runs.replay(path)) void _

  await client.sandbox.writeFile({ path, file: 'data.csv', upload: await upload(client, 'data.csv', 'a,b\n1,2\n') })
  await client.sandbox.readFile({ path, file: 'data.csv', offset: 0, length: 100 })
  await client.sandbox.end(path)

  const risky = 'import shutil\nshutil.rmtree("out")'
  for (const verdict of ['later', 'deny', 'approve'] as const) {
    const code = `${risky} # ${verdict}`
    const waiting = await run(engine, client, { path, cell: null, language: 'python', code })
    if (!waiting.request) throw new Error('a risky run did not ask')
    const { subject } = await client.approval.request(waiting.request)
    const answer = verdict === 'approve' ? { kind: verdict, seen: subject } : { kind: verdict }
    await client.approval.decide({ request: waiting.request, verdict: answer as never })
  }
  await engine.runs.idle()

  const grace = await client.identities.create({ name: 'Grace', passphrase: 'correct horse' })
  await client.identities.logIn({ id: grace.id, passphrase: 'wrong wrong wrong' }).catch(() => undefined)
  await client.identities.logIn({ id: grace.id, passphrase: 'correct horse' })
  const vera = await client.identities.create({ name: 'Vera', passphrase: 'battery staple' })
  expect(await client.identities.vouch(vera.id)).toMatchObject({ vouches: [{ by: grace.id }] })
  expect(await client.identities.withdraw(vera.id)).toMatchObject({ vouches: [] })
  await client.settings.change({ appearance: { theme: 'dark' } })
  const { policy, version } = await client.policy.get()
  await client.policy.save({
    policy: { ...policy, thresholds: { ...policy.thresholds, high: 'four-eyes' } },
    expected: version,
  })

  const { caller, privacy } = engine
  const redacted = await privacy.redact(conversation.id, 'jane@bank.ie')
  await client.privacy.reveal({ conversation: conversation.id, token: redacted.sent, reason: 'checking' })
  await client.privacy.allow({ kind: 'exact', value: 'jane@bank.ie', type: null, conversation: null, note: 'ours' })
  await privacy.egress.pass('model', 'hello', { to: 'a model', conversation: conversation.id })
  await privacy.forget(conversation.id, caller.user, 'asked to')

  await client.sandbox.removeFile({ path, file: 'data.csv' })
  await client.conversations.remove(conversation.id)
  await client.conversations.restore(conversation.id)
  await client.paths.removeItems({ path, items: [cell.id] })
  await client.audit.query({})
  await client.audit.rotateKey({ reason: 'yearly' })
  await resultOf(client.audit.verify())
  await resultOf(client.audit.bundle({ scope: { kind: 'all' } }))
  session.end()
  await engine.close()
  return { calm, scope: { kind: 'run', run: calm.run } }
}

describe('what windows ask of the record', () => {
  let engine: Engine
  let client: Client
  let session: Session
  let done: Awaited<ReturnType<typeof everythingOnce>>

  beforeAll(async () => {
    const home = mkdtempSync(join(tmpdir(), 'countersign-'))
    done = await everythingOnce(home)
    engine = await openEngine({ home, env: {}, pool: 0 })
    ;({ client, session } = windowOf(engine))
    return async () => {
      session.end()
      await engine.close()
      rmSync(home, { recursive: true, force: true })
    }
  })

  it('has everything that a person did', async () => {
    const seen = new Set<AuditAction>()
    for (let after: { at: number; seq: number } | null = null; ; ) {
      const page: Awaited<ReturnType<Client['audit']['query']>> = await client.audit.query({
        limit: 500,
        ...(after ? { after } : {}),
      })
      for (const { entry } of page.items) seen.add(entry.action)
      after = page.next
      if (!after) break
    }
    // A request expires after days, the bin empties after weeks, and entries are pruned after months: these have tests
    // where time can be set.
    const elsewhere: AuditAction[] = [
      'approval.expired',
      'audit.pruned',
      'context.paused',
      'context.resumed',
      'conversation.erased',
      'path.erased',
    ]
    // Capabilities that need a peer of their own (a service, a server, an image) show their entries in their own tests.
    const capabilities = /^(?:workflow|figure|image|cloud|feed|mcp|environment|network|template)\./
    const isElsewhere = (action: AuditAction) => elsewhere.includes(action) || capabilities.test(action)
    expect(auditActions.filter(action => !seen.has(action) && !isElsewhere(action))).toEqual([])
  })

  it('tells one calculation as a whole: code, output, decision, effects', async () => {
    expect(await client.audit.run(done.calm.run)).toMatchObject({
      run: done.calm.run,
      result: 'success',
      code: 'print("CET1", 11.84)',
      output: expect.stringContaining('CET1 11.84'),
      decision: { by: 'policy', verdict: 'approve' },
      effects: { unforeseen: [] },
    })
  })

  it('holds a reviewer’s signature against the record', async () => {
    const { items } = await client.audit.query({ filter: { actions: ['approval.decided'] } })
    const stories = await Promise.all(items.flatMap(({ entry }) => (entry.run ? [client.audit.run(entry.run)] : [])))
    expect(stories.map(story => story?.decision)).toMatchObject([
      { by: 'reviewer', verdict: 'approve', signatureHolds: true },
      { by: 'reviewer', verdict: 'deny', signatureHolds: true },
    ])
  })

  it('puts on the record once per window what somebody looked at', async () => {
    const one = windowOf(engine)
    const reads = async () => (await engine.audit.count({ actions: ['audit.read'] })).count
    const before = await reads()
    const { items } = await one.client.audit.query({ filter: { run: done.calm.run } })
    for (const { entry } of items) await one.client.audit.entry(entry.seq)
    await one.client.audit.query({})
    await one.client.audit.run(done.calm.run)
    expect(await reads()).toBe(before + 2)
    one.session.end()
  })

  it('verifies with progress', async () => {
    const steps = []
    for await (const step of await client.audit.verify()) steps.push(step)
    expect(steps.length).toBeGreaterThan(1)
    expect(steps.at(-1)).toMatchObject({ type: 'done', result: { ok: true, findings: [] } })
  })

  it('stops when the window stops listening', async () => {
    const stop = new AbortController()
    const steps = client.audit.verify(undefined, { signal: stop.signal })
    stop.abort()
    await expect(resultOf(steps)).rejects.toThrow()
  })

  it.each([
    ['html', /^<!doctype html>/],
    ['csv', /^[^\n]*run/],
    ['json', /^\{/],
  ] as const)('hands out a report as %s in pieces', async (format, beginning) => {
    const made = await resultOf(client.audit.report({ scope: done.scope, format }))
    expect(made.name).toMatch(new RegExp(`^countersign-report-run-[0-9a-f]{8}\\.${format}$`))
    const bytes = await fetchAll(client, made)
    expect(bytes.length).toBe(made.bytes)
    expect(bytes.toString('utf8')).toMatch(beginning)
    await client.downloads.drop(made.download)
    await expect(client.downloads.piece({ download: made.download, offset: 0, length: 1 })).rejects.toThrow(
      /held ready/,
    )
  })

  it('prints with what the door brought', async () => {
    const printing: Engine = { ...engine, printPdf: async page => Buffer.from(`%PDF ${page.length}`) }
    const { client: other, session: its } = windowOf(printing)
    const made = await resultOf(other.audit.report({ scope: done.scope, format: 'pdf' }))
    expect((await fetchAll(other, made)).toString()).toMatch(/^%PDF \d+/)
    its.end()
  })

  it('hands out a bundle that anybody can check', async () => {
    const made = await resultOf(client.audit.bundle({ scope: { kind: 'all' } }))
    const file = join(temporaryFolder(), made.name)
    writeFileSync(file, await fetchAll(client, made))
    const bundle = openBundle(file)
    expect(verifyBundle(bundle, {})).toMatchObject({ ok: true, findings: [] })
    bundle.close()
  })

  it('empties nothing but what was looked at', async () => {
    const before = Date.now() + 60_000
    const due = await client.audit.due({ before })
    const wrong = { count: due.count - 1, more: due.more }
    await expect(resultOf(client.audit.prune({ before, expected: wrong, reason: 'a test' }))).rejects.toThrow(/shown/)
    expect(await client.audit.due({ before })).toEqual(due)
    const pruned = await resultOf(client.audit.prune({ before, expected: due, reason: 'a test' }))
    expect(pruned.entries).toBe(due.count)
    expect(await resultOf(client.audit.verify())).toMatchObject({ ok: true })
  })
})
