import { expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../engine/engine.ts'
import { startPeer } from '../../../sandbox/e2b/testing/peer.testing.ts'
import { folder, ioFor } from './call.testing.ts'
import { command } from './cloud.ts'

const email = 'jane.doe@bank.example.ie'

/** A data folder with one path that has a private value in its code, and a service on loopback. */
async function atTerminal(policy: object) {
  const peer = await startPeer()
  onTestFinished(() => peer.close())
  const home = folder()
  const open = () => openEngine({ home, env: peer.env, pool: 0 })
  const engine = await open()
  const { version } = await engine.approval.policy.current()
  await engine.approval.policy.save(policy, engine.caller.user, version)
  const made = await engine.conversations.create(engine.caller, { title: 'Rates' })
  if (!made.ok) throw new Error(made.problem.message)
  const path = made.value.conversation.main
  const text = `write_to("${email}")`
  const items = [{ kind: 'cell' as const, author: 'analyst' as const, language: 'python' as const, text }]
  await engine.conversations.insert(engine.caller, { path, items })
  await engine.close()
  const call = async (values: Record<string, boolean>, ...positionals: string[]) => {
    const { io, out, err } = ioFor('', home)
    const code = await command.run({ values, positionals }, { ...io, env: { ...io.env, ...peer.env } })
    return { code, out: Buffer.concat(out).toString(), err: err.join('') }
  }
  return { call, open, path }
}

it('shows what would leave, lets a path go when a person says so, and takes it back, on the record', async () => {
  const { call, open, path } = await atTerminal({ cloud: true })
  const shown = await call({}, 'show', 'Rates')
  expect(shown.out).toContain('1 EMAIL; tokens leave in their place')
  expect(shown.out).toContain('write_to("[EMAIL_1]")')
  expect(shown.out).toContain('It may not go there.')
  expect(shown.out).not.toContain(email)

  // Nobody is at a terminal, and nobody said yes.
  expect(await call({}, 'allow', 'Rates')).toMatchObject({ code: 3, err: expect.stringContaining('--yes') })
  expect(JSON.parse((await call({ json: true }, 'show', 'Rates')).out).consent).toBeNull()

  const allowed = await call({ yes: true }, 'allow', 'Rates')
  expect(allowed).toMatchObject({ code: 0, err: expect.stringContaining('[EMAIL_1]') })
  expect((await call({}, 'list')).out).toContain(`${path}  Rates/main`)
  expect((await call({}, 'withdraw', path)).code).toBe(0)
  expect((await call({}, 'list')).out).toContain('No path may go there.')

  const engine = await open()
  onTestFinished(() => engine.close())
  const { items } = await engine.audit.query({ filter: { actions: ['cloud.allowed', 'cloud.revoked'] } })
  expect(items.map(({ entry }) => [entry.action, entry.path])).toEqual([
    ['cloud.revoked', path],
    ['cloud.allowed', path],
  ])
})

it('cannot do what the policy forbids, and says so', async () => {
  const { call } = await atTerminal({})
  await expect(call({ yes: true }, 'allow', 'Rates')).rejects.toThrow('The policy does not let code and files leave')
  await expect(call({}, 'allow', 'Rates')).rejects.toThrow('The policy does not let code and files leave')
  await expect(call({}, 'allow')).rejects.toThrow('say list')
})
