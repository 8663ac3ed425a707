import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { detectors } from '../detectors/detectors.ts'
import { compile } from './compile.ts'
import { longestPiece, markWords, readCodes, siftMarks } from './marks/marks.ts'
import { Scanner } from './scanner.ts'

const sifted = new Scanner(detectors)
let unsifted: Scanner

beforeAll(async () => {
  vi.resetModules()
  vi.doMock('./marks/marks.ts', async original => ({
    ...(await original<typeof import('./marks/marks.ts')>()),
    siftMarks: (count: number) => count,
  }))
  const { Scanner: Unsifted } = await import('./scanner.ts')
  unsifted = new Unsifted(detectors)
})

const examples = detectors.flatMap(({ examples: { found, ignored } }) => [...found, ...ignored])

/** What finders look at first, and what the sieve therefore has to know as well. */
const bits = [
  ...' :=,()[]{}<>"\'`-_.+~/$@#%|?*&;\\\n\t°é٣\u200b\u00a0',
  '::',
  '://',
  '--',
  '-u ',
  ' -p ',
  ' is ',
  'name is ',
  'Dr ',
  'Regards,\n',
  'password',
  'api_key',
  'db_pw',
  'iban',
  'policy no',
  'BEGIN ',
  'ENV ',
  '=lambda',
  'value',
  'default',
  '1',
  '12',
  '123',
  '2026',
  '12345',
  '123456789',
  'ab ',
  'hrb ',
  'a1',
  'A1b2',
  'IE29',
  'face',
  'T09:30:00.5Z',
  '.25',
  'echo ',
  'count=',
  'account=',
  'sort code=',
  'bytes=1234567',
]

const text = fc
  .array(
    fc.oneof(
      { arbitrary: fc.constantFrom(...examples), weight: 2 },
      { arbitrary: fc.constantFrom(...bits), weight: 3 },
      { arbitrary: fc.string({ maxLength: 6 }), weight: 1 },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .chain(parts =>
    fc.record({
      joined: fc.constantFrom(parts.join(''), parts.join(' '), parts.join('\n')),
      from: fc.nat({ max: 20 }),
      cut: fc.nat({ max: 400 }),
      gone: fc.nat({ max: 2 }),
    }),
  )
  // A character or two are taken out of the middle, so that what stands next to each other is new.
  .map(({ joined, from, cut, gone }) => joined.slice(from, from + cut) + joined.slice(from + cut + gone))

describe('what the sieve turns away', () => {
  it('is nothing to any finder: every example is found or ignored as without it', () => {
    for (const example of examples) expect(sifted.scan(example), example).toEqual(unsifted.scan(example))
  })

  it('is nothing to any finder: neither in whatever is written side by side', () => {
    fc.assert(
      fc.property(text, written => {
        expect(sifted.scan(written)).toEqual(unsifted.scan(written))
      }),
      { numRuns: 4000 },
    )
  })

  it.each([
    'handelsregister hrb 42, berlin',
    'number plate: ab 4821\n',
    'my passport k40 718 265',
    'policy no. q7w2e9r44',
    'curl https://host -u admin:Sesame42',
    'char password[16] = "Sesame42!"',
    'password=lambda42!',
    'password=laundau7!',
    // A word that reaches into the neighbourhood of the last number, and was or was not read for another one.
    'Steuernummer 643/7325\n&\ntoken = "sk_SnpIHvMHA8bf4u#SnpIHvMHA8bf4u"\nbytes=1234567\n695742718',
  ])('is not `%s`', written => {
    expect(unsifted.scan(written)).not.toEqual([])
    expect(sifted.scan(written)).toEqual(unsifted.scan(written))
  })

  it.each(['a1', 'A', 'a', '1', '_', 'Az_9', 'é1', 'key=', '٣'])('may be one endless run of `%s`', unit => {
    const run = unit.repeat(longestPiece / unit.length)
    expect(sifted.scan(run)).toEqual(unsifted.scan(run))
  })

  it('is nearly all of ordinary text', () => {
    const { sieve } = compile(detectors)
    const line =
      '2026-03-14T09:30:00.123Z INFO [worker-3] GET /api/v1/rows/48213 status=200 duration=17ms\n' +
      'const total = Object.values(input).reduce((sum, value) => sum + value * 1.25, 0) // The Sum of Rows: see below.\n'
    const ordinary = line.repeat(100)
    readCodes(ordinary)
    const marked = markWords(ordinary.length)
    expect(marked).toBeGreaterThan(4000)
    expect(siftMarks(marked, sieve, { userOption: false, onlySure: true })).toBeLessThan(marked / 10)
  })

  it('follows the detectors of the scanner that reads', () => {
    const onlyCards = new Scanner(detectors.filter(({ rule }) => rule === 'credit-card'))
    const key = `token ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    expect(sifted.scan(key)).toHaveLength(1)
    expect(onlyCards.scan(key)).toEqual([])
    expect(sifted.scan(key)).toHaveLength(1)
  })
})
