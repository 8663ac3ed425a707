import { randomUUID } from 'node:crypto'
import { fail, type Outcome, ok } from '../../contract/problem.ts'

/** Larger files are refused before their first byte: they would not fit into a sandbox's working folder either. */
const maxUploadBytes = 256 * 1024 * 1024

/** Files on their way in from one window, piece by piece. They die with the window. */
export class Uploads {
  readonly #open = new Map<string, { name: string; bytes: number; pieces: Buffer[]; received: number }>()

  begin({ name, bytes }: { name: string; bytes: number }): Outcome<{ upload: string }> {
    if (bytes > maxUploadBytes) {
      return fail(
        'request.too-large',
        `${name} is larger than 256 MB.`,
        'Split it, or reach for it from a smaller extract.',
      )
    }
    const upload = randomUUID()
    this.#open.set(upload, { name, bytes, pieces: [], received: 0 })
    return ok({ upload })
  }

  add(upload: string, piece: Buffer): Outcome<void> {
    const entry = this.#open.get(upload)
    if (!entry) return unknown
    entry.received += piece.length
    if (entry.received > entry.bytes) {
      this.#open.delete(upload)
      return fail('request.invalid', `More of ${entry.name} came than was announced.`, 'Try again.')
    }
    entry.pieces.push(piece)
    return ok(undefined)
  }

  /** The whole file; an upload is used once. */
  take(upload: string): Outcome<{ name: string; bytes: Uint8Array }> {
    const entry = this.#open.get(upload)
    if (!entry) return unknown
    this.#open.delete(upload)
    if (entry.received !== entry.bytes) {
      return fail('request.invalid', `Only part of ${entry.name} arrived.`, 'Try again.')
    }
    return ok({ name: entry.name, bytes: Buffer.concat(entry.pieces) })
  }
}

const unknown = fail('not-found', 'This upload is not known.', 'Start it again.')
