import { expect, it } from 'vitest'
import { forPath } from '../contract/network.ts'
import { isOver } from '../contract/runs.ts'
import { decideOn } from './deciding.testing.ts'
import { instructions, placeWords } from './instructions.ts'
import { chatWith, value } from './testing.ts'

it('says what can be reached, and that nothing can where that is so', () => {
  expect(placeWords({ isolation: 'jail', network: [] })).toContain('; no network')
  const some = placeWords({
    isolation: 'jail',
    network: ['deny tcp://evil.example.org:*', 'https://api.example.org:443'],
  })
  expect(some).toContain('network only to what was granted: https://api.example.org:443')
  expect(some).not.toContain('no network')
  expect(some).not.toContain('evil')
  const told = instructions({ environment: some, variables: [], files: [], analyses: [] })
  expect(told).toContain(`Sandbox: ${some}`)
  expect(told).not.toContain('The sandbox has no network')
})

it('tells a model of a host that a reviewer has granted its path, from the next question on', async () => {
  const { ask, engine, who, path, fake } = await chatWith('compatible', [{ text: 'Before.' }, { text: 'After.' }])
  await ask('What can you reach?')
  const system = (at: number) => JSON.stringify(fake.asked[at]?.body)
  expect(system(0)).toContain('; no network')

  const rule = 'https://api.example.org:443'
  const [item] = value(
    await engine.conversations.insert(who, {
      path,
      items: [{ kind: 'cell', author: 'analyst', language: 'python', text: 'print(1)' }],
    }),
  )
  if (item?.kind !== 'cell') throw new Error('no cell')
  const started = value(
    await engine.runs.start(who, { path, cell: item.id, revision: item.revision, network: [forPath(rule)] }),
  )
  const view = await started.rest
  if (!view.request) throw new Error(`it is ${view.state}`)
  const over = new Promise<void>(resolve => {
    engine.events.listen(event => {
      if (event.type === 'run' && event.run.run === view.run && isOver(event.run.state)) resolve()
    })
  })
  await decideOn(engine, view.request, 'approve')
  await over
  expect((await ask('And now?')).state).toBe('done')
  expect(system(1)).toContain(`network only to what was granted: ${rule}`)
})
