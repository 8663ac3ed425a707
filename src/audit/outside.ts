import { join } from 'node:path'
import type { Checkpoint, Verification } from '../contract/audit.ts'
import { Failure } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import type { EgressGuard } from '../privacy/privacy.ts'
import type { Storage } from '../storage/storage.ts'
import { Anchor } from './anchor.ts'
import type { PassEgress } from './bundle.ts'
import { CheckpointFile, readCheckpointLines } from './checkpoints.ts'
import { type VerifyOptions, verifyRecord } from './verify.ts'

/** Where checkpoints are kept outside the database. */
export const checkpointFileIn = (folder: string) => new CheckpointFile(join(folder, 'audit-checkpoints.jsonl'))

/** For a record that can be read but not written to: the same check, and nothing is put on the record. */
export async function verifyStorage(
  { storage, keys, folder }: { storage: Storage; keys: KeyStore; folder: string },
  options?: VerifyOptions,
): Promise<Verification> {
  // Sealed by the desktop application, perhaps, or lost; the result says what could not be checked without it.
  const anchor = await Anchor.look(keys).catch(() => null)
  return verifyRecord(storage, checkpointFileIn(folder), anchor, options)
}

/** Checkpoints that somebody kept elsewhere, one a line. */
export function readCheckpoints(text: string): Checkpoint[] {
  const { checkpoints, torn } = readCheckpointLines(text)
  if (torn === 0) return checkpoints
  throw new Failure('request.invalid', 'This is not a file of checkpoints.', 'It has one JSON object a line.')
}

/** Texts on their way into an exported file, through the egress guard. */
export function exportsThrough(egress: EgressGuard, to: string): PassEgress {
  return texts => egress.pass('export', texts, { to, conversation: null })
}
