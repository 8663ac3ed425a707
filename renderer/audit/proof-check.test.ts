// @vitest-environment node
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leafHash, nodeHash, canonical as theirs } from '../../resources/verify.mjs'
import type { AuditEntry, InclusionProof } from '../../src/contract/audit.ts'
import { canonical, checkProof } from './proof-check.ts'

const entryAt = (seq: number) => ({ seq, at: 1, details: { z: 'ü', a: [1.5, null, true] } }) as unknown as AuditEntry

/** The tree over `hashes`, as RFC 9162 defines it, and the path to one of them: the long way round. */
function treeOf(hashes: readonly string[], index: number): { root: string; path: string[] } {
  if (hashes.length === 1) return { root: hashes[0] ?? '', path: [] }
  let half = 1
  while (half * 2 < hashes.length) half *= 2
  const inLeft = index < half
  const left = treeOf(hashes.slice(0, half), inLeft ? index : 0)
  const right = treeOf(hashes.slice(half), inLeft ? 0 : index - half)
  return {
    root: nodeHash(left.root, right.root),
    path: inLeft ? [...left.path, right.root] : [...right.path, left.root],
  }
}

function proofOf(size: number, seq: number): InclusionProof {
  const hashes: string[] = []
  for (let at = 0; at < size; at++) hashes.push(leafHash(hashes.at(-1) ?? '0'.repeat(64), theirs(entryAt(at))))
  const { root, path } = treeOf(hashes, seq)
  const previous = hashes[seq - 1] ?? '0'.repeat(64)
  return { seq, previous, hash: hashes[seq] ?? '', path, checkpoint: { size, root } } as InclusionProof
}

describe('a proof checked in the window', () => {
  it('leads every entry of trees of every shape to the signed root', async () => {
    for (let size = 1; size <= 20; size++) {
      for (let seq = 0; seq < size; seq++) {
        expect(await checkProof(entryAt(seq), proofOf(size, seq))).toMatchObject({ holds: true })
      }
    }
  })

  it('fails for an entry that was changed, a path that was changed and another root', async () => {
    const proof = proofOf(7, 4)
    const changed = { ...entryAt(4), at: 2 }
    expect(await checkProof(changed, proof)).toMatchObject({ holds: false })
    expect(await checkProof(entryAt(4), { ...proof, path: [...proof.path].reverse() })).toMatchObject({ holds: false })
    expect(await checkProof(entryAt(4), { ...proof, path: proof.path.slice(1) })).toMatchObject({ holds: false })
    const other = { ...proof, checkpoint: { ...proof.checkpoint, root: '1'.repeat(64) } }
    expect(await checkProof(entryAt(4), other)).toMatchObject({ holds: false })
  })

  it('writes JSON as the checker does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(canonical(value)).toBe(theirs(value))
      }),
    )
  })
})
