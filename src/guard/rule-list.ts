import type { ViolationType } from '../contract/inspection.ts'
import { type Language, languages } from '../contract/languages.ts'
import type { RiskLevel } from '../contract/run.ts'
import type { Example } from './rule.ts'
import { rules } from './rules/rules.ts'
import { surfaceRules } from './surface-rules.ts'

/** A rule as it is listed: everything but the code that matches. */
export interface ListedRule {
  readonly id: string
  readonly languages: readonly Language[]
  readonly type: ViolationType
  readonly severity: RiskLevel
  readonly cwe?: string
  readonly description: string
  readonly recommendation: string
  readonly implies: readonly string[]
  readonly examples: { readonly bad: readonly ListedExample[]; readonly good: readonly ListedExample[] }
}

export interface ListedExample {
  readonly language: Language
  readonly code: string
}

export function allRules(): ListedRule[] {
  const listed = rules.map(({ match: _, examples, ...rule }) => {
    // A bare text is in the first language of its rule, as in the tests.
    const [language = 'python'] = rule.languages
    const whole = (example: Example): ListedExample =>
      typeof example === 'string' ? { language, code: example } : example
    return { ...rule, examples: { bad: examples.bad.map(whole), good: examples.good.map(whole) } }
  })
  return [
    ...listed,
    ...surfaceRules.map(rule => ({ ...rule, languages, implies: [], examples: { bad: [], good: [] } })),
  ]
}

/** The page `docs/rules.md`. */
export function rulesPage(): string {
  const all = allRules()
  const areas = new Map<string, ListedRule[]>()
  for (const rule of all) {
    const area = rule.id.split('/')[0] ?? ''
    areas.set(area, [...(areas.get(area) ?? []), rule])
  }
  const parts = [
    '# Rules of the guard\n',
    `Made by \`countersign rules --markdown\`: ${all.length} rules. A severity is that of the plain case; many rules say more or less of a given line. Remarks of level low are shown and do not raise the level of a program.\n`,
  ]
  for (const [area, members] of areas) {
    parts.push(`## ${area}\n`)
    for (const rule of members) parts.push(section(rule))
  }
  return `${parts.join('\n')}`
}

function section(rule: ListedRule): string {
  const facts = [rule.severity, rule.type, rule.cwe, rule.languages.join(', ')]
    .filter(fact => fact !== undefined)
    .join(' · ')
  const example = rule.examples.bad[0]?.code
  const implied = rule.implies.length > 0 ? `\n\nTouches: ${rule.implies.join(', ')}.` : ''
  const shown = example === undefined ? '' : `\n\n\`\`\`\`\n${example}\n\`\`\`\``
  return `### ${rule.id}\n\n${facts}\n\n${rule.description} ${rule.recommendation}${implied}${shown}\n`
}
