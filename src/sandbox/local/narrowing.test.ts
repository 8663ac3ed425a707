import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../clock.ts'
import { Limits } from '../../contract/run.ts'
import type { NetworkSession } from '../../network/network.ts'
import { runIn, temporaryHome, testIds } from '../testing.ts'
import { localProvider } from './local.ts'

it('takes a grant back from a run that waits for the proxy to start', async () => {
  const granted: string[][] = []
  let release: () => void = () => undefined
  const proxyStarted = new Promise<void>(resolve => {
    release = resolve
  })
  const session: NetworkSession = {
    connect: () => Promise.reject(new Error('nothing is dialled here')),
    async grant(rules) {
      granted.push([...rules])
      await proxyStarted
    },
    asked: () => undefined,
    end: async () => ({ requests: [], dropped: 0 }),
    close: () => undefined,
  }
  const { home, remove } = await temporaryHome()
  onTestFinished(remove)
  const network = { open: () => session, close: async () => undefined }
  const provider = localProvider({ home, clock: systemClock, ids: testIds, network })
  onTestFinished(() => provider.close())
  const opened = await provider.open({ limits: Limits.parse({}) }, new AbortController().signal)
  if (!opened.ok) throw new Error(opened.problem.message)
  const [one, two] = ['https://a.example.org:443', 'https://b.example.org:443']
  const going = runIn(opened.value, 'python', 'print(1)', { network: [one, two] })
  await expect.poll(() => granted).toEqual([[one, two]])
  const narrowed = opened.value.narrow?.([two])
  release()
  await narrowed
  expect((await going).stdout).toBe('1\n')
  expect(granted).toEqual([[one, two], [two]])
})
