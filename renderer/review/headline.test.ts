import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Inspection } from '../../src/contract/inspection.ts'
import { headline } from './headline.ts'

const inspection = (impact: Partial<Inspection['impact']> = {}, complete = true): Inspection => ({
  risk: 'high',
  violations: [],
  complexity: 1,
  imports: [],
  complete,
  impact: {
    filesRead: [],
    filesWritten: [],
    filesDeleted: [],
    hosts: [],
    commands: [],
    dataModified: [],
    volume: 'none',
    reversible: 'yes',
    blastRadius: 'contained',
    estimate: { time: 'instant', memory: 'small' },
    ...impact,
  },
})
const target = (name: string | null) => ({ target: name, expression: name ?? 'x', lines: [1] })

describe('the sentence that says what code would do', () => {
  it('names what is deleted first, and says that it cannot be undone', () => {
    const seen = inspection({ filesDeleted: [target('out/')], filesRead: [target('a.csv')], reversible: 'no' })
    expect(headline(seen)).toBe('Deletes “out/”. It cannot be undone.')
  })

  it('counts what it cannot name and never leaves it out', () => {
    const seen = inspection({ filesDeleted: [target('a'), target('b'), target('c'), target(null)], reversible: 'no' })
    expect(headline(seen)).toBe('Deletes “a”, “b”, 1 more, and something unknown. It cannot be undone.')
  })

  it('speaks of reading only where nothing else happens', () => {
    expect(headline(inspection({ filesRead: [target('data.csv')] }))).toBe('Reads “data.csv”.')
  })

  it('claims nothing about code that could not be read to its end', () => {
    expect(headline(inspection({}, false))).toContain('it may do more')
  })

  it('lets no hidden character through, whatever a target is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), name => {
        const said = headline(Inspection.parse(inspection({ filesDeleted: [target(name)] })))
        expect(said).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u001b]/u)
      }),
    )
  })
})
