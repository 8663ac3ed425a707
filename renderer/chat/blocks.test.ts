import { expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'

it('cuts where something new begins', () => {
  expect(blocksOf('One.\n\nTwo\nlines.\n\n# Three\n')).toEqual(['One.\n\n', 'Two\nlines.\n\n', '# Three\n'])
  expect(blocksOf('')).toEqual([])
})

it('leaves code between fences whole, also while it is being written', () => {
  const code = '```python\na = 1\n\nb = 2\n```\n\n'
  expect(blocksOf(`Before.\n\n${code}After.`)).toEqual(['Before.\n\n', code, 'After.'])
  expect(blocksOf('```python\na = 1\n\nb = 2\n\nc')).toHaveLength(1)
  // A shorter fence, or one with a word behind it, ends nothing.
  expect(blocksOf('````\n```\n\nx\n````\n')).toHaveLength(1)
})

it('leaves a list whole whose items stand apart', () => {
  expect(blocksOf('- one\n\n- two\n\n  more of two\n\n1. three')).toHaveLength(1)
  expect(blocksOf('1. one\n\nNot in the list.')).toHaveLength(2)
})

it('never changes what stands before the last cut, however the text grows', () => {
  const text = 'Intro.\n\n- a\n\n- b\n\n```\nx\n\ny\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd\n\n10. ten\n\nLast.'
  let before: string[] = []
  for (let length = 0; length <= text.length; length++) {
    const now = blocksOf(text.slice(0, length))
    expect(now.join('')).toBe(text.slice(0, length))
    expect(now.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1))
    before = now
  }
  expect(before.length).toBeGreaterThan(4)
})
