import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { ConversationId, PathId, TenantId } from '../../contract/ids.ts'
import { Limits } from '../../contract/run.ts'
import { Settings } from '../../contract/settings.ts'
import { createPrivacy, type Privacy } from '../../privacy/privacy.ts'
import { openStorage, type Storage } from '../../storage/storage.ts'
import { clearedRun, runIn, temporaryHome, testIds } from '../testing.ts'
import { cloudGuard } from './e2b.ts'
import { type Peer, startPeer } from './testing/peer.testing.ts'
import { openProvider } from './testing/provider.testing.ts'

const never = new AbortController().signal
const email = 'jane.doe@bank.example.ie'
const path = { tenant: testIds.make(TenantId), conversation: testIds.make(ConversationId), path: testIds.make(PathId) }

let home: Awaited<ReturnType<typeof temporaryHome>>
let peer: Peer
let privacy: Privacy
let storage: Storage

beforeAll(async () => {
  home = await temporaryHome()
  peer = await startPeer()
  storage = await openStorage({ file: join(home.home, 'countersign.db'), clock: systemClock })
  const values = new Map<string, Uint8Array>()
  privacy = await createPrivacy({
    storage,
    audit: { append: async () => undefined },
    keys: {
      get: async name => values.get(name) ?? null,
      set: async (name, value) => void values.set(name, value),
      add: async (name, value) => values.get(name) ?? values.set(name, value).get(name) ?? value,
    },
    clock: systemClock,
    ids: testIds,
    tenant: path.tenant,
    settings: () => Settings.parse({}).privacy,
  })
})
afterAll(async () => {
  await privacy.close()
  await storage.close()
  await peer.close()
  await home.remove()
})

const open = async (guard = cloudGuard(privacy)) => {
  const provider = openProvider({ home: home.home, env: peer.env, guard })
  const opened = await provider.open({ limits: Limits.parse({}), path }, never)
  if (!opened.ok) throw new Error(opened.problem.message)
  return opened.value
}
const mine = { tenant: path.tenant, conversation: path.conversation, path: path.path }

it('sends tokens in the place of values, puts values back on the way in, and lists what left', async () => {
  const sandbox = await open()
  expect((await sandbox.files.write('people.csv', Buffer.from(`name,mail\nJ,${email}\n`))).ok).toBe(true)
  const code = `who = "${email}"\nprint(who, open("people.csv").read())\nopen("out.txt", "w").write(who)\n[who]`
  const outcome = await runIn(sandbox, 'python', code, { ...mine, args: [email], env: { WHO: email } })
  expect(outcome.stdout).toBe(`${email} name,mail\nJ,${email}\n\n`)
  expect(outcome.outputs.at(-1)).toMatchObject({ type: 'result', data: { 'text/plain': `['${email}']` } })
  const failed = await runIn(sandbox, 'python', `raise ValueError("${email}")`, mine)
  expect(failed.error?.message).toBe(email)
  const variables = await sandbox.variables('python')
  expect(variables.ok && variables.value.find(({ name }) => name === 'who')?.preview).toContain(email)
  const file = await sandbox.files.read('out.txt')
  expect(file.ok && Buffer.from(file.value).toString()).toBe(email)
  expect((await runIn(sandbox, 'bash', `echo ${email}`, mine)).stdout).toBe(`${email}\n`)

  expect(peer.requests.length).toBeGreaterThan(10)
  expect(peer.requests.filter(({ body }) => body.includes('jane.doe'))).toEqual([])
  const left = await privacy.departures()
  expect(left).toContainEqual(
    expect.objectContaining({ destination: 'cloud-sandbox', to: 'E2B', result: 'sent', found: { EMAIL: 1 } }),
  )
  await sandbox.close('manual')
})

it('sends nothing where the guard cannot do its work', async () => {
  const held = { ok: false, problem: { code: 'privacy.held', message: 'Not sent.', hint: '' } } as const
  const sandbox = await open({ ...cloudGuard(privacy), pass: async () => held })
  const before = peer.requests.length
  const outcome = await sandbox.run(clearedRun('python', 'print(1)'), () => undefined, never)
  expect(outcome.error).toMatchObject({ kind: 'sandbox', name: 'NotSent' })
  expect(await sandbox.files.write('a.txt', Buffer.from('x'))).toEqual(held)
  expect(await sandbox.variables('python')).toEqual(held)
  expect(await sandbox.complete('bash', 'ab', 2)).toEqual(held)
  expect(peer.requests).toHaveLength(before)
  await sandbox.close('manual')
})

it('sends no file whose name is private', async () => {
  const sandbox = await open()
  const written = await sandbox.files.write(`${email}.txt`, Buffer.from('x'))
  expect(written).toMatchObject({ ok: false, problem: { code: 'privacy.held' } })
  expect(JSON.stringify(peer.requests)).not.toContain('jane.doe')
  await sandbox.close('manual')
})
