import { KeptFile, type Manifest } from '../contract/files.ts'
import type { FileChanges } from '../contract/run.ts'
import type { WorkFolder } from '../sandbox/sandbox.ts'
import type { Blobs } from './blobs.ts'
import type { Staged } from './files.ts'
import { manifestOf, totalBytes } from './manifest.ts'

const piece = 8 * 1024 * 1024
/** As many as the supervisor tells of. */
const maxFiles = 20_000

/**
 * Reads what has changed in a working folder into the store. User code may have planted anything there and may still
 * be writing: only plain files within the limit are taken, as they are when they are read.
 */
export async function gather(
  blobs: Blobs,
  folder: WorkFolder,
  base: Manifest,
  changed: FileChanges | 'all',
  limitBytes: number,
): Promise<Staged> {
  const files = new Map(base.map(file => [file.path, file]))
  const left: { path: string; reason: string }[] = []
  const listed = changed === 'all' ? await allFiles(folder) : null
  const wanted = listed ?? (changed === 'all' ? [] : [...changed.created, ...changed.modified])
  if (listed) {
    const there = new Set(listed)
    for (const path of files.keys()) if (!there.has(path)) files.delete(path)
  } else if (changed !== 'all') for (const path of changed.deleted) files.delete(path)

  let room = limitBytes - totalBytes([...files.values()])
  for (const path of wanted) {
    room += files.get(path)?.bytes ?? 0
    files.delete(path)
    // A manifest with a name that its own schema refuses could not be read again, and all files would be lost with it.
    if (!KeptFile.shape.path.safeParse(path).success) {
      left.push({ path: `${path.slice(0, 80)}…`, reason: 'Its path is longer than 4,096 characters.' })
      continue
    }
    if (files.size >= maxFiles) {
      left.push({ path, reason: `A path keeps at most ${maxFiles.toLocaleString('en')} files.` })
      continue
    }
    const kept = await take(blobs, folder, path, room)
    if ('sha256' in kept) {
      files.set(path, kept)
      room -= kept.bytes
    } else if (kept.reason) left.push({ path, reason: kept.reason })
  }
  return { manifest: manifestOf(files.values()), left }
}

async function take(
  blobs: Blobs,
  folder: WorkFolder,
  path: string,
  room: number,
): Promise<KeptFile | { reason: string | null }> {
  let refusal: { code: string; message: string } | null = null
  async function* pieces() {
    for (let offset = 0; ; ) {
      const part = await folder.read(path, { offset, length: piece })
      if (!part.ok) {
        refusal = part.problem
        return
      }
      if (part.value.length > 0) yield part.value
      offset += part.value.length
      if (part.value.length < piece) return
    }
  }
  const kept = await blobs.put(pieces(), room)
  if (refusal !== null) {
    const { code, message } = refusal as { code: string; message: string }
    // It was removed again after the run had ended; then it is not one of the path's files.
    return { reason: code === 'not-found' ? null : message }
  }
  if (!kept) return { reason: 'With it the files of this path would take more than they may.' }
  return { path, ...kept }
}

async function allFiles(folder: WorkFolder): Promise<string[] | null> {
  const found: string[] = []
  const waiting = ['']
  for (let at = 0; at < waiting.length && found.length <= maxFiles; at++) {
    const entries = await folder.list(waiting[at])
    if (!entries.ok) return null
    for (const { path, kind } of entries.value) {
      if (kind === 'folder') waiting.push(path)
      else if (kind === 'file') found.push(path)
    }
  }
  return found.sort()
}
