import { createHash } from 'node:crypto'
import { type KeptFile, Manifest } from '../contract/files.ts'

/** One text per manifest, so that equal files have equal hashes. */
export const manifestText = (manifest: Manifest): string =>
  JSON.stringify(manifest.map(({ path, sha256, bytes }) => [path, sha256, bytes]))

export const manifestHash = (manifest: Manifest): string =>
  createHash('sha256').update(manifestText(manifest), 'utf8').digest('hex')

/** Null where the text is not a manifest. */
export function parseManifest(text: string): Manifest | null {
  try {
    const rows: unknown = JSON.parse(text)
    if (!Array.isArray(rows)) return null
    const parsed = Manifest.safeParse(rows.map(([path, sha256, bytes]) => ({ path, sha256, bytes })))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

export const manifestOf = (files: Iterable<KeptFile>): Manifest =>
  [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))

export const emptyManifest: Manifest = []

export const totalBytes = (manifest: Manifest): number => manifest.reduce((sum, { bytes }) => sum + bytes, 0)

export interface ManifestChanges {
  /** Created or changed. */
  readonly written: readonly KeptFile[]
  readonly removed: readonly string[]
}

export function manifestChanges(before: Manifest, after: Manifest): ManifestChanges {
  const old = new Map(before.map(file => [file.path, file.sha256]))
  const now = new Set(after.map(({ path }) => path))
  return {
    written: after.filter(({ path, sha256 }) => old.get(path) !== sha256),
    removed: before.filter(({ path }) => !now.has(path)).map(({ path }) => path),
  }
}

export function withChanges(manifest: Manifest, { written, removed }: ManifestChanges): Manifest {
  const files = new Map(manifest.map(file => [file.path, file]))
  for (const path of removed) files.delete(path)
  for (const file of written) files.set(file.path, file)
  return manifestOf(files.values())
}
