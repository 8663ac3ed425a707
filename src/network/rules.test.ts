import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NetworkRule } from '../contract/network.ts'
import { canonicalGrants, judge, parseRule, parseRules, type Rule, ruleText, withPolicy } from './rules.ts'

const rules = (...given: NetworkRule[]): Rule[] => {
  const parsed = parseRules(given)
  if (!parsed.ok) throw new Error(parsed.problem.message)
  return parsed.value
}
const https = (host: string, port = 443) => ({ host, port, protocol: 'https' as const })

describe('rules', () => {
  it('allow nothing where there are none', () => {
    expect(judge([], https('api.example.org'))).toEqual({ allowed: false, why: 'not-granted' })
  })

  it('mean subdomains by *., and not the name itself', () => {
    const given = rules({ host: '*.example.org' })
    expect(judge(given, https('a.example.org')).allowed).toBe(true)
    expect(judge(given, https('a.b.example.org')).allowed).toBe(true)
    expect(judge(given, https('example.org')).allowed).toBe(false)
    expect(judge(given, https('badexample.org')).allowed).toBe(false)
    expect(judge(given, https('.example.org')).allowed).toBe(false)
  })

  it('hold for one port and one protocol', () => {
    const given = rules({ host: 'a.example.org', port: 8443 })
    expect(judge(given, https('a.example.org', 8443)).allowed).toBe(true)
    expect(judge(given, https('a.example.org')).allowed).toBe(false)
    expect(judge(given, { host: 'a.example.org', port: 8443, protocol: 'tcp' }).allowed).toBe(false)
    expect(judge(given, { host: 'a.example.org', port: 8443, protocol: 'http', method: 'GET' }).allowed).toBe(false)
  })

  it('let plain http only read unless they say more', () => {
    const wanted = { host: 'a.example.org', port: 80, protocol: 'http' as const }
    const reading = rules({ host: 'a.example.org', protocol: 'http' })
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(judge(reading, { ...wanted, method }).allowed).toBe(true)
    for (const method of ['POST', 'DELETE', 'get', '', 'TRACE'])
      expect(judge(reading, { ...wanted, method })).toMatchObject({ allowed: false, why: 'method' })
    const writing = rules({ host: 'a.example.org', protocol: 'http', methods: ['POST'] })
    expect(judge(writing, { ...wanted, method: 'POST' }).allowed).toBe(true)
    expect(judge([...reading, ...writing], { ...wanted, method: 'POST' }).allowed).toBe(true)
  })

  it('deny rather than allow, whatever their order', () => {
    const allow: NetworkRule = { host: '*.example.org' }
    const deny: NetworkRule = { effect: 'deny', host: 'a.example.org' }
    for (const given of [rules(allow, deny), rules(deny, allow)]) {
      expect(judge(given, https('a.example.org'))).toMatchObject({ allowed: false, why: 'denied' })
      expect(judge(given, https('b.example.org')).allowed).toBe(true)
    }
  })

  it('deny a raw connection with any protocol that could go through it', () => {
    const given = rules(
      { host: 'a.example.org', port: 443, protocol: 'tcp' },
      { effect: 'deny', host: '*.example.org' },
    )
    expect(judge(given, { host: 'a.example.org', port: 443, protocol: 'tcp' }).allowed).toBe(false)
  })

  it('never allow more when one is taken away, or less when one that denies is', () => {
    const host = fc.constantFrom('a.example.org', 'b.example.org', '*.example.org', 'x.a.example.org')
    const rule = fc.record({
      effect: fc.constantFrom('allow' as const, 'deny' as const),
      host,
      port: fc.constantFrom(80, 443),
      protocol: fc.constantFrom('http' as const, 'https' as const, 'tcp' as const),
    })
    const wanted = fc.record({
      host: fc.constantFrom('a.example.org', 'b.example.org', 'x.a.example.org', 'example.org'),
      port: fc.constantFrom(80, 443),
      protocol: fc.constantFrom('http' as const, 'https' as const, 'tcp' as const),
      method: fc.constantFrom('GET', 'POST'),
    })
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), rule, wanted, (given, extra, asked) => {
        const [without, withIt] = [rules(...given), rules(...given, extra)].map(each => judge(each, asked).allowed)
        if (extra.effect === 'allow') expect(withIt || !without).toBe(true)
        else expect(without || !withIt).toBe(true)
      }),
    )
  })

  it.each([
    '',
    '*',
    '*.',
    '*.org',
    '**.example.org',
    'a.*.org',
    '*a.example.org',
    'http://a.example.org',
    'a b.org',
    '1.2.3',
    '0x7f.1',
  ])('cannot be made for the host "%s"', host => {
    expect(parseRules([{ host }]).ok).toBe(false)
  })

  it('refuse what they do not know', () => {
    for (const given of [
      null,
      {},
      [{}],
      [{ host: 'a.org', port: 0 }],
      [{ host: 'a.org', port: 65_536 }],
      [{ host: 'a.org', extra: 1 }],
    ])
      expect(parseRules(given).ok).toBe(false)
    expect(parseRules([{ host: 'a.org', protocol: 'tcp' }]).ok).toBe(false)
    expect(parseRules([{ host: 'a.org', protocol: 'https', methods: ['GET'] }]).ok).toBe(false)
  })

  it('say which of them cannot be read, and why', () => {
    const said = (given: unknown) => {
      const parsed = parseRules(given)
      return parsed.ok ? null : parsed.problem.message
    }
    expect(said('a.org')).toBe('A network rule cannot be read: Invalid input: expected array, received string.')
    expect(said([{ host: 'a.org' }, { host: 'a.org', port: 70_000 }])).toMatch(/read: rule 2, port: Too big.*65535\.$/)
    expect(said([{ host: 'a.org', protocol: 'ftp' }, {}])).toMatch(
      /read: rule 1, protocol: .*; rule 2, host: [^\n]*\.$/,
    )
  })

  it('take an address with and without brackets', () => {
    for (const host of ['2606:2800:0220:1::1', '[2606:2800:220:1::1]'])
      expect(rules({ host }).map(ruleText)).toEqual(['https://[2606:2800:220:1::1]:443'])
    for (const host of ['fe80::1%eth0', '[::1', '::ffff:127.0.0.01']) expect(parseRules([{ host }]).ok).toBe(false)
  })

  it('read what they write', () => {
    const texts = [
      'https://api.example.org:443',
      'https://*.example.org:8443',
      'http://api.example.org:80',
      'http://api.example.org:8080 GET,POST',
      'tcp://db.example.org:5432',
      'tcp://[2606:2800:220:1::1]:5432',
      'deny tcp://evil.example.org:*',
    ]
    for (const text of texts) {
      const rule = parseRule(text)
      expect(rule.ok && ruleText(rule.value)).toBe(text)
    }
  })

  it('read what people type', () => {
    const read = (text: string) => {
      const rule = parseRule(text)
      return rule.ok ? ruleText(rule.value) : null
    }
    expect(read('api.example.org')).toBe('https://api.example.org:443')
    expect(read('API.Example.org.:8443')).toBe('https://api.example.org:8443')
    expect(read('api.example.org:80')).toBe('http://api.example.org:80')
    expect(read('https://bücher.example/')).toBe('https://xn--bcher-kva.example:443')
    for (const text of [
      '',
      'x y',
      'api.example.org:*',
      'api.example.org/path',
      'user@api.example.org',
      'ftp://a.org',
      'tcp://a.org',
    ])
      expect(read(text)).toBeNull()
  })

  it('of a policy are given to every run that reaches out at all, and what it denies with them', () => {
    const policy = ['https://data.example.org:443', 'deny tcp://evil.example.org:*']
    expect(withPolicy([], policy)).toEqual(['deny tcp://evil.example.org:*', 'https://data.example.org:443'])
    expect(withPolicy(['https://a.org:443'], ['deny tcp://evil.example.org:*'])).toEqual([
      'deny tcp://evil.example.org:*',
      'https://a.org:443',
    ])
    expect(withPolicy([], ['deny tcp://evil.example.org:*'])).toEqual([])
    // What the policy denied before and no longer does is not carried along.
    expect(withPolicy(['https://a.org:443', 'deny tcp://b.org:*'], [])).toEqual(['https://a.org:443'])
  })

  it('are kept in one form, each once', () => {
    const grants = canonicalGrants(['B.example.org', 'https://b.example.org:443/', 'http://a.example.org'])
    expect(grants).toEqual({ ok: true, value: ['http://a.example.org:80', 'https://b.example.org:443'] })
    expect(canonicalGrants(['ok.example.org', 'not ok']).ok).toBe(false)
  })
})
