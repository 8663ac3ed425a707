import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { Checkpoint, Sha256 } from '../contract/audit.ts'
import { Failure } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import type { Storage } from '../storage/storage.ts'
import { allCheckpoints, type CheckpointFile } from './checkpoints.ts'
import { Seal } from './seal.ts'

const storeName = 'audit-head'

/** What the key store remembers of the record, so that another database cannot be passed off as it. */
const Head = z.object({
  format: z.literal(1),
  /** Key of the seals on entries, in base64. */
  seal: z.string().length(44),
  /** Entries before this one were written before there were seals; checkpoints speak for them. */
  sealedFrom: z.number().int().nonnegative(),
  /** So many entries were there without any checkpoint when the first head was made. */
  unwitnessed: z.number().int().nonnegative(),
  /** What the record is named by, and the fingerprint of the key that signs for it; null until the first key is made. */
  log: Sha256.nullable(),
  key: Sha256.nullable(),
  /** The last one that was signed. Nothing is signed that does not extend it. */
  checkpoint: Checkpoint.nullable(),
})
type Head = z.infer<typeof Head>

/** The end of the record as the key store knows it. */
export class Anchor {
  readonly #keys: KeyStore
  readonly seal: Seal
  #head: Head

  private constructor(keys: KeyStore, head: Head) {
    this.#keys = keys
    this.#head = head
    this.seal = new Seal(Buffer.from(head.seal, 'base64'))
  }

  /** Reads the head, or makes the first one from what the database and the checkpoints beside it say. */
  static async open(keys: KeyStore, storage: Storage, file: CheckpointFile): Promise<Anchor> {
    const known = await keys.get(storeName)
    const bytes = known ?? (await keys.add(storeName, bytesOf(await firstHead(storage, file))))
    return new Anchor(keys, parseHead(bytes))
  }

  /** For a look at the record that changes nothing; null where the key store has no head. */
  static async look(keys: KeyStore): Promise<Anchor | null> {
    const bytes = await keys.get(storeName)
    return bytes ? new Anchor(keys, parseHead(bytes)) : null
  }

  get head(): Readonly<Head> {
    return this.#head
  }

  /** What another process has written since counts too. */
  async refresh(): Promise<Readonly<Head>> {
    const bytes = await this.#keys.get(storeName)
    if (!bytes) throw lost
    this.#head = parseHead(bytes)
    return this.#head
  }

  /** Remembers a checkpoint once the database has it for good: the other way round a crash would look like a roll-back. */
  async advance(checkpoint: Checkpoint): Promise<void> {
    const { checkpoint: last } = await this.refresh()
    if (last && last.size >= checkpoint.size) return
    await this.#keep({ checkpoint })
  }

  async nameKey(log: string, key: string): Promise<void> {
    await this.refresh()
    if (this.#head.log !== log || this.#head.key !== key) await this.#keep({ log, key })
  }

  async #keep(change: Partial<Head>): Promise<void> {
    this.#head = { ...this.#head, ...change }
    await this.#keys.set(storeName, bytesOf(this.#head))
  }
}

async function firstHead(storage: Storage, file: CheckpointFile): Promise<Head> {
  const end = await storage.read
    .selectFrom('audit_entries')
    .select(eb => eb.fn.max('seq').as('seq'))
    .executeTakeFirst()
  const size = (end?.seq ?? -1) + 1
  const checkpoints = [...(await allCheckpoints(storage)), ...file.read().checkpoints]
  const checkpoint = checkpoints.sort((a, b) => b.size - a.size)[0] ?? null
  return {
    format: 1,
    seal: randomBytes(32).toString('base64'),
    sealedFrom: size,
    unwitnessed: checkpoint ? 0 : size,
    log: null,
    key: null,
    checkpoint,
  }
}

const bytesOf = (head: Head) => Buffer.from(JSON.stringify(head))

function parseHead(bytes: Uint8Array): Head {
  try {
    return Head.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch (error) {
    throw new Failure(lost.problem.code, lost.problem.message, lost.problem.hint, { cause: error })
  }
}

const lost = new Failure(
  'audit.damaged',
  'The key store has lost the end of the audit record, or what it holds of it cannot be read.',
  'Restore the keys folder from a backup. Until then nothing is signed.',
)
