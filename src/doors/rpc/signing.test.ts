import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../engine/engine.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { router } from './router.ts'
import { Session } from './session.ts'

it('lets somebody else sign one answer, and the window stays whose it is', async () => {
  const engine = await openEngine({ home: temporaryFolder(), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const session = new Session(engine)
  const client = createRouterClient(router, { context: { engine, session, door: 'browser', chooseFolder: null } })
  const { conversation } = await client.conversations.create({ title: 'Signing' })
  const me = await client.identities.current()
  const { id } = await client.identities.create({ name: 'Grace', passphrase: 'correct horse' })
  const [cell] = await client.paths.insert({
    path: conversation.main,
    items: [{ kind: 'cell', author: 'analyst', language: 'python', text: 'import shutil\nshutil.rmtree("out")' }],
  })
  if (cell?.kind !== 'cell') throw new Error('no cell was made')
  await client.runs.start({ path: conversation.main, cell: cell.id, revision: cell.revision })
  await expect.poll(() => client.approval.requests({})).toHaveLength(1)
  const [waiting] = await client.approval.requests({})
  if (!waiting) throw new Error('nothing waits')
  const deny = (passphrase: string) =>
    client.approval.decide({
      request: waiting.id,
      verdict: { kind: 'deny', comment: 'out is needed' },
      as: { id, passphrase },
    })

  await expect(deny('wrong horse')).rejects.toThrow('This is not the passphrase of Grace.')
  expect(await client.approval.request(waiting.id)).toMatchObject({ decision: null })
  await client.approval.comment({ request: waiting.id, text: 'why?', as: { id, passphrase: 'correct horse' } })
  expect(await client.identities.current()).toEqual(me)
  expect(await deny('correct horse')).toMatchObject({ decision: { verdict: 'deny', reviewer: id } })
  expect(await client.identities.current()).toEqual(me)
  expect(session.caller.user).toBe(me.id)
  const { items } = await client.audit.query({ filter: { actions: ['approval.decided'] } })
  expect(items.map(({ entry }) => entry.actor)).toEqual([id])
})
