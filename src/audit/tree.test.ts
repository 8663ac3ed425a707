import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Frontier, leafHash, nodeHash, nothingBefore, rootOfProof } from '../../resources/verify.mjs'
import { temporaryAudit, writeMany } from './testing.ts'
import { StoredTree } from './tree.ts'

/** The definition of RFC 9162, word for word: the slow truth that the quick ways are measured by. */
function rootByDefinition(leaves: readonly string[]): string {
  if (leaves.length === 1) return leaves[0] ?? ''
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(rootByDefinition(leaves.slice(0, split)), rootByDefinition(leaves.slice(split)))
}

const leaves = (count: number) => Array.from({ length: count }, (_, at) => leafHash(nothingBefore, `"${at}"`))

describe('the tree', () => {
  it('gives the root of the definition at every size', () => {
    const frontier = new Frontier()
    for (const [at, leaf] of leaves(130).entries()) {
      frontier.push(leaf)
      expect(frontier.root()).toBe(rootByDefinition(leaves(at + 1)))
    }
  })

  it('proves every entry at sizes around those of its tiles, and nothing else', async () => {
    const { audit, storage } = await temporaryAudit()
    await storage.write(async transaction => {
      for (let at = 0; at < 1100; at++) {
        await audit.append(transaction, {
          action: 'message.added',
          tenant: '01900000-0000-7000-8000-000000000001' as never,
          actor: null,
          details: at,
        })
      }
    })
    await audit.checkpoint()
    const rows = await storage.read.selectFrom('audit_entries').select('hash').orderBy('seq').execute()
    const hashes = rows.map(row => row.hash)
    const tree = new StoredTree(storage.read)
    for (const size of [1, 2, 255, 256, 257, 511, 512, 513, 767, 1024, 1101]) {
      expect(await tree.root(0, size)).toBe(rootByDefinition(hashes.slice(0, size)))
    }
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1101 }), fc.nat(1100), async (size, any) => {
        const index = any % size
        const path = await tree.path(index, size)
        const root = rootByDefinition(hashes.slice(0, size))
        expect(rootOfProof(hashes[index] ?? '', index, size, path)).toBe(root)
        expect(rootOfProof(hashes[(index + 1) % 1101] ?? '', index, size, path)).not.toBe(root)
        if (size > 1) expect(rootOfProof(hashes[index] ?? '', (index + 1) % size, size, path)).not.toBe(root)
      }),
      { numRuns: 60 },
    )
  })

  it('shows an entry with a proof that leads to the signed root', async () => {
    const { audit } = await temporaryAudit()
    await writeMany(audit, 20)
    const checkpoint = await audit.checkpoint()
    const proof = await audit.proof(7)
    expect(proof).toMatchObject({ ok: true, value: { seq: 7, checkpoint } })
    if (proof.ok) expect(rootOfProof(proof.value.hash, 7, checkpoint.size, proof.value.path)).toBe(checkpoint.root)
  })
})
