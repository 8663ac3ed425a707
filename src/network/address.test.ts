import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalAddress, forbiddenAddress, ownAddresses, sameAddress } from './address.ts'
import { forbiddenAddresses } from './attack/forms.testing.ts'

const none = new Set<string>()
const dotted = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map(bytes => bytes.join('.'))
const hex = (address: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

describe('addresses', () => {
  it.each(forbiddenAddresses)('refuse %s', address => {
    expect(forbiddenAddress(address, none)).not.toBeNull()
  })

  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '11.0.0.0',
    '9.255.255.255',
  ])('allow %s', address => expect(forbiddenAddress(address, none)).toBeNull())
  it.each(['2606:4700::1111', '2a00:1450:4001::1', '64:ff9b::1.1.1.1', '2001:200::1', '3ffe::1'])('allow %s', address =>
    expect(forbiddenAddress(address, none)).toBeNull(),
  )

  it('judge NAT64 by the address inside', () => {
    fc.assert(
      fc.property(dotted, address => {
        expect(forbiddenAddress(`64:ff9b::${hex(address)}`, none)).toBe(forbiddenAddress(address, none))
      }),
    )
  })

  it('refuse every other form of IPv4 inside IPv6, whatever it holds', () => {
    fc.assert(
      fc.property(dotted, address => {
        const inside = hex(address)
        for (const form of [
          `::${inside}`,
          `::ffff:${inside}`,
          `::ffff:0:${inside}`,
          `2002:${inside}::1`,
          `2001:0:${inside}::1`,
          `64:ff9b:1::${inside}`,
          ...['', '100:', '200:', '300:'].map(bits => `2a00:1::${bits}5efe:${inside}`),
        ])
          expect(forbiddenAddress(form, none)).not.toBeNull()
      }),
    )
  })

  it('allow nothing of IPv6 outside 2000::/3 but NAT64', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
    fc.assert(
      fc.property(bytes, given => {
        const groups = Array.from({ length: 8 }, (_, at) =>
          ((given[at * 2] ?? 0) * 256 + (given[at * 2 + 1] ?? 0)).toString(16),
        )
        const address = groups.join(':')
        if (forbiddenAddress(address, none) === null && !address.startsWith('64:ff9b:0:0:0:0:'))
          expect((given[0] ?? 0) >> 5).toBe(1)
      }),
    )
  })

  it('refuse those of this machine, also through NAT64', () => {
    expect(forbiddenAddress('93.184.216.34', new Set(['93.184.216.34']))).toBe('an address of this machine')
    expect(forbiddenAddress('64:ff9b::93.184.216.34', new Set(['93.184.216.34']))).toBe('an address of this machine')
    expect(ownAddresses().has('127.0.0.1')).toBe(true)
  })

  it('refuse texts that are none', () => {
    for (const text of ['', '1.2.3', '01.2.3.4', '1.2.3.4.5', 'fe80::1%eth0', '::g', 'example.org', '0x7f.0.0.1'])
      expect(forbiddenAddress(text, none)).toBe('not an address')
  })

  it('are the same however they are written', () => {
    expect(sameAddress('2606:2800:220:1:0:0:0:1', '2606:2800:0220:1::1')).toBe(true)
    expect(sameAddress('::ffff:1.2.3.4', '1.2.3.4')).toBe(false)
    expect(sameAddress('', '')).toBe(false)
    expect(canonicalAddress('0.0.0.0.0')).toBeNull()
  })
})
