import { describe, expect, it } from 'vitest'
import { grantForRefused, grantHost, grantsFor, grantWords, type NetworkRequest } from './network.ts'

describe('grants', () => {
  it.each([
    ['https://api.example.org:443', 'read from and send to api.example.org, port 443, encrypted (https)'],
    ['http://*.example.org:80', 'read from every subdomain of example.org, port 80, not encrypted (http)'],
    ['http://a.example.org:8080 GET,POST', 'GET, POST to a.example.org, port 8080, not encrypted (http)'],
    ['tcp://db.example.org:5432', 'any data to and from db.example.org, port 5432, unread'],
    ['deny tcp://x.example.org:*', 'nothing to or from x.example.org'],
    ['something else', 'something else'],
  ])('say what they give: %s', (grant, words) => {
    expect(grantWords(grant)).toBe(words)
  })

  it('are offered for what the guard has seen, with the port and protocol that stand there', () => {
    const seen = (target: string | null, expression: string) => ({ target, expression })
    expect(
      grantsFor([
        seen('data-api.ecb.europa.eu', 'urlopen("https://data-api.ecb.europa.eu/service")'),
        seen('a.example.org', 'requests.post("http://a.example.org:8080/x")'),
        seen('b.example.org', 'get("HTTP://b.example.org/x")'),
        seen('c.example.org', 'connect(host)'),
        seen('c.example.org', 'connect(host, 1)'),
        seen(null, 'fetch(u)'),
        seen('10.0.0.5', 'get("http://10.0.0.5/")'),
        seen('bad host', 'x'),
        seen('example.org', 'get("https://example.org.evil.net/")'),
      ]),
    ).toEqual([
      'https://data-api.ecb.europa.eu:443',
      'http://a.example.org:8080',
      'http://b.example.org:80',
      'https://c.example.org:443',
      'https://example.org:443',
    ])
  })

  it('are named for what was refused, where one could be given', () => {
    const refused = { host: 'a.example.org', port: 443, protocol: 'https', refusal: 'not-granted' } as NetworkRequest
    expect(grantForRefused(refused)).toBe('https://a.example.org:443')
    expect(grantForRefused({ ...refused, refusal: 'address' })).toBeNull()
    expect(grantForRefused({ ...refused, protocol: 'dns', refusal: 'resolver' })).toBeNull()
    expect(grantForRefused({ ...refused, host: '' })).toBeNull()
    const posted = { ...refused, protocol: 'http' as const, port: 80, method: 'POST' }
    for (const refusal of ['method', 'not-granted'] as const)
      expect(grantForRefused({ ...posted, refusal })).toBe('http://a.example.org:80 POST')
    expect(grantForRefused({ ...posted, refusal: 'method', method: 'TRACE' })).toBeNull()
    expect(grantForRefused({ ...posted, method: 'HEAD' })).toBe('http://a.example.org:80')
    expect(grantHost('https://*.example.org:443')).toBe('*.example.org')
  })
})
