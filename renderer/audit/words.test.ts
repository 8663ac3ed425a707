import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, type AuditItem, auditActions } from '../../src/contract/audit.ts'
import { resultOf } from './marks.tsx'
import { actionLabels, counted, placeOf, tell } from './words.ts'

const entry = (action: AuditEntry['action'], details: unknown): AuditEntry =>
  ({ seq: 1, at: 0, action, details, actor: null }) as AuditEntry

describe('an entry in words', () => {
  it('tells what happened as a person would', () => {
    expect(tell(entry('run.finished', { success: true, language: 'python', executionTimeMs: 12 }), 'Ada')).toBe(
      'Ada’s Python code succeeded in 12 ms',
    )
    expect(tell(entry('run.finished', { success: false, language: 'bash', error: { name: 'ExitCode' } }), 'Ada')).toBe(
      'Ada’s Bash code failed: ExitCode',
    )
    const stopped = { success: false, language: 'python', error: { kind: 'killed', name: 'Interrupted' } }
    expect(tell(entry('run.finished', stopped), 'Ada')).toBe('Ada’s Python code was stopped')
    expect(resultOf({ entry: entry('run.finished', stopped) } as AuditItem)).toBe('stopped')
    const mistyped = { success: false, language: 'python', error: { kind: 'syntax', name: 'IndentationError' } }
    expect(tell(entry('run.finished', mistyped), 'Ada')).toBe('Ada’s Python code has a syntax error: IndentationError')
    expect(resultOf({ entry: entry('run.finished', mistyped) } as AuditItem)).toBe('syntax')
    const ended = (code: string) => tell(entry('run.refused', { language: 'python', code, reason: 'Why.' }), 'Ada')
    expect(ended('approval.denied')).toBe('Ada’s Python code was denied: Why.')
    expect(ended('run.syntax')).toBe('Ada’s Python code has a syntax error: Why.')
    expect(ended('sandbox.unavailable')).toBe('Ada’s Python code did not run: Why.')
    expect(tell(entry('approval.decided', { verdict: 'deny', comment: 'not on live data' }), 'Grace')).toBe(
      'Grace denied a run: “not on live data”',
    )
    expect(tell(entry('message.added', { items: [{ kind: 'cell' }, { kind: 'cell' }] }), 'Ada')).toBe(
      'Ada added 2 cells',
    )
    expect(tell(entry('approval.changed', { change: 'saved for later', comment: 'on Monday' }), 'Grace')).toBe(
      'Grace saved a request for approval for later: “on Monday”',
    )
    expect(tell(entry('approval.changed', { change: 'saved for later', why: 'time-out' }), 'Countersign')).toBe(
      'Nobody answered in time: Countersign saved a request for approval for later',
    )
    expect(tell(entry('context.ended', { reason: 'manual', runs: 1 }), 'Ada')).toBe('A sandbox ended after 1 run')
    expect(tell(entry('context.ended', { reason: 'expired', runs: 5 }), 'Ada')).toBe('A sandbox expired after 5 runs')
    expect(tell(entry('settings.changed', { before: {}, after: { audit: { keepCode: 'never' } } }), 'Ada')).toBe(
      'Ada changed the settings: audit.keepCode',
    )
  })

  it.each(auditActions)('never breaks on %s, whatever its details are', action => {
    fc.assert(
      fc.property(fc.jsonValue(), details => {
        const sentence = tell(entry(action, details), 'Ada')
        expect(sentence).not.toMatch(/undefined|\[object|NaN/)
        expect(sentence.length).toBeGreaterThan(5)
      }),
      { numRuns: 50 },
    )
  })

  it('takes the name of something that every object has for a word like any other', () => {
    expect(tell(entry('audit.read', { what: 'constructor' }), 'Ada')).toBe('Ada looked at the record')
    expect(tell(entry('message.edited', { change: 'toString' }), 'Ada')).toBe('Ada edited a cell or message')
  })

  it('shows what a title tries to hide', () => {
    expect(tell(entry('conversation.created', { title: 'a\u202eb' }), 'Ada')).toBe('Ada created “a⟨U+202E⟩b”')
  })

  it('has a label for each action, no two alike', () => {
    expect(new Set(Object.values(actionLabels)).size).toBe(auditActions.length)
  })

  it('counts in words', () => {
    expect([counted(1, 'entry', 'entries'), counted(1204, 'entry', 'entries'), counted(2, 'run')]).toEqual([
      '1 entry',
      '1,204 entries',
      '2 runs',
    ])
  })
})

describe('the place of an entry', () => {
  it('is the conversation and its path, as far as they are known, with nothing hidden in the names', () => {
    expect(placeOf('Capital review', 'stress +200bp')).toBe('Capital review › stress +200bp')
    expect(placeOf('Capital review', undefined)).toBe('Capital review')
    expect(placeOf(undefined, undefined)).toBeUndefined()
    expect(placeOf('Capital\u202e', 'main')).not.toContain('\u202e')
  })
})
