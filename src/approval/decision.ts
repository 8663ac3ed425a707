import { createPublicKey, verify } from 'node:crypto'
import type { Decision, SignedStatement } from '../contract/approval.ts'
import { canonicalJson } from './canonical.ts'

/** What a reviewer's key signs, as text. */
export const statementText = (statement: SignedStatement): string => canonicalJson(statement)

/** Whether this decision on a request was signed with that key and says what it seems to say. */
export function isSignedBy(publicKey: string, decision: Decision): boolean {
  const { by, verdict, request, subject, reviewer, comment, decidedAt, signature } = decision
  if (by !== 'reviewer' || !request || !reviewer || !signature) return false
  const statement = {
    format: 'countersign.decision.1',
    verdict,
    request,
    subject,
    reviewer,
    comment,
    decidedAt,
  } as const
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    // Another kind of key would be verified by another algorithm, perhaps a weak one that its maker chose.
    if (key.asymmetricKeyType !== 'ed25519') return false
    return verify(null, Buffer.from(statementText(statement)), key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
