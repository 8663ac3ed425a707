import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OutputId } from '../contract/conversations.ts'
import type { Output } from '../contract/run.ts'
import { spotsIn } from './candidates.ts'
import { contentsOf } from './contents.ts'
import { findPlace } from './place.ts'

const shown = (...outputs: Output[]) =>
  contentsOf(outputs.map(output => ({ id: OutputId.parse(randomUUID()), output })))
const printed = (text: string): Output => ({ type: 'stream', name: 'stdout', text })
const table = (data: Record<string, unknown>[], primaryKey?: string): Output => ({
  type: 'display',
  data: {
    'application/vnd.dataresource+json': {
      schema: {
        fields: Object.keys(data[0] ?? {}).map(name => ({ name })),
        ...(primaryKey === undefined ? {} : { primaryKey: [primaryKey] }),
      },
      data,
    } as never,
  },
})
const chart = (title?: string): Output => ({
  type: 'display',
  data: {
    'application/vnd.vegalite.v5+json': { mark: 'line', ...(title ? { title } : {}) },
    'text/plain': '<Chart 7>',
  },
})

/** The place of the only spot with this name, as somebody would pin it. */
function placeOf(name: string, contents: ReturnType<typeof shown>) {
  const spot = spotsIn(contents).find(each => each.name === name)
  if (!spot) throw new Error(`${name} is not among ${spotsIn(contents).map(each => each.name)}`)
  return spot.place
}
const valueIn = (contents: ReturnType<typeof shown>, place: ReturnType<typeof placeOf>) => {
  const value = findPlace(contents, place)
  return value && ('shown' in value ? value.shown : value.kind)
}

describe('a number in text', () => {
  const first = shown(printed('Shock: 0 bp\nCET1 ratio: 12.91%\nHeadroom over 7.0%: 295.5 EUR million\n'))

  it('is found by its label when lines come and go around it', () => {
    const place = placeOf('CET1 ratio', first)
    expect(valueIn(first, place)).toBe('12.91%')
    expect(valueIn(shown(printed('Loading 3 files\n\nCET1 ratio: 11.84%')), place)).toBe('11.84%')
  })

  it('keeps a label with a figure in it', () => {
    expect(valueIn(first, placeOf('Headroom over 7.0%', first))).toBe('295.5')
  })

  it('is found under a label in which only a figure differs', () => {
    const place = placeOf('CET1 at 100 bp', shown(printed('CET1 at 100 bp: 12.4 %')))
    expect(valueIn(shown(printed('CET1 at 200 bp: 11.8 %')), place)).toBe('11.8 %')
    expect(valueIn(shown(printed('CET1 at 200 bp: 11.8 %\nCET1 at 300 bp: 11.3 %')), place)).toBeNull()
  })

  it('is not found where its unit is another', () => {
    expect(valueIn(shown(printed('CET1 ratio: 0.1291')), placeOf('CET1 ratio', first))).toBeNull()
  })

  it('is one of several of the same label, and not found when there are more or fewer', () => {
    const three = shown(printed('loss: 1\nloss: 2\nloss: 3\n'))
    const place = placeOf('loss (2 of 3)', three)
    expect(valueIn(three, place)).toBe('2')
    expect(valueIn(shown(printed('loss: 9\nloss: 8\nloss: 7\n')), place)).toBe('8')
    expect(valueIn(shown(printed('loss: 0\nloss: 9\nloss: 8\nloss: 7\n')), place)).toBeNull()
    expect(valueIn(shown(printed('loss: 9\n')), place)).toBeNull()
  })

  it('is read whole when the output came in bites, and without its colours', () => {
    const place = placeOf('CET1 ratio', first)
    expect(valueIn(shown(printed('CET1 ra'), printed('tio: 11.'), printed('84%\n')), place)).toBe('11.84%')
    expect(valueIn(shown(printed('CET1 ratio: \x1b[31m11.84%\x1b[0m\n')), place)).toBe('11.84%')
  })

  it('is not taken from standard error', () => {
    const warned: Output = { type: 'stream', name: 'stderr', text: 'CET1 ratio: 99.99%\n' }
    expect(valueIn(shown(warned, printed('CET1 ratio: 11.84%\n')), placeOf('CET1 ratio', first))).toBe('11.84%')
  })

  it('is found in JSON by its keys, and in an analysis without what that rests on', () => {
    const json: Output = { type: 'result', data: { 'application/json': { capital: { cet1: 12.5 } } } }
    expect(valueIn(shown(json), placeOf('capital.cet1', shown(json)))).toBe('12.5')
    const analysis: Output = {
      type: 'display',
      data: {
        'application/vnd.countersign.analysis+json': { ratio: 0.12, parameters_used: [{ value: 8 }], steps: [] },
      },
    }
    expect(spotsIn(shown(analysis)).map(spot => spot.name)).toEqual(['ratio'])
  })
})

