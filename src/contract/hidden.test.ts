import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hidden, hideValues } from './hidden.ts'
import type { Redaction, ShownFinding } from './privacy.ts'

const around = 40

function redactionOf(original: string, spans: readonly [number, number][]): Redaction {
  const findings = spans.map(([start, end], index): ShownFinding => {
    const before = original.slice(Math.max(0, start - around), start)
    const after = original.slice(end, end + around)
    const token = `[EMAIL_${index + 1}]`
    return { start, end, type: 'EMAIL', rule: 'email', score: 1, field: '', token, before, after }
  })
  return { original, sent: '', findings, counts: {} }
}

describe('hidden values', () => {
  it('show their shape and nothing else', () => {
    expect(hidden('jane.doe@bank.ie')).toBe('••••.•••@••••.••')
    expect(hidden('4242 4242-4242')).toBe('•••• ••••-••••')
    expect(hidden('pässwörd!𝟘')).toBe('•••••••••••')
  })

  it('are hidden in the words around other findings too', () => {
    const text = 'from a@b.ie to c@d.ie'
    const { original, findings } = hideValues(
      redactionOf(text, [
        [5, 11],
        [15, 21],
      ]),
    )
    expect(original).toBe('from •@•.•• to •@•.••')
    expect(findings.map(({ before, after }) => [before, after])).toEqual([
      ['from ', ' to •@•.••'],
      ['from •@•.•• to ', ''],
    ])
  })

  it('leave every offset where it was, whatever the text', () => {
    const spans = fc
      .uniqueArray(fc.nat(200), { maxLength: 8 })
      .map(numbers => numbers.sort((a, b) => a - b))
      .map(sorted => sorted.flatMap((start, at) => (at % 2 === 0 && sorted[at + 1] ? [[start, sorted[at + 1]]] : [])))
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 201, maxLength: 300 }), spans, (text, pairs) => {
        const before = redactionOf(text, pairs as [number, number][])
        const after = hideValues(before)
        expect(after.original).toHaveLength(text.length)
        for (const [index, { start, end }] of before.findings.entries()) {
          expect(after.original.slice(start, end)).toMatch(/^[\s@.\-/•]*$/)
          expect(after.findings[index]?.before).toHaveLength(before.findings[index]?.before.length ?? -1)
          expect(after.findings[index]?.after).toHaveLength(before.findings[index]?.after.length ?? -1)
        }
      }),
    )
  })
})
