import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { openBundle, verifyBundle } from '../../../resources/verify.mjs'
import { exportsThrough } from '../../audit/audit.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { router } from './router.ts'
import { Session } from './session.ts'

/** The whole record as a bundle, every file of it, by name. */
async function bundled({ audit, privacy, caller, home }: Engine): Promise<Map<string, string>> {
  const file = join(home, 'bundle.zip')
  const passEgress = exportsThrough(privacy.egress, 'bundle.zip')
  await audit.exportBundle({ scope: { kind: 'all' }, file, passEgress, actor: caller.user })
  const bundle = openBundle(file)
  try {
    expect(verifyBundle(bundle, {})).toMatchObject({ ok: true, findings: [] })
    return new Map(bundle.names.map((name: string) => [name, String(bundle.read(name))]))
  } finally {
    bundle.close()
  }
}

it('lets no private word of a reason or a note out with a bundle', async () => {
  const engine = await openEngine({ home: temporaryFolder(), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const session = new Session(engine)
  const client = createRouterClient(router, { context: { engine, session, door: 'browser', chooseFolder: null } })
  const { conversation } = await client.conversations.create({ title: 'Capital' })
  const { sent: token } = await engine.privacy.redact(conversation.id, 'jane@bank.ie')
  const words = (what: string) => `${what} as joe@bank.ie of IE29AIBK93115212345678 wrote`

  await client.privacy.reveal({ conversation: conversation.id, token, reason: words('revealed') })
  const entry = { kind: 'exact', type: null } as const
  await client.privacy.allow({ ...entry, value: 'x', conversation: null, note: words('allowed') })
  await client.privacy.allow({ ...entry, value: 'y', conversation: conversation.id, note: words('allowed here') })
  await client.privacy.forget({ conversation: conversation.id, reason: words('forgotten') })
  await client.audit.rotateKey({ reason: words('rotated') })
  const before = (await client.audit.query({ limit: 1 })).items[0]?.entry.at ?? 0
  const due = await client.audit.due({ before })
  for await (const _ of await client.audit.prune({ before, expected: due, reason: words('pruned') })) void _
  await client.audit.rotateKey({ reason: words('rotated again') })

  const files = await bundled(engine)
  expect([...files].filter(([, text]) => /joe@bank|AIBK9311/.test(text)).map(([name]) => name)).toEqual([])
  const entries = [...files].flatMap(([name, text]) => (name.startsWith('entries/') ? [text] : [])).join()
  expect(entries, 'what is not private is still told').toMatch(/pruned as \[EMAIL_\d\] of \[IBAN_\d\] wrote/)
  expect(files.get('report.html')).toContain('rotated again as [EMAIL_1] of [IBAN_1] wrote')
})

it('tells each reason and note in a bundle with tokens in the place of values', async () => {
  const engine = await openEngine({ home: temporaryFolder(), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const { privacy, caller } = engine
  const client = createRouterClient(router, {
    context: { engine, session: new Session(engine), door: 'browser', chooseFolder: null },
  })
  const { conversation } = await client.conversations.create({ title: 'Capital' })
  await privacy.redact(conversation.id, 'jane@bank.ie')
  const request = { conversation: conversation.id, token: '[EMAIL_1]', actor: caller.user }
  await privacy.reveal({ ...request, reason: 'jane@bank.ie called, then joe@bank.ie' })
  const note = 'joe@bank.ie said so'
  await privacy.allow({ kind: 'exact', value: 'x', type: null, conversation: null, note }, caller.user)
  await privacy.forget(conversation.id, caller.user, 'joe@bank.ie asked')
  const entries = (await bundled(engine)).get('entries/000000.jsonl') ?? ''
  const told = [...entries.matchAll(/"(?:reason|note)":"([^"]*)"/g)].map(([, words]) => words)
  expect(told).toEqual(
    expect.arrayContaining(['[EMAIL_1] called, then [EMAIL_2]', '[EMAIL_1] said so', '[EMAIL_1] asked']),
  )
  expect(entries).not.toContain('bank.ie')
})
