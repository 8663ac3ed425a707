import { describe, expect, it } from 'vitest'
import type { NewAllowed } from '../../src/contract/privacy.ts'
import { allowedWords, countWords, fateOf, wordsFrom } from './words.ts'

const words = wordsFrom([
  { rule: 'email', type: 'EMAIL', title: 'E-mail address' },
  { rule: 'ipv4', type: 'IP_ADDRESS', title: 'IPv4 address' },
  { rule: 'ipv6', type: 'IP_ADDRESS', title: 'IPv6 address' },
  { rule: 'a', type: 'NEW_KIND', title: 'One way' },
  { rule: 'b', type: 'NEW_KIND', title: 'Another way' },
  { rule: 'c', type: 'IE_PPSN', title: 'Irish number with spaces' },
  { rule: 'd', type: 'IE_PPSN', title: 'Irish number' },
])

describe('the words of a finding', () => {
  it('are the title of its only rule, else the name of what its rules share', () => {
    expect(['EMAIL', 'IP_ADDRESS', 'IE_PPSN', 'NEW_KIND', 'UNHEARD_OF'].map(words.type)).toEqual([
      'E-mail address',
      'IP address',
      'Irish number',
      'New kind',
      'Unheard of',
    ])
    expect(countWords({ IP_ADDRESS: 1, EMAIL: 1200 }, words)).toEqual(['E-mail address × 1,200', 'IP address'])
  })
})

describe('the words of a grant', () => {
  const entry: NewAllowed = { kind: 'exact', value: 'a@b.ie', type: 'EMAIL', conversation: null, note: '' }

  it('name all that it lets through', () => {
    expect(allowedWords(entry, '“a@b.ie”', words)).toBe(
      '“a@b.ie” is no longer found as E-mail address in every conversation: it leaves as it is.',
    )
    expect(allowedWords({ ...entry, kind: 'pattern', value: '*@b.ie', type: null }, '', words)).toBe(
      'Everything of the form *@b.ie is no longer found as anything in every conversation: it leaves as it is.',
    )
  })
})

describe('what became of what was found', () => {
  it('is never called replaced when it left', () => {
    const found = { EMAIL: 1 }
    expect(fateOf({ mode: 'enforce', result: 'sent', found })).toBe('Replaced')
    expect(fateOf({ mode: 'report', result: 'sent', found })).toBe('Found, and sent as it was')
    expect(fateOf({ mode: 'off', result: 'sent', found: {} })).toBe('Not looked at')
    expect(fateOf({ mode: 'enforce', result: 'held', found: {} })).toMatch(/^Held back/)
    expect(fateOf({ mode: 'report', result: 'sent', found: {} })).toBe('Nothing found')
  })
})
