import type { PolicyReason } from './policy.ts'

/** Why somebody is asked: what lets code pass is no reason for that, and is not shown as one. */
export function whyAsked(reasons: readonly PolicyReason[]): PolicyReason[] {
  const asking = reasons.filter(reason => reason.action !== 'auto')
  return asking.length > 0 ? asking : [stillOpen]
}

/** An edit or another policy can make code harmless that was asked about; the question stays, since nobody answered it. */
const stillOpen: PolicyReason = {
  kind: 'forced',
  action: 'approve',
  text: 'It was asked about before it was changed. As it is now the policy would let it pass, but a request that was opened needs an answer.',
  lines: [],
}
