import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../contract/problem.ts'
import type { TokenEntry } from './tokens.ts'

/** A file that holds what the tokens of one text stand for: a line that says how it is sealed, then the sealed part. */

export type MapSecret = { readonly passphrase: string } | { readonly key: Uint8Array }

const Entries = z.array(
  z.object({ token: z.string(), type: z.string(), value: z.string(), kind: z.enum(['text', 'json']) }),
)
const Header = z.object({
  format: z.literal('countersign-map-1'),
  by: z.enum(['key', 'passphrase']),
  salt: z.base64(),
  nonce: z.base64(),
})

export async function sealMap(entries: readonly TokenEntry[], secret: MapSecret): Promise<Uint8Array> {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const by = 'key' in secret ? 'key' : 'passphrase'
  const header = `${JSON.stringify({ format: 'countersign-map-1', by, salt: salt.toString('base64'), nonce: nonce.toString('base64') })}\n`
  const cipher = createCipheriv('aes-256-gcm', await keyOf(secret, salt), nonce)
  cipher.setAAD(Buffer.from(header))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(entries), 'utf8'), cipher.final(), cipher.getAuthTag()])
  return Buffer.concat([Buffer.from(header), sealed])
}

export async function openMap(bytes: Uint8Array, secret: MapSecret): Promise<TokenEntry[]> {
  const file = Buffer.from(bytes)
  const end = file.indexOf(10) + 1
  try {
    const header = Header.parse(JSON.parse(file.subarray(0, end).toString()))
    const key = await keyOf(secret, Buffer.from(header.salt, 'base64'))
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(header.nonce, 'base64'))
    decipher.setAAD(file.subarray(0, end))
    decipher.setAuthTag(file.subarray(-16))
    const plain = Buffer.concat([decipher.update(file.subarray(end, -16)), decipher.final()])
    return Entries.parse(JSON.parse(plain.toString('utf8')))
  } catch (error) {
    throw new Failure(
      'privacy.vault',
      'The map cannot be opened.',
      'It was made with another key or passphrase, or was changed since.',
      { cause: error },
    )
  }
}

function keyOf(secret: MapSecret, salt: Uint8Array): Promise<Uint8Array> {
  if ('key' in secret) return Promise.resolve(secret.key)
  return new Promise((resolve, reject) => {
    scrypt(secret.passphrase, salt, 32, { N: 1 << 15, r: 8, p: 1, maxmem: 64 << 20 }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
