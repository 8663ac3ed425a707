import type { ProblemCode } from '../../src/contract/problem.ts'

/** One word for each way in which a run comes to nothing; only what somebody or the policy denied is called so. */
export const endWord = (code: string): string =>
  (Object.hasOwn(words, code) && words[code as ProblemCode]) || 'did not run'

/** A person stopped it, which is no failure. Code that forges this misnames only its own error. */
export const isStop = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
  kind === 'killed' && name === 'Interrupted'

const words: Partial<Record<ProblemCode, string>> = {
  'run.syntax': 'syntax error',
  'request.cancelled': 'stopped',
  'access.denied': 'denied',
  'policy.blocked': 'denied',
  'approval.denied': 'denied',
  'approval.cancelled': 'withdrawn',
  'approval.expired': 'expired',
  'approval.voided': 'void: the code changed',
}
