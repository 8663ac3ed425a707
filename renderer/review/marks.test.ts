import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Violation } from '../../src/contract/inspection.ts'
import { linesOf } from '../../src/contract/lines.ts'
import { hiddenCharacters, lineNotes, marksOf } from './marks.ts'

const violation = (line: number, severity: Violation['severity'], message: string): Violation => ({
  rule: 'test',
  type: 'deletion',
  severity,
  line,
  column: 1,
  endLine: line,
  endColumn: 4,
  message,
  recommendation: 'Do otherwise.',
})

const request = (code: string, violations: Violation[], lines: number[] = []) =>
  ({
    code,
    inspection: { violations },
    reasons: [{ kind: 'operation', action: 'approve', text: 'The code deletes files.', lines }],
  }) as never

describe('what stands on the lines', () => {
  it('is the worst finding of the line, with the number of others', () => {
    const notes = lineNotes(request('a\nb', [violation(2, 'medium', 'reads'), violation(2, 'critical', 'wipes')]))
    expect(notes).toEqual([{ line: 2, severity: 'critical', text: 'wipes (+1)' }])
  })

  it('is the word of the policy where no finding stands', () => {
    const notes = lineNotes(request('a\nb', [violation(1, 'high', 'wipes')], [1, 2]))
    expect(notes.map(note => [note.line, note.text])).toEqual([
      [1, 'wipes'],
      [2, 'The code deletes files.'],
    ])
  })

  it('never points below the last line', () => {
    expect(marksOf(request('a', [violation(9, 'high', 'wipes')], [7])).map(mark => mark.line)).toEqual([1])
  })
})

describe('hidden characters', () => {
  it('are found with their place and their name', () => {
    expect(hiddenCharacters('ok\nx = "a\u202e\u200b"')).toEqual([
      { line: 2, column: 7, length: 1, name: '⟨U+202E⟩' },
      { line: 2, column: 8, length: 1, name: '⟨U+200B⟩' },
    ])
  })

  it('are letters of another script in a Latin word, and not words of that script', () => {
    expect(hiddenCharacters('p\u0430ypal').map(each => each.name)).toEqual(['⟨U+0430⟩'])
    expect(hiddenCharacters('# \u043f\u0440\u0438\u0432\u0435\u0442')).toEqual([])
  })

  it('are tabs that push text aside, and not the indent of a line or its Windows end', () => {
    expect(hiddenCharacters('\tif x:\r\n\t\tpass\r')).toEqual([])
    expect(hiddenCharacters('x = 1\t\t# hidden').map(each => each.name)).toEqual(['⇥', '⇥'])
  })

  it('are escapes of a terminal', () => {
    expect(hiddenCharacters('print("\u001b[2K")').map(each => each.name)).toEqual(['⟨U+001B⟩'])
  })

  it('point at themselves in whatever text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), code => {
        const lines = linesOf(code)
        for (const { line, column, length } of hiddenCharacters(code)) {
          expect(lines[line - 1]?.slice(column - 1, column - 1 + length)).toHaveLength(length)
        }
      }),
    )
  })
})
