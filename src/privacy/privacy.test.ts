import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../audit/audit.ts'
import { ManualClock } from '../clock.testing.ts'
import { ConversationId, TenantId, UserId } from '../contract/ids.ts'
import type { Settings } from '../contract/settings.ts'
import { uuidV7 } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import { temporaryStorage } from '../storage/testing.ts'
import { createPrivacy, logRedactor } from './privacy.ts'

const modes: Settings['privacy'] = {
  model: 'enforce',
  cloudSandbox: 'enforce',
  log: 'enforce',
  export: 'report',
  alert: 'off',
  telemetry: 'enforce',
  namesModel: '',
  namesByModel: true,
  namesLeast: 0.6,
}

function memoryKeys(): KeyStore & { values: Map<string, Uint8Array> } {
  const values = new Map<string, Uint8Array>()
  return {
    values,
    get: async name => values.get(name) ?? null,
    set: async (name, value) => void values.set(name, value),
    add: async (name, value) => values.get(name) ?? values.set(name, value).get(name) ?? value,
  }
}

async function setUp(keys = memoryKeys()) {
  const clock = new ManualClock()
  const ids = uuidV7(clock)
  const storage = await temporaryStorage(clock)
  const entries: AuditEvent[] = []
  const deps = {
    storage,
    audit: { append: async (_transaction: unknown, event: AuditEvent) => void entries.push(event) },
    keys,
    clock,
    ids,
    tenant: ids.make(TenantId),
    settings: () => modes,
  }
  return {
    privacy: await createPrivacy(deps),
    again: () => createPrivacy(deps),
    deps,
    storage,
    keys,
    entries,
    conversation: ids.make(ConversationId),
    actor: ids.make(UserId),
  }
}

const sent = <T>(outcome: { ok: true; value: { value: T } } | { ok: false }): T => {
  if (!outcome.ok) throw new Error('held')
  return outcome.value.value
}

describe('the vault', () => {
  it('keeps tokens stable over a restart and puts values back', async () => {
    const { privacy, again, conversation } = await setUp()
    expect(await privacy.forRecord(conversation, 'a@x.ie b@x.ie')).toBe('[EMAIL_1] [EMAIL_2]')
    const later = await again()
    expect(await later.forRecord(conversation, 'b@x.ie c@x.ie')).toBe('[EMAIL_2] [EMAIL_3]')
    expect(await later.restore(conversation, 'write to [EMAIL_3] and [EMAIL_9]')).toBe('write to c@x.ie and [EMAIL_9]')
  })

  it('holds no value that can be read without the key', async () => {
    const { privacy, storage, conversation } = await setUp()
    await privacy.forRecord(conversation, 'jane.doe@bank.ie')
    const rows = await storage.read.selectFrom('vault_tokens').selectAll().execute()
    const bytes = rows.flatMap(row =>
      [row.sealed, row.digest, row.nonce].map(part => Buffer.from(part).toString('latin1')),
    )
    expect(rows).toHaveLength(1)
    expect(bytes.join()).not.toContain('jane')
    expect(bytes.join()).not.toContain('j\0a\0n\0e')
  })

  it('opens nothing that was moved to another row, and sends nothing then', async () => {
    const { privacy, again, storage, conversation } = await setUp()
    await privacy.forRecord(conversation, 'a@x.ie b@x.ie')
    await storage.write(async transaction => {
      const [first] = await transaction
        .selectFrom('vault_tokens')
        .selectAll()
        .where('token', '=', '[EMAIL_1]')
        .execute()
      if (first)
        await transaction
          .updateTable('vault_tokens')
          .set({ sealed: first.sealed, nonce: first.nonce })
          .where('token', '=', '[EMAIL_2]')
          .execute()
    })
    const later = await again()
    await expect(later.restore(conversation, '[EMAIL_2]')).rejects.toThrow('cannot be opened')
    expect((await later.egress.pass('model', 'hello', { to: 'm', conversation })).ok).toBe(false)
  })

  it('does not make a new key while values wait for the old one', async () => {
    const { privacy, deps, conversation } = await setUp()
    await privacy.forRecord(conversation, 'a@x.ie')
    const keys = memoryKeys()
    const later = await createPrivacy({ ...deps, keys })
    await expect(later.restore(conversation, '[EMAIL_1]')).rejects.toThrow('cannot be opened')
    expect([...keys.values.keys()]).toEqual(['table-seals'])
  })

  it('names a value as another process did that was quicker', async () => {
    const { privacy, again, conversation } = await setUp()
    const other = await again()
    await privacy.forRecord(conversation, 'a@x.ie')
    // Its book is open; this one takes the next number behind its back.
    await other.forRecord(conversation, 'z@x.ie')
    const [first, second] = [
      await privacy.forRecord(conversation, 'b@x.ie c@x.ie'),
      await other.forRecord(conversation, 'c@x.ie b@x.ie'),
    ]
    expect(second.split(' ').reverse().join(' ')).toBe(first)
    expect(await (await again()).restore(conversation, second)).toBe('c@x.ie b@x.ie')
    const outcome = await privacy.egress.pass('model', 'd@x.ie', { to: 'm', conversation })
    const late = await other.egress.pass('model', 'e@x.ie', { to: 'm', conversation })
    expect(sent(outcome)).not.toBe(sent(late))
  })

  it('gives conversations tokens of their own', async () => {
    const { privacy, deps, conversation } = await setUp()
    await privacy.forRecord(conversation, 'a@x.ie')
    const other = deps.ids.make(ConversationId)
    expect(await privacy.restore(other, '[EMAIL_1]')).toBe('[EMAIL_1]')
  })
})

