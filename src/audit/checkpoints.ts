import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkpointStatement } from '../../resources/verify.mjs'
import type { Clock } from '../clock.ts'
import { Checkpoint } from '../contract/audit.ts'
import { storageFailure } from '../storage/failure.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { Signer } from './keys.ts'
import type { SignedTree } from './signed-tree.ts'
import { StoredTree } from './tree.ts'

/** Signs a tree and keeps its subtrees. Where another process has just signed the same, that stays. */
export async function makeCheckpoint(
  transaction: Transaction,
  tree: SignedTree,
  signer: Signer,
  clock: Clock,
): Promise<Checkpoint> {
  const { size } = tree
  await new StoredTree(transaction).keepTiles(size)
  const statement = { log: signer.log, size, root: tree.root(), at: clock.now(), key: signer.key }
  const checkpoint = { ...statement, signature: signer.sign(checkpointStatement(statement)) }
  await transaction
    .insertInto('audit_checkpoints')
    .values(checkpoint)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return checkpoint
}

export async function lastCheckpoint(db: Transaction): Promise<Checkpoint | null> {
  const row = await db.selectFrom('audit_checkpoints').selectAll().orderBy('size', 'desc').limit(1).executeTakeFirst()
  return row ?? null
}

export async function allCheckpoints(storage: Pick<Storage, 'read'>): Promise<Checkpoint[]> {
  return storage.read.selectFrom('audit_checkpoints').selectAll().orderBy('size').execute()
}

/**
 * Checkpoints outside the database, a line each. A database that was put back to an older state, or lost its end,
 * does not agree with them.
 */
export class CheckpointFile {
  readonly #file: string
  #lastSize = -1

  constructor(file: string) {
    this.#file = file
    this.#lastSize = Math.max(-1, ...this.read().checkpoints.map(each => each.size))
  }

  /** Adds a checkpoint and waits until the disk has it. One that is already there is not written again. */
  add(checkpoint: Checkpoint): void {
    if (checkpoint.size <= this.#lastSize) return
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      const file = openSync(this.#file, 'a', 0o600)
      try {
        // Begins with a new line: if the last write was torn by a crash, this one still stands on a line of its own.
        writeSync(file, `\n${JSON.stringify(checkpoint)}`)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
    } catch (error) {
      throw storageFailure(error, this.#file)
    }
    this.#lastSize = checkpoint.size
  }

  /** `torn` counts lines that cannot be read: a crash leaves one, more than that is somebody's work. */
  read(): { checkpoints: Checkpoint[]; torn: number } {
    return readCheckpointLines(textOf(this.#file))
  }
}

export function readCheckpointLines(text: string): { checkpoints: Checkpoint[]; torn: number } {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const parsed = lines.map(line => {
    try {
      return Checkpoint.parse(JSON.parse(line))
    } catch {
      return null
    }
  })
  const checkpoints = parsed.filter(each => each !== null)
  return { checkpoints, torn: lines.length - checkpoints.length }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw storageFailure(error, file)
  }
}
