import { describe, expect, it } from 'vitest'
import { forScreen } from './figures.ts'

describe('an answer on the screen', () => {
  it('has links at its figures and values in the place of tokens', () => {
    const text = '[PERSON_1] owes 1,200.50 and 7 %.'
    const figures = [
      { start: 16, end: 24, cell: 'c1' as never },
      { start: 29, end: 32, cell: null },
    ]
    expect(forScreen(text, figures, { '[PERSON_1]': 'Ann Byrne' })).toBe(
      'Ann Byrne owes [1,200.50](#figure-c1) and [7 %](#not-computed "not computed here").',
    )
  })

  it('leaves a text alone that was changed since its figures were looked for', () => {
    expect(forScreen('short', [{ start: 90, end: 99, cell: null }], {})).toBe('short')
  })
})
