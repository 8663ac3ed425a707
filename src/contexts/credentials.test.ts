import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { ContextId } from '../contract/ids.ts'
import { uuidV7 } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import { sealedCredentials } from './credentials.ts'
import { memoryKeys } from './testing.ts'

const ids = uuidV7(new ManualClock())
const [mine, other] = [ids.make(ContextId), ids.make(ContextId)]

describe('sealed credentials', () => {
  it('come back whole, also after a restart with the same key store', async () => {
    const keys = memoryKeys()
    const sealed = await sealedCredentials(keys).encrypt(mine, 'tök€n')
    expect(await sealedCredentials(keys).decrypt(mine, sealed)).toBe('tök€n')
  })

  it('never look the same twice and never show what they hold', async () => {
    const credentials = sealedCredentials(memoryKeys())
    const [a, b] = [await credentials.encrypt(mine, 'token'), await credentials.encrypt(mine, 'token')]
    expect(a).not.toEqual(b)
    expect(Buffer.from(a).toString('latin1')).not.toContain('token')
  })

  it('cannot be read with another key, for another context, or once a single bit was changed', async () => {
    const credentials = sealedCredentials(memoryKeys())
    const sealed = await credentials.encrypt(mine, 'token')
    expect(await sealedCredentials(memoryKeys()).decrypt(mine, sealed)).toBeNull()
    expect(await credentials.decrypt(other, sealed)).toBeNull()
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed, (byte, index) => (index === at ? byte ^ 1 : byte))
      expect(await credentials.decrypt(mine, changed)).toBeNull()
    }
    expect(await credentials.decrypt(mine, sealed.slice(0, 20))).toBeNull()
    expect(await credentials.decrypt(mine, new Uint8Array())).toBeNull()
  })

  it('are tried again when the key store was locked the first time', async () => {
    const inner = memoryKeys()
    let locked = true
    const keys: KeyStore = {
      ...inner,
      add: (name, value) => (locked ? Promise.reject(new Error('locked')) : inner.add(name, value)),
    }
    const credentials = sealedCredentials(keys)
    await expect(credentials.encrypt(mine, 'token')).rejects.toThrow('locked')
    locked = false
    expect(await credentials.decrypt(mine, await credentials.encrypt(mine, 'token'))).toBe('token')
  })
})
