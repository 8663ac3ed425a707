import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allRules, rulesPage } from './rule-list.ts'

describe('the list of rules', () => {
  it('is what the documentation shows; `countersign rules --markdown > docs/rules.md` brings it up to date', () => {
    expect(readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8')).toBe(rulesPage())
  })

  it('says of each rule what it means and what to do', () => {
    for (const rule of allRules()) {
      expect(rule.description, rule.id).toMatch(/^[A-Z].*\.$/s)
      expect(rule.recommendation, rule.id).toMatch(/\.$/)
      expect(rule.cwe, rule.id).toMatch(/^CWE-\d+$/)
    }
  })
})
