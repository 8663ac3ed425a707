import { expect, it } from 'vitest'
import { withoutLastNewlines } from './newlines.ts'

it('takes newlines from the end only, in one pass however many stand before', () => {
  expect(['', '\n', 'a', 'a\n\n', '\na\n', 'a\n b'].map(withoutLastNewlines)).toEqual([
    '',
    '',
    'a',
    'a',
    '\na',
    'a\n b',
  ])
  const many = `${'\n'.repeat(2_000_000)}x`
  expect(withoutLastNewlines(many) === many).toBe(true)
})
