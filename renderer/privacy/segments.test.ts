import { describe, expect, it } from 'vitest'
import type { Redaction, ShownFinding } from '../../src/contract/privacy.ts'
import { firstOf, originalSegments, sentSegments } from './segments.ts'

const finding = (start: number, end: number, token: string): ShownFinding => ({
  start,
  end,
  token,
  type: 'EMAIL',
  rule: 'email',
  score: 1,
  field: '',
  before: '',
  after: '',
})

const redaction: Redaction = {
  original: 'a@b.ie, [EMAIL_1], a@b.ie',
  sent: '[EMAIL_1], [LITERAL_1], [EMAIL_1]',
  findings: [finding(0, 6, '[EMAIL_1]'), finding(19, 25, '[EMAIL_1]')],
  counts: { EMAIL: 2 },
}

describe('the two sides of a redaction', () => {
  it('are cut at the same findings', () => {
    expect(originalSegments(redaction)).toEqual([
      { at: 0, text: 'a@b.ie', finding: 0 },
      { at: 6, text: ', [EMAIL_1], ', finding: null },
      { at: 19, text: 'a@b.ie', finding: 1 },
    ])
    expect(sentSegments(redaction).filter(segment => segment.finding !== null)).toEqual([
      { at: 0, text: '[EMAIL_1]', finding: 0 },
      { at: 24, text: '[EMAIL_1]', finding: 1 },
    ])
  })

  it('name what only looked like a token', () => {
    expect(sentSegments(redaction).filter(segment => segment.lookAlike)).toEqual([
      { at: 11, text: '[LITERAL_1]', finding: null, lookAlike: true },
    ])
  })

  it('put together again are the texts', () => {
    const joined = (segments: readonly { text: string }[]) => segments.map(({ text }) => text).join('')
    expect(joined(originalSegments(redaction))).toBe(redaction.original)
    expect(joined(sentSegments(redaction))).toBe(redaction.sent)
  })

  it('are cut for the screen without cutting a finding', () => {
    const { shown, left } = firstOf(originalSegments(redaction), 20)
    expect(shown.at(-1)).toEqual({ at: 19, text: 'a@b.ie', finding: 1 })
    expect(left).toBe(0)
    expect(firstOf(originalSegments(redaction), 8)).toMatchObject({ left: 17 })
  })
})
