import { expect, it } from 'vitest'
import { addSummary, newTotal, printTotal } from './test-summary.mjs'

const printed = (total: ReturnType<typeof newTotal>) => {
  let text = ''
  printTotal(total, 12.4, (more: string) => (text += more))
  return text
}

it('adds up what runners found, and names the ten slowest files', () => {
  const total = newTotal()
  const files = Array.from({ length: 12 }, (_, index) => ({ file: `f${index}.test.ts`, ms: index * 1000 }))
  addSummary(total, 'vitest', () => ({ passed: 3, failed: ['a › b'], skipped: [{ name: 'c', reason: '' }], files }))
  addSummary(total, 'playwright', () => ({ passed: 2, failed: [], skipped: [], files: [] }))
  const text = printed(total)
  expect(text).toContain('5 passed, 1 failed, 1 skipped, 12 s')
  expect(text).toContain('failed: a › b')
  expect(text.match(/f\d+\.test\.ts/g)).toHaveLength(10)
  expect(text.indexOf('f11.test.ts')).toBeLessThan(text.indexOf('f2.test.ts'))
})

it('takes a runner that wrote nothing, or ran nothing, for a failure', () => {
  const total = newTotal()
  addSummary(total, 'vitest', () => JSON.parse(''))
  addSummary(total, 'playwright', () => ({ passed: 0, failed: [], skipped: [], files: [] }))
  expect(total.failed).toEqual([expect.stringContaining('vitest did not finish'), 'playwright ran no test'])
})
