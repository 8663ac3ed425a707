import type { ConversationId } from '../../contract/ids.ts'
import type { Allowed, Finding } from '../../contract/privacy.ts'
import { type Problem, problem } from '../../contract/problem.ts'

/**
 * Leaves out what a person said is no finding. Patterns know `*` (anything) and `?` (one character) and must match the
 * whole value: a regular expression from a settings screen could be made to hang the guard, this cannot.
 */
export function withoutAllowed<F extends Finding>(
  found: readonly F[],
  textOf: (finding: F) => string,
  allowed: readonly Allowed[],
  conversation: ConversationId | null,
): F[] {
  const here = allowed.filter(entry => entry.conversation === null || entry.conversation === conversation)
  if (here.length === 0) return [...found]
  return found.filter(finding => {
    const value = textOf(finding)
    return !here.some(
      entry =>
        (entry.type === null || entry.type === finding.type) &&
        (entry.kind === 'exact' ? entry.value === value : matchesWildcards(entry.value, value)),
    )
  })
}

/** Fewest characters of a pattern that are not wildcards: `*` for any type would switch the guard off for everything. */
const leastFixed = 3

/** Why a pattern is refused, or null. */
export function refusalOf({ kind, value }: Pick<Allowed, 'kind' | 'value'>): Problem | null {
  if (kind === 'exact' || value.replace(/[*?\s]/g, '').length >= leastFixed) return null
  return problem(
    'request.invalid',
    `A pattern needs at least ${leastFixed} characters besides * and ?.`,
    'Say more of what the values have in common, such as *@example.com.',
  )
}

/** Linear in practice and quadratic at worst: on a mismatch only the last `*` is moved on. */
export function matchesWildcards(pattern: string, value: string): boolean {
  let p = 0
  let v = 0
  let star = -1
  let resume = 0
  while (v < value.length) {
    if (pattern[p] === '*') {
      star = p++
      resume = v
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === value[v])) {
      p++
      v++
    } else if (star >= 0) {
      p = star + 1
      v = ++resume
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
