import { describe, expect, it } from 'vitest'
import { detectors } from '../detectors/detectors.ts'
import { Scanner } from './scanner.ts'

const scanner = new Scanner(detectors)

/** Built to make patterns backtrack, look-backs look back for ever, and finders start over at every character. */
const bait: Record<string, string> = {
  digits: '1234567890',
  'digits in groups': '1234 5678 ',
  'digits and hyphens': '12-34-',
  dots: '1.1.1.',
  letters: 'a',
  'at signs': 'a@a@',
  'local part': `${'a.'.repeat(40)}@`,
  domain: `a@${'a-'.repeat(30)}`,
  colons: 'a:a:',
  hex: 'ab:cd:',
  'double colons': 'f::f::',
  'token prefix': 'eyJ-eyJ.',
  'jwt run': 'eyJaaaaaaaaaaaaaaaaaaaa.',
  'slack prefix': 'xoxb-xoxb-',
  'key prefix': 'sk-proj-sk-ant-',
  'stripe prefix': 'sk_live_',
  'key block': '-----BEGIN PRIVATE KEY-----',
  'key block with body': '-----BEGIN PRIVATE KEY-----\nMIIEaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n',
  'key block end': '-----END',
  assignment: 'password="',
  'assignment without end': 'password=a',
  'name before sign': 'api_key.secret-token',
  url: 'a://a:a',
  'url with sign': 'postgres://u:',
  'url with settings': 'jdbc:sqlserver://a;a;',
  'plus and digits': '+1 2 3',
  brackets: '(1(1(',
  names: 'John ',
  'names with particles': 'Dear van der ',
  'name labels': 'Name: A ',
  'context words': 'ssn 12345678 ',
  vat: 'GB 1 2 3 4 5 ',
  iban: 'DE89 ',
  'zero width': '1\u200b',
  'full width': '１２３４',
  quotes: '"\'"\'',
  'curl -u': 'curl -u a:',
  'look-alike tokens': '[EMAIL_1',
  months: '12 March 1980 ',
  degrees: '1°1′1″',
  decimals: '1.12345, 1.12345, ',
  newlines: '\n',
  'lone surrogates': '\ud800',
  commas: '"a", "a", ',
}

describe('a text made to be slow', () => {
  it.each(Object.entries(bait))('takes time in proportion to its length: %s', (_name, unit) => {
    const timeOf = (length: number): number => {
      const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
      const before = process.threadCpuUsage()
      scanner.scan(text)
      const spent = process.threadCpuUsage(before)
      return (spent.user + spent.system) / length
    }
    timeOf(50_000)
    const small = Math.min(timeOf(50_000), timeOf(50_000))
    const large = Math.min(timeOf(400_000), timeOf(400_000))
    // Microseconds a character: far from what any quadratic step would need at this length.
    expect(large).toBeLessThan(Math.max(small * 4, 0.1) + 0.4)
    expect(large).toBeLessThan(3)
  })
})
