import { beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../contract/run.ts'
import { prepare } from '../front-ends.ts'
import { inspectProgram } from '../inspect.ts'
import { benignShell } from './shell-benign.ts'
import { dangerousShell } from './shell-dangerous.ts'
import { shellTricks } from './shell-tricks.ts'

beforeAll(async () => {
  await Promise.all(languages.map(prepare))
})

const isLow = (code: string): boolean => inspectProgram(code, 'bash').risk === 'low'

describe('the labelled shell programs', () => {
  it('are many, and none stands in the set twice', () => {
    const all = [...dangerousShell, ...shellTricks, ...benignShell]
    expect(all.length).toBeGreaterThanOrEqual(450)
    expect(new Set(all).size).toBe(all.length)
  })

  // The share is asserted, and the misses are named when it falls.
  it.each([
    ['dangerous programs', dangerousShell],
    ['tricks through ordinary tools', shellTricks],
  ])('are seen: at least 97 %% of %s come above low', (_, programs) => {
    const missed = programs.filter(isLow)
    expect(missed.length / programs.length, missed.join('\n---\n')).toBeLessThanOrEqual(0.03)
  })

  it('are left alone: at most 2 % of benign programs come above low', () => {
    const raised = benignShell.filter(code => !isLow(code))
    expect(raised.length / benignShell.length, raised.join('\n---\n')).toBeLessThanOrEqual(0.02)
  })
})
