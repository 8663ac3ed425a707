import { expect, it } from 'vitest'
import type { NetworkRequest } from '../../src/contract/network.ts'
import { linesOf } from './requests.tsx'

const request = (changes: Partial<NetworkRequest>): NetworkRequest => ({
  at: 0,
  host: 'a.example.org',
  address: '93.184.216.34',
  port: 443,
  protocol: 'https',
  method: null,
  allowed: true,
  rule: 'https://a.example.org:443',
  refusal: null,
  bytesSent: 10,
  bytesReceived: 100,
  ms: 1,
  ...changes,
})

it('shows requests to one host together, refusals first', () => {
  const refused = request({ host: 'b.example.org', allowed: false, refusal: 'not-granted', address: null, rule: null })
  const lines = linesOf([request({}), request({ count: 3 }), refused])
  expect(
    lines.map(({ host, count, received, isReached, grant }) => ({ host, count, received, isReached, grant })),
  ).toEqual([
    { host: 'b.example.org', count: 1, received: 100, isReached: false, grant: 'https://b.example.org:443' },
    { host: 'a.example.org', count: 4, received: 200, isReached: true, grant: null },
  ])
})

it('shows a name that was asked of the resolver only where nothing else is known of that host', () => {
  const asked = (host: string) => request({ host, protocol: 'dns', port: 53, allowed: false, refusal: 'resolver' })
  const lines = linesOf([asked('a.example.org'), request({}), asked('c.example.org')])
  expect(lines.map(line => [line.host, line.isReached])).toEqual([
    ['c.example.org', false],
    ['a.example.org', true],
  ])
})