describe('an entry of a table', () => {
  const rows = [
    { bank: 'Alpha', cet1: 12.5, tier: 1 },
    { bank: 'Beta', cet1: 11.25, tier: 1 },
  ]

  it('is found by the row’s name and the column, in whatever order they stand', () => {
    const place = placeOf('Beta · cet1', shown(table(rows)))
    const later = [{ tier: 2, cet1: 9, bank: 'Gamma' }, { tier: 1, cet1: 10.5, bank: 'Beta' }, rows[0] ?? {}]
    expect(valueIn(shown(table(later)), place)).toBe('10.5')
  })

  it('is not found when the row, the column or its only meaning is gone', () => {
    const place = placeOf('Beta · cet1', shown(table(rows)))
    expect(valueIn(shown(table([rows[0] ?? {}])), place)).toBeNull()
    expect(valueIn(shown(table([{ bank: 'Beta', ratio: 1 }])), place)).toBeNull()
    expect(
      valueIn(
        shown(
          table([
            { bank: 'Beta', cet1: 1 },
            { bank: 'Beta', cet1: 2 },
          ]),
        ),
        place,
      ),
    ).toBeNull()
  })

  it('goes by the key of the schema, and by number where a row has no name', () => {
    const dated = shown(
      table(
        [
          { year: 2024, cet1: 12 },
          { year: 2025, cet1: 13 },
        ],
        'year',
      ),
    )
    expect(valueIn(shown(table([{ year: 2025, cet1: 14 }], 'year')), placeOf('2025 · cet1', dated))).toBe('14')
    const counted = shown(
      table(
        [
          { index: 0, cet1: 12 },
          { index: 1, cet1: 13 },
        ],
        'index',
      ),
    )
    expect(valueIn(counted, placeOf('Row 2 · cet1', counted))).toBe('13')
  })

  it('keeps the decimals of exact numbers that travel as text', () => {
    const exact = shown(table([{ item: 'RWA', value: '5000.10' }]))
    expect(valueIn(exact, placeOf('RWA · value', exact))).toBe('5000.10')
  })

  it('is looked for in the one table that has it when another table was put before', () => {
    const place = placeOf('Beta · cet1', shown(table(rows)))
    expect(valueIn(shown(table([{ note: 'first', x: 1 }]), table(rows)), place)).toBe('11.25')
  })
})

describe('a table or chart', () => {
  it('is found by columns or title, whatever else is shown', () => {
    const one = shown(table([{ bank: 'A', cet1: 1 }]), chart('CET1'), chart('Loss'))
    const [named, tabular] = [placeOf('Loss', one), placeOf('Table of bank, cet1', one)]
    const other = shown(chart('New'), chart('Loss'), table([{ bank: 'B', cet1: 2 }]), table([{ x: 1 }]))
    expect(valueIn(other, named)).toBe('chart')
    expect(valueIn(other, tabular)).toBe('table')
    expect(valueIn(shown(chart('Losses')), named)).toBeNull()
    expect(valueIn(shown(table([{ x: 1 }])), tabular)).toBeNull()
  })

  it('that got a column is still the only table of its cell', () => {
    const place = placeOf('Table of bank, cet1', shown(table([{ bank: 'A', cet1: 1 }])))
    expect(valueIn(shown(table([{ bank: 'A', cet1: 1, tier: 1 }])), place)).toBe('table')
  })

  it('without a title goes by its number, as long as there are as many', () => {
    const place = placeOf('Chart (2 of 2)', shown(chart(), chart()))
    expect(valueIn(shown(chart(), chart()), place)).toBe('chart')
    expect(valueIn(shown(chart(), chart(), chart()), place)).toBeNull()
  })
})

it('whatever is offered is found again in the same outputs', () => {
  const text = fc.stringMatching(/^[A-Za-z0-9 :.,%()=+\-\n]{0,80}$/).map(printed)
  const rows = fc.array(
    fc.record({ name: fc.string({ maxLength: 4 }), value: fc.double(), other: fc.json() as never }),
    {
      maxLength: 4,
    },
  )
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          text,
          rows.map(each => table(JSON.parse(JSON.stringify(each)))),
          fc.constant(chart()),
        ),
      ),
      outputs => {
        const contents = shown(...outputs)
        for (const { place, value } of spotsIn(contents)) expect(findPlace(contents, place)).toEqual(value)
      },
    ),
    { numRuns: 200 },
  )
})

it('finds what was typed among the entries of a large table', () => {
  const large = Array.from({ length: 20_000 }, (_, at) => ({ bank: `bank ${at}`, cet1: at / 100 }))
  expect(spotsIn(shown(table(large)), 'bank 19999 cet1').map(spot => spot.name)).toEqual(['bank 19999 · cet1'])
})
