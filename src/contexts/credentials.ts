import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { ContextId } from '../contract/ids.ts'
import type { KeyStore } from '../keystore.ts'

/** Keeps what reaches a sandbox from outside unreadable at rest. */
export interface Credentials {
  encrypt(context: ContextId, secret: string): Promise<Uint8Array>
  /** Null when it cannot be read: another key, another context, or changed bytes. */
  decrypt(context: ContextId, sealed: Uint8Array): Promise<string | null>
}

const keyName = 'context-credentials'
const version = 1
const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM: `version | nonce | tag | ciphertext`. The context's id is authenticated, so a row cannot borrow another's. */
export function sealedCredentials(keys: KeyStore): Credentials {
  let key: Promise<Uint8Array> | null = null
  const theKey = () => {
    key ??= keys.add(keyName, randomBytes(32)).catch(error => {
      // A key store that was locked once may be open at the next try.
      key = null
      throw error
    })
    return key
  }
  return {
    async encrypt(context, secret) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', await theKey(), nonce)
      cipher.setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), body])
    },
    async decrypt(context, sealed) {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== version || bytes.length < 1 + nonceBytes + tagBytes) return null
      const nonce = bytes.subarray(1, 1 + nonceBytes)
      const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes)
      const decipher = createDecipheriv('aes-256-gcm', await theKey(), nonce, { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(tag)
      try {
        const body = bytes.subarray(1 + nonceBytes + tagBytes)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}
