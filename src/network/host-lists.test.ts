import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostLists } from './host-lists.ts'
import { judge, parseRule } from './rules.ts'

const listed = (...grants: string[]) => {
  const lists = hostLists(grants)
  return lists.ok ? lists.value : lists.problem.message
}

describe('the host lists of a service', () => {
  it('are empty without a grant', () => expect(listed()).toEqual([]))

  it('name the hosts that were granted with https, and their subdomains', () =>
    expect(listed('https://b.example.org:443', 'https://*.a.example.org:443', 'https://b.example.org:443')).toEqual([
      '*.a.example.org',
      'b.example.org',
    ]))

  it('take plain http only with every method', () => {
    expect(listed('http://a.example.org:80')).toContain('know no methods')
    expect(listed('http://a.example.org:80 GET,HEAD,OPTIONS,POST,PUT,PATCH,DELETE')).toEqual(['a.example.org'])
  })

  it.each([
    ['https://a.example.org:8443', 'no ports'],
    ['tcp://db.example.org:5432', 'web servers only'],
    ['https://93.184.216.34:443', 'on every port'],
    ['https://[2606:4700::1111]:443', 'on every port'],
  ])('refuse %s', (grant, why) => {
    expect(hostLists(['https://b.example.org:443', grant])).toMatchObject({
      ok: false,
      problem: { code: 'sandbox.refused-network', message: expect.stringContaining(why) },
    })
  })

  it('leave out what is denied, and refuse where only a part of it is', () => {
    const granted = 'https://*.example.org:443'
    expect(listed(granted, 'deny tcp://*.example.org:*')).toEqual([])
    expect(listed('https://*.a.example.org:443', 'deny https://*.example.org:443')).toEqual([])
    expect(listed(granted, 'deny https://a.example.org:443')).toContain('denies a part')
    expect(listed(granted, 'deny http://*.example.org:80')).toContain('denies a part')
    expect(listed(granted, 'deny https://other.example.net:443')).toEqual(['*.example.org'])
    expect(listed(granted, 'deny tcp://a.example.org:5432')).toEqual(['*.example.org'])
  })

  it('never open a host that the rules do not allow by https or http', () => {
    const host = fc.constantFrom('example.org', 'a.example.org', 'b.a.example.org', 'example.net')
    const pattern = fc.tuple(fc.boolean(), host).map(([wild, name]) => (wild ? `*.${name}` : name))
    const effect = fc.constantFrom('', 'deny ')
    const where = fc.constantFrom(['https', '443'], ['https', '*'], ['http', '80'], ['tcp', '*'], ['https', '8443'])
    const methods = ' GET,HEAD,OPTIONS,POST,PUT,PATCH,DELETE'
    const grant = fc.tuple(effect, pattern, where).map(([deny, name, [protocol = '', port = '']]) => {
      const all = protocol === 'http' && deny === '' ? methods : ''
      return `${deny}${protocol}://${name}:${deny === '' && port === '*' ? '443' : port}${all}`
    })
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 5 }), host, (grants, asked) => {
        const lists = hostLists(grants)
        if (!lists.ok) return
        const isOpen = lists.value.some(each =>
          each.startsWith('*.') ? asked.endsWith(each.slice(1)) : each === asked,
        )
        if (!isOpen) return
        const rules = grants.flatMap(text => {
          const rule = parseRule(text)
          return rule.ok ? [rule.value] : []
        })
        const https = judge(rules, { host: asked, port: 443, protocol: 'https' })
        const http = judge(rules, { host: asked, port: 80, protocol: 'http', method: 'POST' })
        expect(https.allowed || http.allowed).toBe(true)
        // What a rule denies must not be open, whatever else is.
        for (const each of [https, http]) if (!each.allowed) expect(each.why).toBe('not-granted')
      }),
      { numRuns: 2000 },
    )
  })
})
