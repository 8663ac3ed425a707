import { PassThrough } from 'node:stream'
import type Docker from 'dockerode'
import { expect, it } from 'vitest'
import { ManualClock } from '../../clock.testing.ts'
import { OutOfMemory } from './out-of-memory.ts'

/** An engine that says what a test lets it say. */
function engine() {
  const streams: PassThrough[] = []
  const asked: unknown[] = []
  const docker = {
    async getEvents(options: unknown) {
      asked.push(options)
      const stream = new PassThrough()
      streams.push(stream)
      return stream
    },
  } as unknown as Docker
  const said = async (text: string) => {
    const stream = streams.at(-1) as PassThrough
    const taken = new Promise(resolve => stream.once('data', resolve))
    stream.write(text)
    await taken
  }
  return { docker, streams, asked, said }
}

const event = (sandbox: string, Action = 'oom') =>
  `${JSON.stringify({ Action, Actor: { Attributes: { 'our.sandbox': sandbox } } })}\n`

async function listening() {
  const clock = new ManualClock()
  const memory = new OutOfMemory(clock, 'our.sandbox', 'our.owner=me')
  const from = engine()
  await memory.listen(from.docker)
  return { clock, memory, ...from }
}

it('counts the kills of each sandbox apart, also those that come in pieces or amid nonsense', async () => {
  const { memory, said, asked } = await listening()
  const [one, other] = [memory.of('one'), memory.of('other')]
  await said(event('one').slice(0, 20))
  await said(`${event('one').slice(20)}nonsense\n${event('one', 'die')}${event('stranger')}`)
  expect([one.count, other.count]).toEqual([1, 0])
  expect(asked).toEqual([{ filters: { event: ['oom'], type: ['container'], label: ['our.owner=me'] } }])
})

it('waits for an event that comes after the end of the run, but not for ever', async () => {
  const { clock, memory, said } = await listening()
  const one = memory.of('one')
  const later = one.another(0)
  await said(event('one'))
  expect(await later).toBe(true)
  expect(await one.another(0)).toBe(true)
  const never = one.another(1)
  clock.advance(500)
  expect(await never).toBe(false)
})

it('listens again after the engine has ended the stream, and once only while it lasts', async () => {
  const { memory, docker, streams } = await listening()
  await memory.listen(docker)
  expect(streams).toHaveLength(1)
  const closed = new Promise(resolve => streams[0]?.once('close', resolve))
  streams[0]?.destroy()
  await closed
  await memory.listen(docker)
  expect(streams).toHaveLength(2)
  memory.close()
})

it('lets sandboxes open where the engine tells nothing', async () => {
  const docker = { getEvents: () => Promise.reject(new Error('forbidden')) } as unknown as Docker
  const memory = new OutOfMemory(new ManualClock(), 'our.sandbox', 'our.owner=me')
  await expect(memory.listen(docker)).resolves.toBeUndefined()
})
