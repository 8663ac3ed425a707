import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { storageFailure } from '../storage/failure.ts'

/** File contents by their SHA-256, each once. Contents are written whole or not at all, and checked when they are read. */
export interface Blobs {
  /** Keeps what `pieces` yields; stops with null when it is more than `limit` bytes. */
  put(pieces: AsyncIterable<Uint8Array>, limit: number): Promise<{ sha256: string; bytes: number } | null>
  /** The content in pieces; the last step fails when it is not what it was. */
  read(sha256: string): AsyncGenerator<Outcome<Uint8Array>, void>
  has(sha256: string): Promise<boolean>
  /** Removes contents that `isUsed` does not know and that are older than `before`. Answers how many bytes that freed. */
  prune(isUsed: (sha256: string) => boolean, before: number): Promise<number>
}

const piece = 4 * 1024 * 1024

export function openBlobs(folder: string): Blobs {
  const place = (sha256: string) => join(folder, sha256.slice(0, 2), sha256)
  const incoming = join(folder, 'incoming')
  let counter = 0

  return {
    async put(pieces, limit) {
      await mkdir(incoming, { recursive: true, mode: 0o700 })
      const temporary = join(incoming, `${process.pid}-${counter++}`)
      const hash = createHash('sha256')
      let bytes = 0
      try {
        const file = await open(temporary, 'wx', 0o600)
        try {
          for await (const part of pieces) {
            bytes += part.length
            if (bytes > limit) return null
            hash.update(part)
            await file.writeFile(part)
          }
          await file.sync()
        } finally {
          await file.close()
        }
        const sha256 = hash.digest('hex')
        await mkdir(dirname(place(sha256)), { recursive: true, mode: 0o700 })
        await rename(temporary, place(sha256))
        await syncFolder(dirname(place(sha256)))
        return { sha256, bytes }
      } catch (error) {
        throw isSystemError(error) ? storageFailure(error, folder) : error
      } finally {
        await rm(temporary, { force: true })
      }
    },

    async *read(sha256) {
      const file = await open(place(sha256), 'r').catch(() => null)
      if (!file) return yield gone(sha256)
      const hash = createHash('sha256')
      try {
        // As much as there is: a whole piece for each small file had the collector go through all of the memory every time.
        const { size } = await file.stat()
        for (let at = 0; at < size; ) {
          const length = Math.min(piece, size - at)
          const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length)
          if (bytesRead === 0) break
          at += bytesRead
          const part = buffer.subarray(0, bytesRead)
          hash.update(part)
          yield ok(part)
        }
      } finally {
        await file.close()
      }
      if (hash.digest('hex') !== sha256) yield damaged(sha256)
    },

    async has(sha256) {
      return (await stat(place(sha256)).catch(() => null)) !== null
    },

    async prune(isUsed, before) {
      let freed = 0
      for (const group of await names(folder)) {
        for (const name of await names(join(folder, group))) {
          const file = join(folder, group, name)
          const found = await stat(file).catch(() => null)
          if (!found?.isFile() || found.mtimeMs >= before || isUsed(name)) continue
          freed += found.size
          await rm(file, { force: true })
        }
      }
      return freed
    },
  }
}

const names = (folder: string) => readdir(folder).catch(() => [] as string[])

/** Without it a power cut can lose the name of a file whose content is safe. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

const gone = (sha256: string) =>
  fail('files.missing', `The content ${sha256.slice(0, 12)}… is no longer kept.`, 'Upload the file again.')

const damaged = (sha256: string) =>
  fail(
    'files.damaged',
    `The content ${sha256.slice(0, 12)}… on this disk is not what was kept.`,
    'Upload the file again, or restore the data folder from a backup.',
  )
