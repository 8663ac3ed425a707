import { describe, expect, it } from 'vitest'
import { detectors } from '../detectors/detectors.ts'
import { Scanner } from '../scanner/scanner.ts'
import { found } from './found.ts'
import { lookAlikes } from './look-alikes.ts'
import { secretTexts } from './secrets.ts'

const scanner = new Scanner(detectors)
const typesIn = (text: string): string[] => scanner.scan(text).map(finding => finding.type)

/** The rates that are promised; the lists show what is missed, so that a change that costs something is seen. */
describe('the corpus', () => {
  it('at least 95 of 100 identifiers are found, as what they are', () => {
    const missed = found.filter(([type, text]) => !typesIn(text).includes(type))
    expect({ rate: 1 - missed.length / found.length, missed }).toSatisfy(({ rate }) => rate >= 0.95)
  })

  it('at least 95 of 100 secrets are found', () => {
    const missed = secretTexts.filter(text => typesIn(text).length === 0)
    expect({ rate: 1 - missed.length / secretTexts.length, missed }).toSatisfy(({ rate }) => rate >= 0.95)
  })

  it('at most 5 of 100 look-alikes are flagged', () => {
    const flagged = lookAlikes.filter(text => typesIn(text).length > 0)
    expect({ rate: flagged.length / lookAlikes.length, flagged }).toSatisfy(({ rate }) => rate <= 0.05)
  })
})
