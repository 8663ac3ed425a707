import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { Settings } from '../../src/contract/settings.ts'
import { boundsOf, complaintAbout, labelOf, shownIn, typedIn, unitOf } from './words.ts'

const sandbox = Settings.shape.sandbox.unwrap().shape
const webhook: z.ZodType = Settings.shape.alerts.unwrap().shape.webhook

describe('a complaint about a setting', () => {
  it('says what would fit', () => {
    expect(complaintAbout(sandbox.timeoutSeconds, 0)).toBe('Minimum is 1.')
    expect(complaintAbout(sandbox.memoryMegabytes, 1e9)).toBe('Maximum is 65,536.')
    expect(complaintAbout(sandbox.timeoutSeconds, 1.5)).toBe('A whole number is needed.')
    expect(complaintAbout(sandbox.timeoutSeconds, Number.NaN)).toBe('A number is needed.')
    expect(complaintAbout(sandbox.python, 'x'.repeat(5000))).toBe('Maximum is 4,096 characters.')
  })

  it('speaks of the form that was meant, not of the empty one', () => {
    expect(complaintAbout(webhook, 'ftp://example.com')).toMatch(/^An address that begins with http/)
    expect(complaintAbout(webhook, 'https://example.com/hook')).toBeNull()
    expect(complaintAbout(webhook, '')).toBeNull()
  })
})

describe('the name of a setting', () => {
  it('is spelled from its declaration where no better one is known', () => {
    expect(labelOf('audit.retentionDays')).toBe('Retention')
    expect(labelOf('future.veryNewThing')).toBe('Very new thing')
    expect(unitOf('audit.retentionDays').word).toBe('days')
    expect(unitOf('sandbox.pool').word).toBe('')
  })
})

describe('a time that is declared in milliseconds', () => {
  const { timeoutMs } = Settings.shape.cloud.unwrap().shape
  const unit = unitOf('cloud.timeoutMs')

  it('is shown and taken in minutes', () => {
    expect(unit.word).toBe('minutes')
    expect(shownIn(unit, 600_000)).toBe('10')
    expect(shownIn(unit, 90_000)).toBe('1.5')
    expect(typedIn(unit, '2.5')).toBe(150_000)
    expect(typedIn(unit, '0.1')).toBe(6000)
    expect(typedIn(unit, ' ')).toBeNaN()
  })

  it('has its bounds and complaints in minutes too', () => {
    expect(boundsOf(timeoutMs, unit)).toEqual({ min: 1, max: 1440, step: 1 })
    expect(complaintAbout(timeoutMs, typedIn(unit, '0.5'), unit)).toBe('Minimum is 1.')
    expect(complaintAbout(timeoutMs, typedIn(unit, '2000'), unit)).toBe('Maximum is 1,440.')
    expect(complaintAbout(timeoutMs, typedIn(unit, '1.5'), unit)).toBeNull()
  })
})

describe('the arrow keys of a number', () => {
  it('move a score by a twentieth and all else by one, within what can be saved', () => {
    const { namesLeast } = Settings.shape.privacy.unwrap().shape
    expect(boundsOf(namesLeast)).toEqual({ min: 0.6, max: 0.85, step: 0.05 })
    expect(boundsOf(sandbox.timeoutSeconds)).toEqual({ min: 1, max: 600, step: 1 })
  })
})
