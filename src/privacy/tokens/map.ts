import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../contract/problem.ts'
import type { TokenEntry } from './tokens.ts'

/**
 * A file that holds what tokens stand for: a line that says how it is sealed, then sealed parts, the last of which says
 * how many there are. A part is bound to its place, so none can be moved, taken out or cut off unnoticed.
 */

export type MapSecret = { readonly passphrase: string } | { readonly key: Uint8Array }

const Entries = z.array(
  z.object({ token: z.string(), type: z.string(), value: z.string(), kind: z.enum(['text', 'json']) }),
)
const End = z.object({ parts: z.number().int() })
const Header = z.discriminatedUnion('format', [
  z.object({ format: z.literal('countersign-map-2'), by: z.enum(['key', 'passphrase']), salt: z.base64() }),
  /** As the first release wrote it: one sealed part, and its nonce in the header. */
  z.object({
    format: z.literal('countersign-map-1'),
    by: z.enum(['key', 'passphrase']),
    salt: z.base64(),
    nonce: z.base64(),
  }),
])

/** Seals a map part by part, so that it can be written while the text is still being read. */
export interface MapWriter {
  /** What the file begins with. */
  readonly header: Uint8Array
  seal(entries: readonly TokenEntry[]): Uint8Array
  /** The last part. */
  end(): Uint8Array
}

export async function createMapWriter(secret: MapSecret): Promise<MapWriter> {
  const salt = randomBytes(16)
  const by = 'key' in secret ? 'key' : 'passphrase'
  const header = Buffer.from(`${JSON.stringify({ format: 'countersign-map-2', by, salt: salt.toString('base64') })}\n`)
  const key = await keyOf(secret, salt)
  let parts = 0
  const seal = (plain: unknown, kind: PartKind): Uint8Array => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(placeOf(header, parts++, kind))
    const body = [nonce, cipher.update(JSON.stringify(plain), 'utf8'), cipher.final(), cipher.getAuthTag()]
    const sealed = Buffer.concat([Buffer.alloc(5), ...body])
    sealed.writeUInt32BE(sealed.length - 5, 0)
    sealed.writeUInt8(kind === 'end' ? 1 : 0, 4)
    return sealed
  }
  return { header, seal: entries => seal(entries, 'entries'), end: () => seal({ parts }, 'end') }
}

type PartKind = 'entries' | 'end'

const placeOf = (header: Uint8Array, part: number, kind: PartKind): Uint8Array =>
  Buffer.concat([header, Buffer.from(`${part} ${kind}`)])

/** A whole map at once. */
export async function sealMap(entries: readonly TokenEntry[], secret: MapSecret): Promise<Uint8Array> {
  const writer = await createMapWriter(secret)
  return Buffer.concat([writer.header, writer.seal(entries), writer.end()])
}

/** Where the bytes of a map come from: it may be larger than what fits into memory. */
export interface MapSource {
  readonly size: number
  read(at: number, length: number): Promise<Buffer>
}

/** What a map holds. */
export async function openMap(bytes: Uint8Array, secret: MapSecret): Promise<TokenEntry[]> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = async (at: number, length: number): Promise<Buffer> => file.subarray(at, at + length)
  const all: TokenEntry[] = []
  for await (const entries of readMap({ size: file.length, read }, secret)) for (const entry of entries) all.push(entry)
  return all
}

/** The same part by part. Not before the last one is it known that none is missing. */
export async function* readMap(source: MapSource, secret: MapSecret): AsyncGenerator<TokenEntry[]> {
  try {
    const beginning = await source.read(0, Math.min(longestHeader, source.size))
    const intro = beginning.subarray(0, beginning.indexOf(10) + 1)
    const header = Header.parse(JSON.parse(intro.toString()))
    const key = await keyOf(secret, Buffer.from(header.salt, 'base64'))
    if (header.format === 'countersign-map-2') yield* readParts(source, intro, key)
    else {
      const sealed = await source.read(intro.length, source.size - intro.length)
      yield Entries.parse(unseal(sealed, key, Buffer.from(header.nonce, 'base64'), intro))
    }
  } catch (error) {
    throw new Failure(
      'privacy.vault',
      'The map cannot be opened.',
      'It was made with another key or passphrase, is no map, or was changed since.',
      { cause: error },
    )
  }
}

const longestHeader = 4096

async function* readParts(source: MapSource, header: Buffer, key: Uint8Array): AsyncGenerator<TokenEntry[]> {
  let at = header.length
  for (let part = 0; ; part++) {
    const before = await source.read(at, 5)
    const length = before.readUInt32BE(0)
    const kind = before.readUInt8(4) === 1 ? 'end' : 'entries'
    // Looked at before it is read: no file may claim more memory than it has bytes.
    if (at + 5 + length > source.size) throw new Error('cut off')
    const sealed = await source.read(at + 5, length)
    at += 5 + length
    const plain = unseal(sealed.subarray(12), key, sealed.subarray(0, 12), placeOf(header, part, kind))
    if (kind === 'entries') yield Entries.parse(plain)
    else if (End.parse(plain).parts !== part || at !== source.size) throw new Error('changed')
    else return
  }
}

function unseal(sealed: Buffer, key: Uint8Array, nonce: Uint8Array, place: Uint8Array): unknown {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAAD(place)
  decipher.setAuthTag(sealed.subarray(-16))
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  return JSON.parse(plain.toString('utf8'))
}

function keyOf(secret: MapSecret, salt: Uint8Array): Promise<Uint8Array> {
  if ('key' in secret) return Promise.resolve(secret.key)
  return new Promise((resolve, reject) => {
    scrypt(secret.passphrase, salt, 32, { N: 1 << 15, r: 8, p: 1, maxmem: 64 << 20 }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