describe('the egress guard', () => {
  it('replaces on the way to a model, only counts on the way to an export, and looks away where told', async () => {
    const { privacy, conversation } = await setUp()
    const payload = { messages: [{ role: 'user', content: 'I am jane@bank.ie' }], n: 1 }
    expect(sent(await privacy.egress.pass('model', payload, { to: 'm', conversation }))).toEqual({
      messages: [{ role: 'user', content: 'I am [EMAIL_1]' }],
      n: 1,
    })
    expect(sent(await privacy.egress.pass('export', payload, { to: 'f', conversation }))).toBe(payload)
    expect(sent(await privacy.egress.pass('alert', payload, { to: 'w', conversation }))).toBe(payload)
    expect(await privacy.departures({ conversation })).toMatchObject([
      { destination: 'alert', to: 'w', mode: 'off', result: 'sent', found: {} },
      { destination: 'export', to: 'f', mode: 'report', result: 'sent', found: { EMAIL: 1 } },
      { destination: 'model', to: 'm', mode: 'enforce', result: 'sent', found: { EMAIL: 1 } },
    ])
    expect(await privacy.departures({ destination: 'export' })).toMatchObject([{ to: 'f' }])
    expect(await privacy.statistics(conversation)).toEqual({ EMAIL: 2 })
  })

  it('puts on the record what went to another machine: how much and what kind, never the text', async () => {
    const { privacy, conversation, entries } = await setUp()
    for (const destination of ['model', 'export', 'log', 'telemetry', 'cloud-sandbox'] as const) {
      await privacy.egress.pass(destination, 'I am jane@bank.ie', { to: destination, conversation })
    }
    expect(entries).toMatchObject([
      { action: 'egress.passed', conversation, details: { to: 'model', result: 'sent', found: { EMAIL: 1 } } },
      { action: 'egress.passed', conversation, details: { to: 'cloud-sandbox', result: 'sent' } },
    ])
    expect(JSON.stringify(entries)).not.toContain('jane')
  })

  it('lets nothing pass when values cannot be kept, and does not say what they were', async () => {
    const { deps, storage, conversation } = await setUp()
    const broken = { ...storage, write: () => Promise.reject(new Error('disk full while writing jane@bank.ie')) }
    const privacy = await createPrivacy({ ...deps, storage: broken })
    const outcome = await privacy.egress.pass('model', 'jane@bank.ie', { to: 'm', conversation })
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'privacy.held' } })
    expect(JSON.stringify(outcome)).not.toContain('jane')
  })

  it('holds what has no end, and says why', async () => {
    const { privacy, conversation } = await setUp()
    const cyclic: Record<string, unknown> = { a: 1 }
    cyclic.self = [cyclic]
    let deep: unknown = 'x'
    for (let level = 0; level < 100_000; level++) deep = { deep }
    let wide: unknown[] = ['x']
    for (let level = 0; level < 40; level++) wide = [wide, wide]
    for (const [payload, words] of [
      [cyclic, 'contains itself'],
      [deep, 'nested too deeply'],
      [wide, 'too many parts'],
      [{ error: new Error('jane@bank.ie') }, 'cannot be checked (Error)'],
    ] as const) {
      const outcome = await privacy.egress.pass('model', payload, { to: 'm', conversation })
      expect(outcome).toMatchObject({ ok: false, problem: { code: 'privacy.held' } })
      expect(JSON.stringify(outcome)).toContain(words)
    }
  })

  it('never emits a value that is split over chunks, nor the raw chunk when the source fails', async () => {
    const { privacy, conversation } = await setUp()
    const out: string[] = []
    async function* failing() {
      yield 'my card is 4111 1111 '
      yield '1111 1111 and my mail is ja'
      throw new Error('lost: ja')
    }
    const run = async () => {
      for await (const { value } of privacy.egress.passStream('model', failing(), { to: 'm', conversation }))
        out.push(value)
    }
    await expect(run()).rejects.toThrow('could not be checked')
    expect(out.join('')).not.toMatch(/4111|ja/)

    async function* whole() {
      for (const char of 'my card is 4111 1111 1111 1111, ok') yield char
    }
    const clean: string[] = []
    for await (const { value } of privacy.egress.passStream('model', whole(), { to: 'm', conversation }))
      clean.push(value)
    expect(clean.join('')).toBe('my card is [CREDIT_CARD_1], ok')
  })

  it('lets no stream begin that cannot be recorded, and says when its end could not be', async () => {
    const { deps, storage, conversation } = await setUp()
    let left = 0
    const failing: typeof storage = Object.assign(Object.create(storage), {
      read: storage.read,
      write: (work: Parameters<typeof storage.write>[0]) =>
        left-- > 0 ? storage.write(work) : Promise.reject(new Error('disk full')),
    })
    const privacy = await createPrivacy({ ...deps, storage: failing })
    const run = async (writes: number) => {
      left = writes
      const out: string[] = []
      async function* source() {
        yield 'plain words '.repeat(500)
      }
      const passing = privacy.egress.passStream('model', source(), { to: 'm', conversation })
      const collect = async () => {
        for await (const { value } of passing) out.push(value)
      }
      await expect(collect()).rejects.toThrow('was not sent')
      return out.join('').length
    }
    expect(await run(0)).toBe(0)
    expect(await run(1)).toBeGreaterThan(0)
    expect(await privacy.departures({ destination: 'model' })).toMatchObject([{ result: 'sent', to: 'm' }])
  })

  it('tells one departure of several that leave one after another, begun before the first of them', async () => {
    const { privacy, entries, conversation } = await setUp()
    const several = privacy.egress.passSeveral('model', { to: 'a server', conversation })
    expect(await privacy.departures()).toEqual([])
    expect(await Promise.all([several.pass('a@x.ie'), several.pass({ text: 'b@x.ie' })])).toMatchObject([
      { value: { value: '[EMAIL_1]' } },
      { value: { value: { text: '[EMAIL_2]' } } },
    ])
    expect(await privacy.departures()).toMatchObject([{ to: 'a server', result: 'sent', characters: 0 }])
    await several.pass('plain')
    await several.end()
    await several.end()
    const told = { to: 'a server', result: 'sent', characters: 21, found: { EMAIL: 2 } }
    expect(await privacy.departures()).toMatchObject([told])
    expect(entries).toMatchObject([{ action: 'egress.passed', conversation, details: told }])
  })

  it('begins another departure where the setting changes between two of several', async () => {
    const { deps, conversation } = await setUp()
    let mode: Settings['privacy']['model'] = 'enforce'
    const privacy = await createPrivacy({ ...deps, settings: () => ({ ...modes, model: mode }) })
    const several = privacy.egress.passSeveral('model', { to: 'm', conversation })
    await several.pass('a@x.ie')
    mode = 'off'
    expect(await several.pass('a@x.ie')).toMatchObject({ value: { value: 'a@x.ie' } })
    await several.end()
    expect((await privacy.departures()).map(({ mode: its, characters }) => [its, characters])).toEqual([
      ['off', 6],
      ['enforce', 6],
    ])
  })

  it('lets none of several pass that cannot be recorded', async () => {
    const { deps, storage, conversation } = await setUp()
    let isFull = true
    const failing: typeof storage = Object.assign(Object.create(storage), {
      read: storage.read,
      write: (work: Parameters<typeof storage.write>[0]) =>
        isFull ? Promise.reject(new Error('disk full')) : storage.write(work),
    })
    const privacy = await createPrivacy({ ...deps, storage: failing })
    const several = privacy.egress.passSeveral('model', { to: 'm', conversation })
    expect(await several.pass('plain')).toMatchObject({ ok: false, problem: { code: 'privacy.held' } })
    isFull = false
    expect(await several.pass('plain')).toMatchObject({ ok: true })
    await several.end()
    expect(await privacy.departures()).toMatchObject([{ result: 'sent', characters: 5 }])
  })

  it('waits until tokens are durable before anything leaves, also when two things leave at once', async () => {
    const { privacy, again, conversation } = await setUp()
    const both = await Promise.all([1, 2].map(() => privacy.egress.pass('model', 'a@x.ie', { to: 'm', conversation })))
    expect(both.map(sent)).toEqual(['[EMAIL_1]', '[EMAIL_1]'])
    expect(await (await again()).restore(conversation, '[EMAIL_1]')).toBe('a@x.ie')
  })
})

