import { expect, it } from 'vitest'
import { endWord } from './run-end.ts'

it('calls denied what was denied, and nothing else', () => {
  expect(endWord('approval.denied')).toBe('denied')
  expect(endWord('policy.blocked')).toBe('denied')
  expect(endWord('run.syntax')).toBe('syntax error')
  expect(endWord('constructor')).toBe('did not run')
  expect(endWord('sandbox.unavailable')).toBe('did not run')
})
