import { beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../contract/run.ts'
import { prepare } from '../front-ends.ts'
import { inspectProgram } from '../inspect.ts'
import type { Example, Rule } from '../rule.ts'
import { rules } from './rules.ts'

beforeAll(async () => {
  await Promise.all(languages.map(prepare))
})

const inspect = (rule: Rule, example: Example) => {
  const { language, code } =
    typeof example === 'string' ? { language: rule.languages[0] ?? 'python', code: example } : example
  return inspectProgram(code, language)
}
const read = (rule: Rule, example: Example) =>
  inspect(rule, example).violations.filter(violation => violation.rule === rule.id)

const lists = {
  read: 'filesRead',
  write: 'filesWritten',
  delete: 'filesDeleted',
  connect: 'hosts',
  run: 'commands',
  modify: 'dataModified',
} as const
const isListed = (implied: string): implied is keyof typeof lists => implied in lists

/** What a rule implies and the impact of an example does not show. */
function unshown(rule: Rule, example: Example): string[] {
  const raised = read(rule, example).some(({ severity }) => severity !== 'low')
  const { impact } = inspect(rule, example)
  return raised ? rule.implies.filter(isListed).filter(implied => impact[lists[implied]].length === 0) : []
}

describe('the rules', () => {
  it('are many, and each has a name of its own', () => {
    const ids = rules.map(rule => rule.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(90)
  })

  describe.each(rules.map(rule => [rule.id, rule] as const))('%s', (_, rule) => {
    it.each(rule.examples.bad)('speaks of %j', example => expect(read(rule, example)).not.toEqual([]))
    it.each(rule.examples.bad)('shows what it implies of %j', example => expect(unshown(rule, example)).toEqual([]))
    it.each(rule.examples.good)('does not raise the level for %j', example => {
      // A rule that raises levels may still remark on something; a rule that only remarks must be silent.
      const found = read(rule, example)
      expect(rule.severity === 'low' ? found : found.filter(({ severity }) => severity !== 'low')).toEqual([])
    })
  })
})
