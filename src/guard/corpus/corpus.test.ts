import { beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../contract/run.ts'
import { prepare } from '../front-ends.ts'
import { inspectProgram } from '../inspect.ts'
import { corpus, type Label, type Rate, rates } from './corpus.ts'

beforeAll(async () => {
  await Promise.all(languages.map(prepare))
})

/** The least share above low for a list of dangerous or insecure programs, the most for one of benign programs. */
const bounds: Record<Label, number> = { dangerous: 0.97, insecure: 0.9, benign: 0.02 }

const told = ({ set, aboveLow, programs }: Rate): string =>
  `${set}: ${aboveLow} of ${programs} above low (${((100 * aboveLow) / programs).toFixed(1)} %)`

describe('the guard on our own programs', () => {
  it('is right about every list of them', () => {
    const measured = rates(({ code, language }) => inspectProgram(code, language).risk !== 'low')
    console.info(measured.map(told).join('\n'))
    for (const rate of measured) {
      const share = rate.aboveLow / rate.programs
      const named = `${told(rate)}\n${rate.wrong.map(({ code }) => code).join('\n---\n')}`
      if (rate.label === 'benign') expect(share, named).toBeLessThanOrEqual(bounds.benign)
      else expect(share, named).toBeGreaterThanOrEqual(bounds[rate.label])
    }
  })

  it('knows many of them, and none twice', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(1_100)
    const seen = corpus.map(({ language, code }) => `${language}: ${code}`)
    expect(seen.filter((each, at) => seen.indexOf(each) !== at)).toEqual([])
  })
})
