import { type Effect, type EffectKind, effectAt, effectKinds } from './effect.ts'
import type { Finding } from './engine.ts'
import type { Span } from './model.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules/rules.ts'
import { unknown } from './values.ts'

const byId: ReadonlyMap<string, Rule> = new Map(rules.map(rule => [rule.id, rule]))
const isEffect = (implied: string): implied is EffectKind => (effectKinds as readonly string[]).includes(implied)

/** Rules that speak of a place where nothing happens yet: what they imply may stand anywhere else in the program. */
const elsewhere: ReadonlySet<Rule['match']['on']> = new Set(['import', 'assignment', 'text', 'mark', 'program'])

/**
 * What a finding says that the program does, where no table of effects has said so already. Without these a reviewer
 * would read "starts no other program, can be undone" beside `exec(input())`. The target is unknown, and said to be.
 */
export function impliedEffects(findings: readonly Finding[], effects: readonly Effect[]): Effect[] {
  const found: Effect[] = []
  for (const finding of findings) {
    const rule = finding.severity === 'low' ? undefined : byId.get(finding.rule)
    if (rule === undefined) continue
    for (const kind of rule.implies) {
      if (!isEffect(kind) || isSeen(kind, finding, effects, elsewhere.has(rule.match.on))) continue
      if (!isSeen(kind, finding, found, false)) found.push(effectAt(kind, unknown, null, finding, false))
    }
  }
  return found
}

const isSeen = (kind: EffectKind, at: Span, effects: readonly Effect[], anywhere: boolean): boolean =>
  effects.some(effect => effect.kind === kind && (anywhere || (effect.start < at.end && at.start < effect.end)))

/** Rights taken, or something left behind that runs later: that is no matter of one folder, and closing ends none of it. */
export const outlivesItsFolder = (findings: readonly Finding[]): boolean =>
  findings.some(
    ({ rule, severity }) =>
      severity !== 'low' &&
      byId.get(rule)?.implies.some(implied => implied === 'privilege' || implied === 'persistence') === true,
  )
