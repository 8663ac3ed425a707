import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Manifest, RunFiles } from '../contract/files.ts'
import type { RunId } from '../contract/ids.ts'
import type { Database, Storage, Transaction } from '../storage/storage.ts'
import { emptyManifest, manifestHash, manifestText, parseManifest } from './manifest.ts'

/** Heads, manifests and what runs found and left, as rows. A manifest that is not what its hash says counts as absent. */
export class FileRows {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  async head(db: Kysely<Database>, { tenant, conversation, path }: PathRef): Promise<Manifest> {
    const row = await db
      .selectFrom('path_files')
      .select('manifest')
      .where('tenant', '=', tenant)
      .where('conversation', '=', conversation)
      .where('path', '=', path)
      .executeTakeFirst()
    return (row && (await this.manifest(db, row.manifest))) ?? emptyManifest
  }

  async manifest(db: Kysely<Database>, hash: string): Promise<Manifest | null> {
    const row = await db.selectFrom('file_manifests').select('files').where('hash', '=', hash).executeTakeFirst()
    const manifest = row ? parseManifest(row.files) : null
    return manifest && manifestHash(manifest) === hash ? manifest : null
  }

  async ofRun(run: RunId): Promise<RunFiles | null> {
    const row = await this.#storage.read
      .selectFrom('run_files')
      .select(['before', 'after'])
      .where('run', '=', run)
      .executeTakeFirst()
    return row ?? null
  }

  /** Makes `after` the head, and notes both sides for the run that did it. */
  async advance(t: Transaction, ref: PathRef, before: Manifest, after: Manifest, run: RunId | null): Promise<RunFiles> {
    const { tenant, conversation, path } = ref
    const at = this.#clock.now()
    const between = { before: manifestHash(before), after: manifestHash(after) }
    await this.#store(t, ref, before, between.before)
    await this.#store(t, ref, after, between.after)
    await t
      .insertInto('path_files')
      .values({ tenant, conversation, path, manifest: between.after, at })
      .onConflict(row => row.columns(['tenant', 'conversation', 'path']).doUpdateSet({ manifest: between.after, at }))
      .execute()
    if (run)
      await t
        .insertInto('run_files')
        .values({ run, tenant, conversation, path, ...between, at })
        .execute()
    return between
  }

  async drop(t: Transaction, { tenant, conversation, path }: PathRef): Promise<void> {
    await t
      .deleteFrom('path_files')
      .where('tenant', '=', tenant)
      .where('conversation', '=', conversation)
      .where('path', '=', path)
      .execute()
  }

  async #store(t: Transaction, { tenant }: PathRef, manifest: Manifest, hash: string): Promise<void> {
    await t
      .insertInto('file_manifests')
      .values({ hash, tenant, files: manifestText(manifest) })
      .onConflict(row => row.column('hash').doNothing())
      .execute()
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
      const kept = await t.selectFrom('file_manifests').select('files').execute()
      return new Set(kept.flatMap(({ files }) => (parseManifest(files) ?? []).map(({ sha256 }) => sha256)))
    })
  }
}
