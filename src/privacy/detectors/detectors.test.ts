import { describe, expect, it } from 'vitest'
import { Scanner } from '../scanner/scanner.ts'
import { detectors } from './detectors.ts'

const scanner = new Scanner(detectors)
const rules = (text: string): string[] => scanner.scan(text).map(finding => finding.rule)
const typesOf = (text: string): string[] => scanner.scan(text).map(finding => finding.type)

describe('every detector', () => {
  it('has a rule name of its own', () => {
    const names = detectors.map(detector => detector.rule)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  it.each(detectors.flatMap(detector => detector.examples.found.map(text => [detector.rule, text, detector] as const)))(
    '%s finds %s',
    (_rule, text, detector) => {
      const types = typesOf(text)
      // The value of a sensitive field is reported as what the field says it is.
      if (detector.type === 'SENSITIVE_FIELD') expect(types).not.toEqual([])
      else expect(types).toContain(detector.type)
    },
  )

  it.each(detectors.flatMap(detector => detector.examples.ignored.map(text => [detector.rule, text] as const)))(
    '%s ignores %s',
    (rule, text) => expect(rules(text)).not.toContain(rule),
  )
})
