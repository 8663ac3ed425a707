import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { KeptFile, Manifest, RunFiles } from '../contract/files.ts'
import type { RunId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { FileChanges } from '../contract/run.ts'
import type { WorkFolder } from '../sandbox/sandbox.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { openBlobs } from './blobs.ts'
import { gather } from './gather.ts'
import { emptyManifest, type ManifestChanges, manifestChanges, withChanges } from './manifest.ts'
import { FileRows } from './rows.ts'

export { type ManifestChanges, manifestChanges, manifestHash, withChanges } from './manifest.ts'

/**
 * The files of a path, kept by content after each run and upload. They belong to the path and not to its sandbox, so
 * that expiry, rotation, a move and a crash lose none.
 */
export interface PathFiles {
  /** What the path has now. */
  head(ref: PathRef): Promise<Manifest>
  /** What a run found and left; null when it is no longer kept or was never recorded. */
  ofRun(run: RunId): Promise<RunFiles | null>
  manifest(hash: string): Promise<Manifest | null>
  /** Brings the head to what the working folder has now, where a run or an upload has changed it. */
  keep(ref: PathRef, folder: WorkFolder, changed: FileChanges | 'all', run: RunId | null): Promise<Kept>
  /** Writes the head, or another manifest, into the folder of a new sandbox. */
  restore(ref: PathRef, folder: WorkFolder, manifest?: Manifest): Promise<Outcome<Manifest>>
  /** The bytes of a kept file. */
  read(sha256: string): AsyncGenerator<Outcome<Uint8Array>, void>
  /** Reads files of a working folder into the store without changing any path, for a task that may still be undone. */
  stage(folder: WorkFolder, base: Manifest, changed: FileChanges | 'all'): Promise<Staged>
  /** Applies staged changes to the head inside the transaction that they belong to. */
  commit(t: Transaction, ref: PathRef, changes: ManifestChanges): Promise<Manifest>
  /** Keeps bytes that come from no sandbox. */
  add(path: string, bytes: Uint8Array): Promise<KeptFile>
  /** Gives a path exactly these files. */
  put(t: Transaction, ref: PathRef, manifest: Manifest): Promise<void>
  /** Lets go of a path's files; contents that nothing else names are pruned later. */
  drop(t: Transaction, ref: PathRef): Promise<void>
  /** Starts a branch with the files that its parent has now. */
  branch(t: Transaction, from: PathRef, to: PathRef): Promise<void>
  /** Forgets what runs before `time` found and left, and contents that nothing names any more; never a head. */
  prune(time: number): Promise<{ bytes: number }>
}

export interface Staged {
  readonly manifest: Manifest
  /** Files that are not kept, with the reason in a sentence. */
  readonly left: readonly { readonly path: string; readonly reason: string }[]
}

export interface Kept extends Staged, RunFiles {
  readonly written: readonly KeptFile[]
  readonly removed: readonly string[]
}

export interface FilesOptions {
  readonly storage: Storage
  readonly clock: Clock
  /** The folder of all data. */
  readonly home: string
  /** Most that is kept of one path. */
  readonly limitBytes: () => number
}

/** A content that was written a moment ago may belong to a manifest that is not yet committed. */
const graceMs = 60 * 60_000

export function createFiles({ storage, clock, home, limitBytes }: FilesOptions): PathFiles {
  const blobs = openBlobs(join(home, 'files'))
  const rows = new FileRows(storage, clock)

  const stage: PathFiles['stage'] = (folder, base, changed) => gather(blobs, folder, base, changed, limitBytes())

  return {
    head: ref => rows.head(storage.read, ref),
    ofRun: run => rows.ofRun(run),
    manifest: hash => rows.manifest(storage.read, hash),
    read: sha256 => blobs.read(sha256),
    stage,

    async keep(ref, folder, changed, run) {
      const base = await rows.head(storage.read, ref)
      const staged = await stage(folder, base, changed)
      const between = await storage.write(t => rows.advance(t, ref, base, staged.manifest, run))
      return { ...staged, ...between, ...manifestChanges(base, staged.manifest) }
    },

    async restore(ref, folder, manifest) {
      const wanted = manifest ?? (await rows.head(storage.read, ref))
      for (const file of wanted) {
        let append = false
        for await (const part of blobs.read(file.sha256)) {
          if (!part.ok) return part
          const written = await folder.write(file.path, part.value, { append })
          if (!written.ok) return written
          append = true
        }
        // An empty file has no part.
        if (!append) {
          const written = await folder.write(file.path, new Uint8Array())
          if (!written.ok) return written
        }
      }
      return ok(wanted)
    },

    async commit(t, ref, changes) {
      const base = await rows.head(t, ref)
      const manifest = withChanges(base, changes)
      await rows.advance(t, ref, base, manifest, null)
      return manifest
    },

    async add(path, bytes) {
      const kept = await blobs.put(once(bytes), Number.POSITIVE_INFINITY)
      if (!kept) throw new Error('no limit was set')
      return { path, ...kept }
    },

    async put(t, ref, manifest) {
      await rows.advance(t, ref, emptyManifest, manifest, null)
    },

    drop: (t, ref) => rows.drop(t, ref),

    async branch(t, from, to) {
      await rows.advance(t, to, emptyManifest, await rows.head(t, from), null)
    },

    async prune(time) {
      const used = await rows.forget(time)
      return { bytes: await blobs.prune(sha256 => used.has(sha256), clock.now() - graceMs) }
    },
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}
