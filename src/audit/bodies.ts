import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { textHash } from '../../resources/verify.mjs'
import { hasBody, insertBody } from '../storage/record/entries.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { AuditBodiesTable } from '../storage/tables/audit.ts'

/** Shorter texts gain nothing from compression. */
const worthCompressing = 400

/** A text that says how long it is when unpacked could fill the memory; nothing that we write is longer. */
const longestBody = 256 * 1024 * 1024

/** Keeps a text once, however many entries refer to it. */
export async function keepBody(
  transaction: Transaction,
  body: { readonly hash: string; readonly text: string },
): Promise<void> {
  if (await hasBody(transaction, body.hash)) return
  const plain = Buffer.from(body.text, 'utf8')
  const packed = plain.length < worthCompressing ? null : deflateRawSync(plain, { level: 3 })
  const small = packed !== null && packed.length < plain.length
  const codec = small ? 'deflate' : 'plain'
  await insertBody(transaction, { hash: body.hash, codec, data: small ? packed : plain })
}

/** The text, or null when it does not unpack. The caller compares its hash. */
export function unpackBody(body: Pick<AuditBodiesTable, 'codec' | 'data'>): string | null {
  const bytes = bodyBytes(body)
  return bytes && Buffer.from(bytes).toString('utf8')
}

/** What the hash of a text was made over. */
export function bodyBytes({ codec, data }: Pick<AuditBodiesTable, 'codec' | 'data'>): Uint8Array | null {
  try {
    if (codec === 'plain') return data
    return codec === 'deflate' ? inflateRawSync(data, { maxOutputLength: longestBody }) : null
  } catch {
    return null
  }
}

/** A text by its hash; null when it is not there or is not what it was. */
export async function readBody(storage: Pick<Storage, 'read'>, hash: string): Promise<string | null> {
  const row = await storage.read
    .selectFrom('audit_bodies')
    .select(['codec', 'data'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  const text = row ? unpackBody(row) : null
  return text !== null && textHash(text) === hash ? text : null
}
