import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import type { Download } from '../../contract/rpc/downloads.ts'

/** Files on their way out to one window, piece by piece. They lie in a folder that only this user can read, and die with the window. */
export class Downloads {
  readonly #files = new Map<string, string>()
  #folder: string | null = null

  /** Lets `make` write a file, and holds it ready. What failed leaves nothing behind. */
  async hold(
    { name, mediaType }: Pick<Download, 'name' | 'mediaType'>,
    make: (file: string) => Promise<Uint8Array | undefined>,
  ): Promise<Download> {
    const download = randomUUID()
    this.#folder ??= mkdtempSync(join(tmpdir(), 'countersign-out-'))
    const file = join(this.#folder, download)
    try {
      const bytes = await make(file)
      if (bytes) await writeFile(file, bytes, { mode: 0o600 })
      this.#files.set(download, file)
      return { download, name, mediaType, bytes: (await stat(file)).size }
    } catch (error) {
      rmSync(file, { force: true })
      throw error
    }
  }

  async piece(download: string, offset: number, length: number): Promise<Outcome<Uint8Array>> {
    const file = this.#files.get(download)
    if (!file) return fail('not-found', 'This file is not held ready any more.', 'Make it again.')
    let handle: FileHandle | null = null
    try {
      handle = await open(file)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset)
      return ok(buffer.subarray(0, bytesRead))
    } finally {
      await handle?.close()
    }
  }

  drop(download: string): void {
    const file = this.#files.get(download)
    this.#files.delete(download)
    if (file) rmSync(file, { force: true })
  }

  close(): void {
    this.#files.clear()
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true })
    this.#folder = null
  }
}
