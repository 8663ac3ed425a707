import { time } from '../../resources/verify.mjs'
import type { Finding } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'
import type { Anchor } from './anchor.ts'
import { headOf } from './append.ts'
import type { CheckpointFile } from './checkpoints.ts'
import type { SigningKeys } from './keys.ts'
import type { SignedTree } from './signed-tree.ts'
import { StoredTree } from './tree.ts'

export interface DamageOptions {
  readonly storage: Storage
  readonly file: CheckpointFile
  readonly anchor: Anchor
  readonly signed: SignedTree
  readonly keys: SigningKeys['state']
}

/** A quick look at the start; `verify` looks at everything. */
export async function damageOf({ storage, file, anchor, signed, keys }: DamageOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  const find = (kind: Finding['kind'], message: string, seq: number | null) =>
    findings.push({ kind, message, seq, last: seq })
  if (keys === 'replaced') {
    find(
      'key',
      'The key store does not hold the key of this record: the database was replaced or the key was lost.',
      null,
    )
  }
  if (keys === 'missing') find('key', 'The key store has lost the key that signs for this record.', null)
  const { unwitnessed } = anchor.head
  if (unwitnessed > 0) find('checkpoint', unwitnessedText(unwitnessed), unwitnessed - 1)
  if (signed.damage) return [...findings, signed.damage]
  const last = file.read().checkpoints.at(-1)
  if (!last) return findings
  const size = (await headOf(storage.read)).seq + 1
  if (size < last.size) {
    find('truncated', `The record has ${size} entries, but ${last.size} were signed on ${time(last.at)}.`, size)
  } else if ((await new StoredTree(storage.read).root(0, last.size)) !== last.root) {
    find('rewritten', `The first ${last.size} entries are not those that were signed.`, last.size - 1)
  }
  return findings
}

export const unwitnessedText = (count: number): string =>
  `No checkpoint spoke for the first ${count} entries when the key store first saw this record: they may be forged.`
