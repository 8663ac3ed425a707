import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunId } from '../../contract/ids.ts'
import type { OutputRange } from '../sandbox.ts'

/** Where back ends whose frames pass through this process keep outputs that are too long for the record, by run. */
export class OutputFolder {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  fileOf(run: RunId): string {
    return join(this.#folder, `${run}.txt`)
  }

  /** A piece of all that a run printed; null when it is not kept, or not any more. */
  async read(run: RunId, { offset, length }: OutputRange): Promise<Uint8Array | null> {
    const file = await open(this.fileOf(run)).catch(() => null)
    if (!file) return null
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }
}
