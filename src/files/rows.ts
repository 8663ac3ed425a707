import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Manifest, RunFiles } from '../contract/files.ts'
import type { RunId } from '../contract/ids.ts'
import { Failure } from '../contract/problem.ts'
import type { Database, Storage, Transaction } from '../storage/storage.ts'
import { emptyManifest, manifestHash, manifestText, parseManifest } from './manifest.ts'

const emptyHash = manifestHash(emptyManifest)

/** Heads, manifests and what runs found and left, as rows. A manifest that is not what its hash says is damaged. */
export class FileRows {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  async head(db: Kysely<Database>, ref: PathRef): Promise<Manifest> {
    const hash = await this.headHash(db, ref)
    if (hash === emptyHash) return emptyManifest
    const manifest = await this.manifest(db, hash)
    // Read as empty, the next run would start without its inputs and then make that the state of the path.
    if (!manifest) throw damagedList()
    return manifest
  }

  async headHash(db: Kysely<Database>, { tenant, conversation, path }: PathRef): Promise<string> {
    const row = await db
      .selectFrom('path_files')
      .select('manifest')
      .where('tenant', '=', tenant)
      .where('conversation', '=', conversation)
      .where('path', '=', path)
      .executeTakeFirst()
    return row?.manifest ?? emptyHash
  }

  async manifest(db: Kysely<Database>, hash: string): Promise<Manifest | null> {
    const row = await db.selectFrom('file_manifests').select('files').where('hash', '=', hash).executeTakeFirst()
    return row ? intact(hash, row.files) : null
  }

  async ofRun(run: RunId): Promise<RunFiles | null> {
    const row = await this.#storage.read
      .selectFrom('run_files')
      .select(['before', 'after'])
      .where('run', '=', run)
      .executeTakeFirst()
    return row ?? null
  }

  /** Makes `manifest` the head. */
  async advance(t: Transaction, ref: PathRef, manifest: Manifest): Promise<void> {
    const { tenant, conversation, path } = ref
    const row = { manifest: await this.#store(t, ref, manifest), at: this.#clock.now() }
    await t
      .insertInto('path_files')
      .values({ tenant, conversation, path, ...row })
      .onConflict(held => held.columns(['tenant', 'conversation', 'path']).doUpdateSet(row))
      .execute()
  }

  async noteRun(t: Transaction, ref: PathRef, run: RunId, between: RunFiles): Promise<void> {
    const { tenant, conversation, path } = ref
    const { before, after } = between
    const row = { run, tenant, conversation, path, before, after, at: this.#clock.now() }
    await t.insertInto('run_files').values(row).execute()
  }

  async drop(t: Transaction, { tenant, conversation, path }: PathRef): Promise<void> {
    await t
      .deleteFrom('path_files')
      .where('tenant', '=', tenant)
      .where('conversation', '=', conversation)
      .where('path', '=', path)
      .execute()
  }

  async #store(t: Transaction, { tenant }: PathRef, manifest: Manifest): Promise<string> {
    const hash = manifestHash(manifest)
    await t
      .insertInto('file_manifests')
      .values({ hash, tenant, files: manifestText(manifest) })
      .onConflict(row => row.column('hash').doNothing())
      .execute()
    return hash
  }

  /** Drops what runs before `time` found and left, and the manifests that nothing names then. Answers the contents still in use. */
  async forget(time: number): Promise<Set<string>> {
    return this.#storage.write(async t => {
      await t.deleteFrom('run_files').where('at', '<', time).execute()
      await t
        .deleteFrom('file_manifests')
        .where('hash', 'not in', t.selectFrom('path_files').select('manifest'))
        .where('hash', 'not in', t.selectFrom('run_files').select('before'))
        .where('hash', 'not in', t.selectFrom('run_files').select('after'))
        .execute()
      const kept = await t.selectFrom('file_manifests').select(['hash', 'files']).execute()
      const used = new Set<string>()
      for (const { hash, files } of kept) {
        const manifest = intact(hash, files)
        // Contents that only a damaged list names would be taken for unused, and lost for good.
        if (!manifest) throw damagedList()
        for (const { sha256 } of manifest) used.add(sha256)
      }
      return used
    })
  }
}

function intact(hash: string, text: string): Manifest | null {
  const manifest = parseManifest(text)
  return manifest && manifestHash(manifest) === hash ? manifest : null
}

const damagedList = () =>
  new Failure(
    'files.damaged',
    'A list of the files of a path is damaged in the database.',
    'Put the database back from a backup. The contents of the files are still there; none is removed meanwhile.',
  )
