import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { canonicalJson, sha256 } from './approval/canonical.ts'
import { defaultPolicy } from './approval/policy-text.ts'
import { must } from './approval/testing.ts'
import { fakeProvider } from './chat/fake-provider.testing.ts'
import { systemClock } from './clock.ts'
import type { PathRef } from './contract/contexts.ts'
import type { FigurePlace } from './contract/figures.ts'
import { type PathId, UserId } from './contract/ids.ts'
import { type Engine, openEngine } from './engine/engine.ts'
import { uuidV7 } from './ids.ts'
import { openToEdit } from './mutation.testing.ts'

/**
 * Somebody edits the database between two starts, without the keys: what is started, what leaves this machine and who
 * acts do not follow the edit.
 */

const ids = uuidV7(systemClock)

async function twoStarts(before: (engine: Engine) => Promise<unknown>, edit: (db: Sqlite.Database) => void) {
  const home = mkdtempSync('/var/tmp/countersign-edited-')
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const first = await openEngine({ home, env: {}, pool: 0 })
  try {
    await before(first)
  } finally {
    await first.close()
  }
  const db = openToEdit(join(home, 'countersign.db'))
  edit(db)
  db.close()
  const second = await openEngine({ home, env: {}, pool: 0 })
  onTestFinished(() => second.close())
  return second
}

const aProvider = (baseUrl: string) => ({
  ...{ kind: 'compatible' as const, name: 'Fake', baseUrl, key: 'test-key' },
  models: [{ id: 'fake-1', windowTokens: 32_000, price: null }],
})

it('sends neither the key nor a question to an address that was written into the database', async () => {
  const [real, forged] = [
    await fakeProvider('compatible', [{ text: 'Yes.' }]),
    await fakeProvider('compatible', [{ text: 'Ha.' }]),
  ]
  onTestFinished(async () => {
    await real.close()
    await forged.close()
  })
  const engine = await twoStarts(
    async first => must(await first.chat.providers.save(first.caller, aProvider(real.baseUrl))),
    db => db.prepare('update chat_providers set base_url = ?').run(forged.baseUrl),
  )
  expect(await engine.chat.providers.list(engine.caller)).toEqual([])
  const db = new Sqlite(join(engine.home, 'countersign.db'), { readonly: true })
  const provider = db.prepare('select id from chat_providers').pluck().get() as never
  db.close()
  const made = must(await engine.conversations.create(engine.caller, { title: 'Rates' }))
  const asked = await engine.chat.ask(engine.caller, {
    ...{ path: made.conversation.main, text: 'Hello', model: { provider, model: 'fake-1' }, seen: true },
  })
  expect(asked).toMatchObject({ ok: false, problem: { code: 'chat.no-model' } })
  expect(await engine.chat.providers.check(engine.caller, provider)).toMatchObject({ ok: false })
  expect(forged.asked).toEqual([])
})

it('starts no interpreter that was written into the database', async () => {
  const prefix = mkdtempSync('/var/tmp/countersign-venv-')
  onTestFinished(() => rmSync(prefix, { recursive: true, force: true }))
  let sha256 = ''
  const engine = await twoStarts(
    async first => {
      execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', prefix])
      sha256 = must(await first.environments.inspect(prefix)).program?.sha256 ?? ''
    },
    db => {
      const tenant = db.prepare("select value from facts where name = 'tenant'").pluck().get()
      const columns = db.prepare("select name from pragma_table_info('environments')").pluck().all() as string[]
      const row: Record<string, unknown> = { tenant, name: 'forged', path: prefix, sha256 }
      const values = columns.map(column => row[column] ?? (column === 'added_at' ? 1 : 'x'))
      db.prepare(`insert into environments values (${columns.map(() => '?').join(', ')})`).run(values)
    },
  )
  const { tenant } = engine.caller
  expect(await engine.environments.interpreter(tenant, 'forged')).toMatchObject({ ok: false })
  expect(sha256).toHaveLength(64)
})

