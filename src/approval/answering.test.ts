import { createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { SignedAnswer } from '../contract/approval.ts'
import { WorkflowId } from '../contract/ids.ts'
import { testIds } from '../sandbox/testing.ts'
import type { Answer, Reviewer } from './approval.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { anApproval, codeOf, must } from './testing.ts'

const answer: Answer = {
  ...{ verdict: 'approve', workflow: testIds.make(WorkflowId), task: 'ask', candidate: null },
  ...{ comment: 'looked at it', decidedAt: 5, asked: { question: 'Go on?', given: { loss: 10 } } },
}

it('an answer to a workflow is signed with the reviewer’s own key, over what was asked and said', async () => {
  const kit = await anApproval()
  const rea = await kit.someone('Rea')
  const answering = must(await kit.approval.answering(rea))
  expect(answering).toMatchObject({ user: rea.identity.id, protected: true, vouchedBy: [expect.any(String)] })
  const { subject, signature } = answering.sign(answer)
  expect(subject).toBe(sha256(canonicalJson(answer.asked)))
  const { asked: _, ...said } = answer
  const text = (change: Partial<SignedAnswer> = {}) =>
    canonicalJson(
      SignedAnswer.parse({ format: 'countersign.answer.1', reviewer: rea.identity.id, subject, ...said, ...change }),
    )
  const key = createPublicKey({ key: Buffer.from(rea.identity.publicKey, 'base64'), format: 'der', type: 'spki' })
  const holds = (words: string) => verify(null, Buffer.from(words), key, Buffer.from(signature, 'base64'))
  expect(holds(text())).toBe(true)
  for (const other of [{ verdict: 'deny' }, { task: 'other' }, { candidate: 1 }, { comment: '' }] as const)
    expect(holds(text(other))).toBe(false)
})

it('nobody answers who was made up, or has logged out', async () => {
  const kit = await anApproval()
  const rea = await kit.someone('Rea')
  expect(codeOf(await kit.approval.answering({ identity: rea.identity } as Reviewer))).toBe('access.denied')
  kit.approval.identities.logOut(rea)
  expect(codeOf(await kit.approval.answering(rea))).toBe('access.denied')
})

it('a vouch that was withdrawn does not stand behind an answer', async () => {
  const kit = await anApproval()
  const [vera, rea] = [await kit.protectedIdentity('Vera'), await kit.protectedIdentity('Rea')]
  must(await kit.approval.identities.vouch(vera, rea.identity.id))
  expect(must(await kit.approval.answering(rea)).vouchedBy).toEqual([vera.identity.id])
  must(await kit.approval.identities.withdraw(vera, rea.identity.id))
  expect(must(await kit.approval.answering(rea)).vouchedBy).toEqual([])
})
