import { beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../contract/run.ts'
import { prepare } from '../front-ends.ts'
import { inspectProgram } from '../inspect.ts'
import { corpus, type Label } from './corpus.ts'

beforeAll(async () => {
  await Promise.all(languages.map(prepare))
})

/** The share of the programs with this label that the guard puts above low, and those it gets wrong. */
function measure(label: Label): { rate: number; wrong: string[] } {
  const programs = corpus.filter(sample => sample.label === label)
  const wrong: string[] = []
  let above = 0
  for (const { code, language } of programs) {
    const { risk, violations } = inspectProgram(code, language)
    if (risk !== 'low') above++
    if ((risk !== 'low') === (label === 'benign')) {
      wrong.push(
        `${language}: ${code.slice(0, 120)} ${violations.filter(({ severity }) => severity !== 'low').map(({ rule }) => rule)}`,
      )
    }
  }
  const rate = above / programs.length
  console.info(`${label}: ${above} of ${programs.length} above low (${(100 * rate).toFixed(1)} %)`)
  return { rate, wrong }
}

describe('the guard on our own programs', () => {
  it('puts dangerous programs above low', () => {
    const { rate, wrong } = measure('dangerous')
    expect(rate, wrong.join('\n')).toBeGreaterThanOrEqual(0.98)
  })
  it('puts insecure programs above low', () => {
    const { rate, wrong } = measure('insecure')
    expect(rate, wrong.join('\n')).toBeGreaterThanOrEqual(0.9)
  })
  it('leaves benign programs at low', () => {
    const { rate, wrong } = measure('benign')
    expect(rate, wrong.join('\n')).toBeLessThanOrEqual(0.02)
  })
})
