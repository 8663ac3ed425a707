import type { SignedAnswer } from '../contract/approval.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { Answering, Reviewer } from './approval.ts'
import { notLoggedIn } from './boundary.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import type { KeyRing } from './identities.ts'

/** Whoever logged in, as somebody who answers what a workflow asks: what their word is worth, by the key store. */
export async function answering(keyRing: KeyRing, reviewer: Reviewer): Promise<Outcome<Answering>> {
  const identity = keyRing.known(reviewer)
  if (!identity) return notLoggedIn
  const { tenant, id: user } = identity
  const { protected: isProtected, vouches } = await keyRing.standing(user)
  return ok({
    tenant,
    user,
    protected: isProtected,
    vouchedBy: vouches.filter(({ until }) => until === null).map(({ by }) => by),
    sign({ asked, ...answer }) {
      const subject = sha256(canonicalJson(asked))
      const signed: SignedAnswer = { format: 'countersign.answer.1', reviewer: user, subject, ...answer }
      return { subject, signature: keyRing.sign(reviewer, canonicalJson(signed)) }
    },
  })
}
