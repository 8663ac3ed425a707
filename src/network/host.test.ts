import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostForms } from './attack/forms.testing.ts'
import { addressHost, canonicalHost } from './host.ts'

describe('host names', () => {
  it.each([
    ['API.ECB.Europa.EU', 'api.ecb.europa.eu'],
    ['example.org.', 'example.org'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['3com.example', '3com.example'],
    ['1.2.3.4', '1.2.3.4'],
    ['[2606:2800:0220:0001::0001]', '2606:2800:220:1::1'],
  ])('have one form: %s', (text, expected) => {
    expect(canonicalHost(text)?.text).toBe(expected)
  })

  it('that are written as numbers are addresses in their usual form, or nothing', () => {
    for (const form of hostForms) {
      const host = canonicalHost(form)
      if (host?.kind === 'name') expect(form.toLowerCase()).toMatch(/^(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*\.?$/)
      if (host?.kind === 'address' && !form.startsWith('[')) expect(host.text).toBe(form)
    }
  })

  it('refuse letters that only look like others', () => {
    for (const form of [
      'ｅcb.europa.eu',
      '１.example',
      'a。example',
      'lo\u00adcal.example',
      'a\u200db.example',
      'xn--a.example',
      'ban\u212a.example',
      'ban\u212aé.example',
      'İ.example',
    ])
      expect(canonicalHost(form)).toBeNull()
  })

  it('come out as they went in the second time, and hold nothing odd', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.stringMatching(/^[a-z0-9.%:[\]@\\#?/ _-]{0,40}$/),
      fc
        .array(fc.constantFrom('a', 'é', 'xn--', '.', '-', '1', '0x', '٣', 'ß', 'ı', '[', ']', ':', '%'), {
          maxLength: 20,
        })
        .map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(text, given => {
        const host = canonicalHost(given)
        if (host?.kind === 'name') {
          expect(host.text).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/)
          expect(host.text).not.toMatch(/(?:^|\.)[0-9][^.]*$/)
          expect(canonicalHost(host.text)).toEqual(host)
        } else if (host) expect(addressHost(host.text)).toEqual(host)
      }),
      { numRuns: 2000 },
    )
  })
})
