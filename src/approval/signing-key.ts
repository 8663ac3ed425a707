import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  scrypt,
} from 'node:crypto'
import { z } from 'zod'

/** A reviewer's Ed25519 key as the key store keeps it: open, or wrapped by a passphrase. */
const StoredKey = z.object({
  format: z.literal('countersign.key.1'),
  publicKey: z.base64(),
  wrap: z
    .object({
      salt: z.base64(),
      // Bounded, so that a planted file cannot make one log-in eat all memory.
      cost: z.number().int().min(1024).max(131_072),
      iv: z.base64(),
      tag: z.base64(),
    })
    .nullable(),
  privateKey: z.base64(),
})

const cost = 32_768
const blockSize = 8

/** A fresh key pair, with the bytes to keep. */
export async function makeKey(owner: string, passphrase?: string): Promise<{ publicKey: string; stored: Uint8Array }> {
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const secret = pair.privateKey.export({ type: 'pkcs8', format: 'der' })
  const kept = passphrase === undefined ? open(secret) : await wrap(secret, passphrase, bound(owner, publicKey))
  return { publicKey, stored: Buffer.from(JSON.stringify({ format: 'countersign.key.1', publicKey, ...kept })) }
}

/** The private key, or why it cannot be had. */
export async function openKey(
  stored: Uint8Array,
  owner: string,
  publicKey: string,
  passphrase?: string,
): Promise<KeyObject | 'damaged' | 'wrong passphrase'> {
  const key = readStored(stored)
  if (!key || key.publicKey !== publicKey) return 'damaged'
  const secret = key.wrap ? await unwrap(key, passphrase ?? '', bound(owner, publicKey)) : bytes(key.privateKey)
  if (!secret) return 'wrong passphrase'
  try {
    return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' })
  } catch {
    return 'damaged'
  }
}

/** What lies beside the private key: what the database says of either is only a claim. */
export function trustedHalf(stored: Uint8Array): { publicKey: string; protected: boolean } | null {
  const key = readStored(stored)
  return key && { publicKey: key.publicKey, protected: key.wrap !== null }
}

function readStored(stored: Uint8Array): z.infer<typeof StoredKey> | null {
  try {
    return StoredKey.parse(JSON.parse(Buffer.from(stored).toString('utf8')))
  } catch {
    return null
  }
}

const open = (secret: Buffer) => ({ wrap: null, privateKey: secret.toString('base64') })

async function wrap(secret: Buffer, passphrase: string, about: Buffer) {
  const salt = randomBytes(16)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await stretch(passphrase, salt, cost), iv).setAAD(about)
  const privateKey = Buffer.concat([cipher.update(secret), cipher.final()])
  const [tag, ...rest] = [cipher.getAuthTag(), salt, iv].map(each => each.toString('base64'))
  return { wrap: { salt: rest[0], cost, iv: rest[1], tag }, privateKey: privateKey.toString('base64') }
}

async function unwrap(key: z.infer<typeof StoredKey>, passphrase: string, about: Buffer): Promise<Buffer | null> {
  if (!key.wrap) return null
  const secret = await stretch(passphrase, bytes(key.wrap.salt), key.wrap.cost)
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, bytes(key.wrap.iv), { authTagLength: 16 })
    decipher.setAAD(about).setAuthTag(bytes(key.wrap.tag))
    return Buffer.concat([decipher.update(bytes(key.privateKey)), decipher.final()])
  } catch {
    return null
  }
}

/** A wrapped key opens only under the name it was made for, so copying a reviewer's file over one's own gains nothing. */
const bound = (owner: string, publicKey: string): Buffer => Buffer.from(`countersign.key.1 ${owner} ${publicKey}`)
const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64')

/** Slow on purpose. The same passphrase typed on another keyboard may be composed otherwise, hence the normal form. */
function stretch(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options = { N: cost, r: blockSize, p: 1, maxmem: 256 * cost * blockSize }
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
