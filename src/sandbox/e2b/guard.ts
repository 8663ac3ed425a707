import type { Privacy } from '../../privacy/privacy.ts'
import type { CloudGuard } from './cloud-sandbox.ts'

/** The egress guard for what goes to the cloud. Values come back only where a conversation has tokens for them. */
export function cloudGuard(
  privacy: Pick<Privacy, 'restoreStructured' | 'restoring'> & { readonly egress: Pick<Privacy['egress'], 'pass'> },
): CloudGuard {
  return {
    pass: (payload, conversation) =>
      privacy.egress.pass('cloud-sandbox', payload, { to: 'E2B', conversation, knowsTokens: true }),
    restore: async (value, conversation) => (conversation ? privacy.restoreStructured(conversation, value) : value),
    restoring: async conversation => (conversation ? privacy.restoring(conversation) : { another: () => unchanged }),
  }
}

const unchanged = { push: (text: string) => text, end: () => '' }
