import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { KeptFile, Manifest, RunFiles } from '../contract/files.ts'
import type { RunId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { FileChanges } from '../contract/run.ts'
import type { WorkFolder } from '../sandbox/sandbox.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { type Blobs, openBlobs } from './blobs.ts'
import { gather } from './gather.ts'
import { type ManifestChanges, manifestChanges, manifestHash, withChanges } from './manifest.ts'
import { FileRows } from './rows.ts'

export { type ManifestChanges, manifestChanges, manifestHash, manifestOf, withChanges } from './manifest.ts'

/**
 * The files of a path, kept by content after each run and upload. They belong to the path and not to its sandbox, so
 * that expiry, rotation, a move and a crash lose none.
 */
export interface PathFiles {
  /** What the path has now, or as a transaction sees it. */
  head(ref: PathRef, t?: Transaction): Promise<Manifest>
  /** The hash of what it has now, without reading it. */
  headHash(ref: PathRef): Promise<string>
  /** What a run found and left; null when it is no longer kept or was never recorded. */
  ofRun(run: RunId): Promise<RunFiles | null>
  manifest(hash: string): Promise<Manifest | null>
  /** Brings the head to what the working folder has now, where a run or an upload has changed it. */
  keep(ref: PathRef, folder: WorkFolder, changed: FileChanges | 'all'): Promise<Kept>
  /** Writes files into the folder of a sandbox. What cannot be had is left out and named: the others are still of use. */
  restore(manifest: Manifest, folder: WorkFolder): Promise<Left[]>
  /** Notes what a run found and left, inside the transaction that records it. */
  noteRun(t: Transaction, ref: PathRef, run: RunId, between: RunFiles): Promise<void>
  /** The bytes of a kept file. */
  read(sha256: string): AsyncGenerator<Outcome<Uint8Array>, void>
  /** Reads files of a working folder into the store without changing any path, for a task that may still be undone. */
  stage(folder: WorkFolder, base: Manifest, changed: FileChanges | 'all'): Promise<Staged>
  /** Applies staged changes to the head inside the transaction that they belong to. */
  commit(t: Transaction, ref: PathRef, changes: ManifestChanges): Promise<Manifest>
  /** `commit` in a transaction of its own. */
  change(ref: PathRef, changes: ManifestChanges): Promise<Manifest>
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

/** A file that is not kept, or not handed out, with the reason in a sentence. */
export interface Left {
  readonly path: string
  readonly reason: string
}

export interface Staged {
  readonly manifest: Manifest
  readonly left: readonly Left[]
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

  const commit: PathFiles['commit'] = async (t, ref, changes) => {
    const manifest = withChanges(await rows.head(t, ref), changes)
    await rows.advance(t, ref, manifest)
    return manifest
  }

  return {
    head: (ref, t) => rows.head(t ?? storage.read, ref),
    headHash: ref => rows.headHash(storage.read, ref),
    noteRun: (t, ref, run, between) => rows.noteRun(t, ref, run, between),
    ofRun: run => rows.ofRun(run),
    manifest: hash => rows.manifest(storage.read, hash),
    read: sha256 => blobs.read(sha256),
    stage,

    async keep(ref, folder, changed) {
      const base = await rows.head(storage.read, ref)
      const staged = await stage(folder, base, changed)
      const changes = manifestChanges(base, staged.manifest)
      const isSame = changes.written.length === 0 && changes.removed.length === 0
      const between = { before: manifestHash(base), after: manifestHash(staged.manifest) }
      if (!isSame) await storage.write(t => rows.advance(t, ref, staged.manifest))
      return { ...staged, ...between, ...changes }
    },

    async restore(manifest, folder) {
      const left: Left[] = []
      for (const file of manifest) {
        const written = await writeOut(blobs, file, folder)
        if (written.ok) continue
        left.push({ path: file.path, reason: written.problem.message })
        // Half a file would be taken for the whole.
        await folder.remove(file.path)
      }
      return left
    },

    commit,
    change: (ref, changes) => storage.write(t => commit(t, ref, changes)),

    async add(path, bytes) {
      const kept = await blobs.put(once(bytes), Number.POSITIVE_INFINITY)
      if (!kept) throw new Error('no limit was set')
      return { path, ...kept }
    },

    async put(t, ref, manifest) {
      await rows.advance(t, ref, manifest)
    },

    drop: (t, ref) => rows.drop(t, ref),

    async branch(t, from, to) {
      await rows.advance(t, to, await rows.head(t, from))
    },

    async prune(time) {
      const used = await rows.forget(time)
      return { bytes: await blobs.prune(sha256 => used.has(sha256), clock.now() - graceMs) }
    },
  }
}

async function writeOut(blobs: Blobs, file: KeptFile, folder: WorkFolder): Promise<Outcome<void>> {
  const made = await folder.write(file.path, new Uint8Array())
  if (!made.ok) return made
  for await (const part of blobs.read(file.sha256)) {
    if (!part.ok) return part
    const written = await folder.write(file.path, part.value, { append: true })
    if (!written.ok) return written
  }
  return ok(undefined)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}