it('puts no policy into force that was written into the database', async () => {
  const engine = await twoStarts(
    async first => first.approval.policy.current(),
    db => {
      const permissive = JSON.parse(JSON.stringify(defaultPolicy))
      permissive.thresholds = { low: 'auto', medium: 'auto', high: 'auto', critical: 'approve' }
      const policy = canonicalJson(permissive)
      const row = { version: sha256(policy), policy, adopted_at: 1, adopted_by: null }
      db.prepare(`insert into policies (${Object.keys(row).join(', ')}) values (@version, @policy, 1, null)`).run(row)
    },
  )
  const { policy } = await engine.approval.policy.current()
  expect(policy.thresholds.high).not.toBe('auto')
})

it('lets no private value leave because the database allows it', async () => {
  const email = 'jane.doe@bank.example.ie'
  const engine = await twoStarts(
    async first =>
      first.privacy.allow(
        { kind: 'exact', value: 'x@y.ie', type: null, conversation: null, note: 'test' },
        first.caller.user,
      ),
    db => db.prepare('update allowed set value = ?').run(email),
  )
  expect(engine.privacy.allowed()).toEqual([])
})

it('lets no path go to the cloud because the database says that somebody agreed', async () => {
  const paths: PathRef[] = []
  const engine = await twoStarts(
    async first => {
      const { caller: who, approval, cloud } = first
      must(await approval.policy.save({ cloud: true }, who.user, (await approval.policy.current()).version))
      must(await cloud.setKey(who, 'e2b_key'))
      for (const title of ['agreed', 'taken back', 'never asked']) {
        const { id, main } = must(await first.conversations.create(who, { title })).conversation
        paths.push({ tenant: who.tenant, conversation: id, path: main })
        if (title !== 'never asked') must(await cloud.allow(who, main))
      }
      must(await cloud.revoke(who, paths[1]?.path as PathId))
    },
    db => {
      db.exec('update cloud_consents set ended_by = null, ended_at = null')
      const row = db.prepare('select * from cloud_consents limit 1').get() as Record<string, unknown>
      const { conversation, path } = paths[2] as PathRef
      const forged = { ...row, id: 'forged', conversation, path }
      const places = Object.keys(forged).map(column => `@${column}`)
      db.prepare(`insert into cloud_consents (${Object.keys(forged).join(', ')}) values (${places.join(', ')})`).run(
        forged,
      )
    },
  )
  expect(await Promise.all(paths.map(path => engine.cloud.isAgreed(path)))).toEqual([true, false, false])
  expect((await engine.cloud.state(engine.caller)).consents).toHaveLength(1)
})

it('lets a consent that was taken back count no more when its older row is put back and the index of the record edited', async () => {
  let path: PathRef | null = null
  let older: Record<string, unknown> = {}
  let seq = -1
  const engine = await twoStarts(
    async first => {
      const { caller: who, approval, cloud, audit } = first
      must(await approval.policy.save({ cloud: true }, who.user, (await approval.policy.current()).version))
      must(await cloud.setKey(who, 'e2b_key'))
      const { id, main } = must(await first.conversations.create(who, { title: 'Rates' })).conversation
      path = { tenant: who.tenant, conversation: id, path: main }
      must(await cloud.allow(who, main))
      const db = new Sqlite(join(first.home, 'countersign.db'), { readonly: true })
      older = db.prepare('select * from cloud_consents').get() as Record<string, unknown>
      db.close()
      must(await cloud.revoke(who, main))
      seq = (await audit.query({ filter: { actions: ['cloud.revoked'] }, limit: 1 })).items[0]?.entry.seq ?? -1
      await audit.record({ action: 'audit.read', tenant: who.tenant, actor: who.user, details: {} })
      await audit.query({ filter: {}, limit: 1 })
    },
    db => {
      const set = Object.keys(older).map(column => `${column} = @${column}`)
      db.prepare(`update cloud_consents set ${set.join(', ')}`).run(older)
      db.prepare('delete from audit_index where seq = ?').run(seq)
    },
  )
  expect(await engine.cloud.isAgreed(path as unknown as PathRef)).toBe(false)
})