describe('the redaction view', () => {
  it('shows original and sent text, each finding with rule, score, token and context', async () => {
    const { privacy, conversation } = await setUp()
    const view = await privacy.redact(conversation, 'Please write to jane@bank.ie today.')
    expect(view.sent).toBe('Please write to [EMAIL_1] today.')
    expect(view.findings).toEqual([
      {
        start: 16,
        end: 28,
        type: 'EMAIL',
        rule: 'email',
        score: 0.95,
        field: '',
        token: '[EMAIL_1]',
        before: 'Please write to ',
        after: ' today.',
      },
    ])
    expect(view.counts).toEqual({ EMAIL: 1 })
  })

  it('shows a value only for a reason, and puts that on the record first', async () => {
    const { privacy, entries, conversation, actor } = await setUp()
    await privacy.forRecord(conversation, 'jane@bank.ie')
    expect(await privacy.reveal({ conversation, token: '[EMAIL_1]', reason: ' ', actor })).toMatchObject({
      ok: false,
      problem: { code: 'privacy.reason' },
    })
    expect(await privacy.reveal({ conversation, token: '[EMAIL_2]', reason: 'call back', actor })).toMatchObject({
      ok: false,
      problem: { code: 'privacy.unknown-token' },
    })
    expect(entries).toEqual([])
    expect(await privacy.reveal({ conversation, token: '[EMAIL_1]', reason: 'call back', actor })).toEqual({
      ok: true,
      value: 'jane@bank.ie',
    })
    expect(entries).toMatchObject([
      {
        action: 'privacy.revealed',
        actor,
        conversation,
        details: { token: '[EMAIL_1]', type: 'EMAIL', reason: 'call back' },
      },
    ])
  })

  it('puts no private words of a reason or a note on the record', async () => {
    const { privacy, entries, conversation, actor } = await setUp()
    await privacy.forRecord(conversation, 'jane@bank.ie')
    await privacy.reveal({ conversation, token: '[EMAIL_1]', reason: 'joe@bank.ie asked', actor })
    const note = 'as joe@bank.ie said'
    await privacy.allow({ kind: 'exact', value: 'x', type: null, conversation: null, note }, actor)
    await privacy.allow({ kind: 'exact', value: 'y', type: null, conversation, note }, actor)
    await privacy.forget(conversation, actor, 'joe@bank.ie asked')
    expect(entries).toHaveLength(4)
    expect(JSON.stringify(entries)).not.toContain('joe')
    expect(entries[0]?.details).toMatchObject({ reason: '[EMAIL_2] asked' })
    expect(privacy.maskForRecord({ a: { b: 'joe@bank.ie' } })).toEqual({ a: { b: '[EMAIL_1]' } })
  })

  it('lets false positives pass: exact, by pattern, in one conversation', async () => {
    const { privacy, deps, conversation, actor, entries } = await setUp()
    const other = deps.ids.make(ConversationId)
    const text = 'info@acme.ie jane@bank.ie joe@bank.ie'
    await privacy.allow({ kind: 'exact', value: 'info@acme.ie', type: null, conversation: null, note: 'ours' }, actor)
    const added = await privacy.allow(
      { kind: 'pattern', value: '*@bank.ie', type: 'EMAIL', conversation, note: '' },
      actor,
    )
    expect(await privacy.forRecord(conversation, text)).toBe(text)
    expect(await privacy.forRecord(other, text)).toBe('info@acme.ie [EMAIL_1] [EMAIL_2]')
    expect((await privacy.disallow(added.id, actor)).ok).toBe(true)
    expect(await privacy.forRecord(conversation, text)).toBe('info@acme.ie [EMAIL_1] [EMAIL_2]')
    expect(entries.map(entry => entry.action)).toEqual(['privacy.allowed', 'privacy.allowed', 'privacy.allowed'])
  })

  it('refuses a pattern that would allow everything', async () => {
    const { privacy, conversation, actor } = await setUp()
    for (const value of ['*', '**', '?*?', '*@*', ' * ']) {
      const entry = { kind: 'pattern', value, type: null, conversation: null, note: '' } as const
      await expect(privacy.allow(entry, actor)).rejects.toThrow('at least 3 characters')
    }
    expect(privacy.allowed()).toEqual([])
    expect(await privacy.forRecord(conversation, 'jane@bank.ie')).toBe('[EMAIL_1]')
  })

  it('says that the model for names is switched off, and asks none', async () => {
    const { deps } = await setUp()
    const set = { ...modes, namesModel: '/nowhere' }
    const privacy = await createPrivacy({ ...deps, settings: () => ({ ...set, namesByModel: false }) })
    const detail = 'The model is switched off, so names are found by rules alone.'
    expect(privacy.namesStatus()).toEqual({ state: 'off', folder: '/nowhere', detail })
    const asking = await createPrivacy({ ...deps, settings: () => set })
    await expect.poll(() => asking.namesStatus()).toMatchObject({ state: 'failed', folder: '/nowhere' })
    await asking.close()
  })

  it('forgets a conversation for good', async () => {
    const { privacy, conversation, actor } = await setUp()
    await privacy.forRecord(conversation, 'jane@bank.ie')
    expect(await privacy.forget(conversation, actor, 'asked to')).toBe(1)
    expect(await privacy.restore(conversation, '[EMAIL_1]')).toBe('[EMAIL_1]')
  })
})

