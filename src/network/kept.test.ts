import { describe, expect, it } from 'vitest'
import type { NetworkRequest } from '../contract/network.ts'
import { Kept } from './kept.ts'

const reached = (host: string, changes: Partial<NetworkRequest> = {}): NetworkRequest => ({
  at: 0,
  host,
  address: '93.184.216.34',
  port: 443,
  protocol: 'https',
  method: null,
  allowed: true,
  rule: `https://${host}:443`,
  refusal: null,
  bytesSent: 10,
  bytesReceived: 100,
  ms: 1,
  ...changes,
})
const refused = (host: string) =>
  reached(host, { allowed: false, rule: null, address: null, refusal: 'not-granted', bytesSent: 0, bytesReceived: 0 })

describe('what is kept of the requests of a run', () => {
  it('is all of them, in order, and each is taken once', () => {
    const kept = new Kept(10)
    kept.add(reached('b.example.org', { at: 2 }))
    kept.add(refused('a.example.org'))
    expect(kept.take().requests.map(({ host }) => host)).toEqual(['a.example.org', 'b.example.org'])
    expect(kept.take()).toEqual({ requests: [], dropped: 0 })
  })

  it('has what was reached with all its bytes, however many refusals came first', () => {
    const kept = new Kept(10)
    for (let n = 0; n < 500; n++) kept.add(refused(`n${n}.example.org`))
    for (let n = 0; n < 30; n++) kept.add(reached('data.example.org', { at: 1 }))
    const { requests, dropped } = kept.take()
    expect(dropped).toBe(490)
    expect(requests).toHaveLength(11)
    expect(requests.at(-1)).toMatchObject({
      ...{ host: 'data.example.org', address: '93.184.216.34', count: 30, bytesSent: 300, bytesReceived: 3000 },
    })
  })

  it('stands for many hosts of one rule by that rule, so that their number has no end but the list has', () => {
    const kept = new Kept(5)
    const rule = 'https://*.example.org:443'
    for (let n = 0; n < 2000; n++) kept.add(reached(`n${n}.example.org`, { rule, address: `93.184.216.${n % 250}` }))
    kept.add(reached('other.example.net'))
    kept.add(reached('cut.example.org', { rule, refusal: 'taken-back', reason: 'It is no longer granted.' }))
    const { requests, dropped } = kept.take()
    expect(dropped).toBe(0)
    expect(requests).toHaveLength(7)
    expect(requests.map(({ bytesSent }) => bytesSent).reduce((sum, each) => sum + each)).toBe(2002 * 10)
    expect(requests.find(each => each.count)).toMatchObject({
      ...{ host: '*.example.org', address: null, rule, count: 1996, refusal: 'taken-back' },
    })
  })
})