it.each([
  ['as it was pinned', '', true],
  ['with another name', "update figures set name = 'Loss'", false],
])(
  'reports a figure %s: %s',
  async (_, edit, expected) => {
    let path: PathId | null = null
    const engine = await twoStarts(
      async first => {
        const who = first.caller
        path = must(await first.conversations.create(who, { title: 'Review' })).conversation.main
        const cell = {
          kind: 'cell' as const,
          author: 'analyst' as const,
          language: 'python',
          text: 'print("CET1: 12.91%")',
        }
        const [made] = must(await first.conversations.insert(who, { path, items: [cell] }))
        if (made?.kind !== 'cell') throw new Error('no cell')
        const run = must(await first.runs.start(who, { path, cell: made.id, revision: made.revision }))
        await run.rest
        const [spot] = must(await first.figures.candidates(who, { path, cell: made.id }))
        must(await first.figures.pin(who, { path, cell: made.id, place: spot?.place as FigurePlace, name: 'CET1' }))
      },
      db => db.exec(edit),
    )
    const made = await engine.figures.report(engine.caller, { path: path as unknown as PathId, format: 'html' })
    expect(made.ok).toBe(expected)
  },
  60_000,
)

it('keeps a conversation confidential whose mark was taken off in the database', async () => {
  let conversation: unknown = null
  const engine = await twoStarts(
    async first => {
      const made = must(await first.conversations.create(first.caller, { title: 'Secret' })).conversation
      conversation = made
      must(await first.chat.setConfidential(first.caller, made.id, true))
    },
    db => db.exec('delete from chat_conversations'),
  )
  const { id, main } = conversation as { id: never; main: never }
  const confidential = async () => must(await engine.chat.open(engine.caller, main)).confidential
  expect(await confidential()).toBe(true)
  must(await engine.chat.setConfidential(engine.caller, id, false))
  expect(await confidential()).toBe(false)
})

it.each([
  ['as it was', ''],
  ['deleted', 'delete from chat_requests'],
  ['made cheaper', 'update chat_requests set cost = 0, input_tokens = 0, output_tokens = 0'],
  [
    'set off by another',
    "insert into chat_requests select 'x', tenant, conversation, turn, purpose, at, provider_name, model, model_version, bytes, replaced, -9, -9, -99, first_token_ms, took_ms, result, '' from chat_requests",
  ],
])('asks no model beyond the limit of what it may cost: rows %s', async (_, edit) => {
  const provider = await fakeProvider('compatible', [{ text: 'Yes.', usage: { input: 1000, output: 10 } }])
  onTestFinished(() => provider.close())
  let path: PathId | null = null
  let model: { provider: never; model: string } | null = null
  const ask = async (engine: Engine) => {
    must(await engine.chat.ask(engine.caller, { path, model, text: 'Hello', seen: true } as never))
    await engine.chat.idle()
    return provider.asked.length
  }
  const engine = await twoStarts(
    async first => {
      const models = [{ id: 'fake-1', windowTokens: 32_000, price: { input: 10_000, output: 10_000 } }]
      const saved = must(await first.chat.providers.save(first.caller, { ...aProvider(provider.baseUrl), models }))
      model = { provider: saved.id as never, model: 'fake-1' }
      path = must(await first.conversations.create(first.caller, { title: 'Rates' })).conversation.main
      expect(await ask(first)).toBe(1)
      expect(await ask(first)).toBe(1)
    },
    db => db.exec(edit),
  )
  expect(await ask(engine)).toBe(1)
})

it('acts for the same person whoever the database names', async () => {
  let before: Engine['caller'] | null = null
  const engine = await twoStarts(
    async first => {
      before = first.caller
    },
    db => db.prepare("update facts set value = ? where name = 'user'").run(ids.make(UserId)),
  )
  expect(engine.caller).toEqual(before)
})

it('takes rows from before there were seals as they stand, once', async () => {
  const plain = (db: Sqlite.Database) => db.exec("update chat_providers set seal = ''")
  const engine = await twoStarts(
    async first => must(await first.chat.providers.save(first.caller, aProvider('http://127.0.0.1:9/v1'))),
    db => {
      plain(db)
      rmSync(join(db.name, '..', 'keys', 'table-seals.key'))
    },
  )
  expect(await engine.chat.providers.list(engine.caller)).toMatchObject([{ name: 'Fake', hasKey: true }])
  expect(readFileSync(join(engine.home, 'keys', 'table-seals.key'))).toHaveLength(32)
  const db = new Sqlite(join(engine.home, 'countersign.db'))
  plain(db)
  db.close()
  expect(await engine.chat.providers.list(engine.caller)).toEqual([])
})
