import { expect, it } from 'vitest'
import { compareEffects } from './effects.ts'
import type { Impact } from './inspection.ts'

const nothing: Impact = {
  ...{ filesRead: [], filesWritten: [], filesDeleted: [], hosts: [], commands: [], dataModified: [] },
  ...{ volume: 'none', reversible: 'yes', blastRadius: 'contained' },
  estimate: { time: 'instant', memory: 'small' },
}
const unforeseen = (target: string, file: string) => {
  const impact = { ...nothing, filesWritten: [{ target, expression: target, lines: [1] }] }
  const files = { created: [file], modified: [], deleted: [] }
  return compareEffects(impact, { files, network: [] }).unforeseen
}

it.each([
  ['out/*.csv', 'out/a.csv', true],
  ['out/*.csv', 'out/.csv', true],
  ['out/*.csv', 'out/a.txt', false],
  ['*-*-*.csv', '2026-01-02.csv', true],
  ['*-*-*.csv', '2026-01.csv', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['*', 'anything/at all', true],
  ['a.b*', 'axb1', false],
])('%s covers %s: %s', (target, file, covers) => {
  expect(unforeseen(target, file)).toEqual(covers ? [] : [`created ${file}`])
})

it('a long answer of a tool is a file that nobody has to foresee, and no other one is', () => {
  const files = { created: ['ledger-list-1.json', 'b.json'], modified: ['c.json'], deleted: [] }
  const tools = [{ file: 'ledger-list-1.json' }, {}, { file: 'c.json' }]
  expect(compareEffects(nothing, { files, network: [], tools }).unforeseen).toEqual([
    'created b.json',
    'modified c.json',
  ])
})

it('is not held up by a pattern and a name that code has chosen for each other', () => {
  const name = 'a'.repeat(4000)
  expect(unforeseen(`${'*a'.repeat(200)}b`, name)).toEqual([`created ${name}`])
})
