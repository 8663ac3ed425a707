import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Item } from '../contract/conversations.ts'
import { CellId, PathId } from '../contract/ids.ts'
import type { Output } from '../contract/run.ts'
import { comparePaths, type Whole } from './comparing.ts'
import { numbersIn, pairNumbers } from './numbers.ts'
import { replayReport, verdictOn } from './replaying.ts'
import { printed } from './testing.ts'

const whole = (text: string, id: string = randomUUID(), outputs: Output[] = []): Whole => {
  const shared = { revision: 1, author: 'analyst' as const, text, inherited: false, changedAt: 0 }
  const item: Item = { kind: 'cell', id: CellId.parse(id), ...shared, language: 'python', lastRun: null }
  return { item, outputs }
}

describe('comparing two paths', () => {
  it('sets the same item against itself and new ones in their places', () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]
    const rows = comparePaths(
      [whole('a', a), whole('b', b), whole('left', undefined), whole('c', c)],
      [whole('a', a), whole('B', b), whole('right'), whole('c', c), whole('end')],
    )
    expect(rows.map(row => [row.status, row.left?.text, row.right?.text])).toEqual([
      ['same', 'a', 'a'],
      ['changed', 'b', 'B'],
      ['changed', 'left', 'right'],
      ['same', 'c', 'c'],
      ['right-only', undefined, 'end'],
    ])
  })

  it('shows every item of both sides exactly once, in whatever order they are', () => {
    const ids = Array.from({ length: 8 }, () => randomUUID())
    const side = fc.uniqueArray(fc.nat({ max: 7 })).map(list => list.map(index => whole(`t${index % 3}`, ids[index])))
    fc.assert(
      fc.property(side, side, (left, right) => {
        const rows = comparePaths(left, right)
        const sorted = (items: (string | undefined)[]) => items.filter(id => id !== undefined).sort()
        expect(sorted(rows.map(row => row.left?.id))).toEqual(sorted(left.map(each => each.item.id)))
        expect(sorted(rows.map(row => row.right?.id))).toEqual(sorted(right.map(each => each.item.id)))
      }),
    )
  })
})

describe('numbers in output', () => {
  it('are read as people write them, with the words before them', () => {
    const text = 'CET1 ratio: 12.91 %\nLoss = -1,234,567.5 EUR\nshift 200bp\ncet1 v10.0.0.1 1e-3 €1,200\n'
    expect(numbersIn([printed(text)])).toEqual([
      { label: 'CET1 ratio', value: 12.91, unit: '%', shown: '12.91 %' },
      { label: 'Loss', value: -1234567.5, unit: '', shown: '-1,234,567.5' },
      { label: 'shift', value: 200, unit: 'bp', shown: '200bp' },
      { label: 'cet1 v10.0.0.1', value: 0.001, unit: '', shown: '1e-3' },
      { label: '', value: 1200, unit: '€', shown: '€1,200' },
    ])
  })

  it('keep the figures of their label, so that the same result is found on the other side', () => {
    const text = (headroom: number) => `Headroom over 7.0%: ${headroom}%\nLoss at 200 bp shock = 12.5\n`
    expect(pairNumbers([printed(text(5.91))], [printed(text(4.84))])).toEqual([
      { label: 'Headroom over 7.0%', left: 5.91, right: 4.84, unit: '%', absolute: -1.07, relative: -1.07 / 5.91 },
      { label: 'Loss at 200 bp shock', left: 12.5, right: 12.5, unit: '', absolute: 0, relative: 0 },
    ])
    expect(numbersIn([printed('rows 12, columns: 9\nat 12:30  total: 4')]).map(each => each.value)).toEqual([
      12, 9, 12, 30, 4,
    ])
  })

  it('are paired by label, with a difference that has no stray digits', () => {
    expect(pairNumbers([printed('a 0.1\nb 0\nc 5')], [printed('b 2\na 0.3')])).toEqual([
      { label: 'a', left: 0.1, right: 0.3, unit: '', absolute: 0.2, relative: 2 },
      { label: 'b', left: 0, right: 2, unit: '', absolute: 2, relative: null },
    ])
  })

  it('are found in JSON results by their place', () => {
    const json = (rate: number): Output => ({ type: 'result', data: { 'application/json': { tax: [{ rate }] } } })
    expect(pairNumbers([json(0.2)], [json(0.25)])).toMatchObject([{ label: 'tax[0].rate', absolute: 0.05 }])
  })

  it('take no longer than the output is long', () => {
    const hostile = ['1,'.repeat(100_000), '1'.repeat(200_000), '1.'.repeat(100_000), ' '.repeat(200_000)]
    const before = process.threadCpuUsage()
    for (const text of hostile) numbersIn([printed(text)])
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2000)
  })
})

describe('the verdict on a replay', () => {
  const cell = CellId.parse(randomUUID())
  const verdict = (recorded: Output[] | null, outputs: Output[], stale = false) =>
    verdictOn({ cell, recorded, stale, replayed: { outputs } })

  it('is identical when only the cutting of streams and places in memory differ', () => {
    const recorded = [printed('a\n'), printed('<M at 0x7f00aa11>\n')]
    expect(verdict(recorded, [printed('a\n<M at 0x7f99bb22>\n')]).verdict).toBe('identical')
  })

  it('is different with what changed, as text and as numbers', () => {
    const { verdict: said, differences } = verdict([printed('rate 1.5\n')], [printed('rate 1.75\n')])
    expect(said).toBe('different')
    expect(differences).toMatchObject([
      { what: 'stdout', recorded: 'rate 1.5\n', replayed: 'rate 1.75\n', numbers: [{ label: 'rate', absolute: 0.25 }] },
    ])
  })

  it('is not reproducible when it failed, was never run, was changed since or could not be run', () => {
    const error: Output = { type: 'error', error: { kind: 'runtime', name: 'KeyError', message: 'x', traceback: [] } }
    const cells = [
      { cell, recorded: [printed('1')], stale: false, replayed: { outputs: [error] } },
      { cell, recorded: null, stale: false, replayed: { outputs: [] } },
      { cell, recorded: [printed('1')], stale: true, replayed: { outputs: [printed('1')] } },
      { cell, recorded: [printed('1')], stale: false, replayed: { reason: 'A reviewer denied it.' } },
      { cell, recorded: [error], stale: false, replayed: { outputs: [error] } },
    ]
    const report = replayReport(PathId.parse(randomUUID()), cells)
    expect(report.counts).toEqual({ identical: 1, different: 0, 'not-reproducible': 4 })
    expect(report.verdict).toBe('not-reproducible')
    expect(report.cells[0]?.reason).toBe('The replay failed: KeyError: x')
    expect(report.cells[3]?.reason).toBe('A reviewer denied it.')
  })
})