describe('the log', () => {
  it('masks values and stays JSON', () => {
    const redact = logRedactor(() => 'enforce')
    expect(JSON.parse(redact('{"level":30,"msg":"sent to jane@bank.ie","ssn":123456789}\n'))).toEqual({
      level: 30,
      msg: 'sent to [EMAIL]',
      ssn: '[US_SSN]',
    })
    expect(redact('{"level":30,"msg":"ready in 12 ms"}\n')).toBe('{"level":30,"msg":"ready in 12 ms"}\n')
    expect(redact('plain text with jane@bank.ie')).toBe('plain text with [EMAIL]')
  })

  it('masks what only the name of a field gives away', () => {
    const redact = logRedactor(() => 'enforce')
    expect(redact('{"password":"abc"}\n')).toBe('{"password":"[PASSWORD]"}\n')
    expect(redact('{"first_name":["Zyx"]}')).toBe('{"first_name":["[PERSON]"]}')
  })

  it('counts what was found where it is told to report, and what it masked', async () => {
    const { deps } = await setUp()
    let mode: 'report' | 'enforce' | 'off' = 'report'
    const log = logRedactor(() => mode)
    const privacy = await createPrivacy({ ...deps, log })
    expect(log('{"password":"abc"}\n')).toBe('{"password":"abc"}\n')
    mode = 'enforce'
    log('to jane@bank.ie and joe@bank.ie')
    mode = 'off'
    log('to jane@bank.ie')
    expect(await privacy.statistics()).toEqual({ PASSWORD: 1, EMAIL: 2 })
    expect(await privacy.departures()).toMatchObject([
      { destination: 'log', mode: 'enforce', found: { EMAIL: 2 } },
      { destination: 'log', mode: 'report', found: { PASSWORD: 1 } },
    ])
  })
})
