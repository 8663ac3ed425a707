import { expect, it } from 'vitest'
import type { NetworkRequest } from '../../src/contract/network.ts'
import { NetworkRequests } from '../network/requests.tsx'
import { render } from '../output/render.testing.tsx'
import { Effects } from './effects.tsx'

const numbers = Array.from({ length: 300 }, (_, at) => at)
const linesOf = (place: HTMLElement) => [...place.querySelectorAll('li')].map(each => each.textContent)

it('shows ten hosts of each kind at first, so that many refusals hide neither what was reached nor the output', async () => {
  const request = (host: string, allowed: boolean) =>
    ({ host, port: 443, protocol: 'https', allowed, refusal: allowed ? null : 'not-granted' }) as NetworkRequest
  const { place, click, button } = await render(
    <NetworkRequests
      requests={[...numbers.map(n => request(`n${n}.example.org`, false)), request('data.example.org', true)]}
    />,
  )
  expect(linesOf(place)).toHaveLength(12)
  expect(linesOf(place).at(-1)).toContain('reached data.example.org:443')
  await click(button('Show 290 more hosts that were denied'))
  expect(linesOf(place)).toHaveLength(301)
})

it('shows what nobody could have foreseen before the rest of many effects', async () => {
  const observed = [...numbers.map(n => `created ${n}.csv`), 'reached data.example.org:443']
  const { place, click, button } = await render(
    <Effects effects={{ foreseen: [], observed, unforeseen: observed.slice(-1), unknown: 0 }} />,
  )
  expect(linesOf(place)).toHaveLength(21)
  expect(linesOf(place)[0]).toContain('reached data.example.org:443')
  await click(button('Show 281 more effects'))
  expect(linesOf(place)).toHaveLength(301)
})
