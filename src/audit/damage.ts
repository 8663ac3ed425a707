import type { Finding } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'
import type { CheckpointFile } from './checkpoints.ts'
import { StoredTree } from './tree.ts'

/** A quick look at the start; `verify` looks at everything. */
export async function damageOf(storage: Storage, file: CheckpointFile, keyReplaced: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  const find = (kind: Finding['kind'], message: string, seq: number | null) =>
    findings.push({ kind, message, seq, last: seq })
  if (keyReplaced) {
    find(
      'key',
      'The key store does not hold the key of this record: the database was replaced or the key was lost.',
      null,
    )
  }
  const last = file.read().checkpoints.at(-1)
  if (!last) return findings
  const end = await storage.read
    .selectFrom('audit_entries')
    .select(eb => eb.fn.max('seq').as('seq'))
    .executeTakeFirst()
  const size = (end?.seq ?? -1) + 1
  if (size < last.size) {
    const when = new Date(last.at).toISOString()
    find('truncated', `The record has ${size} entries, but ${last.size} were signed for at ${when}.`, size)
  } else if ((await new StoredTree(storage.read).root(0, last.size)) !== last.root) {
    find('rewritten', `The first ${last.size} entries are not those that were signed for.`, last.size - 1)
  }
  return findings
}
