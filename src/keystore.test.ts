import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileKeyStore, sealMark } from './keystore.ts'
import { temporaryFolder } from './storage/testing.ts'

describe('the key store of files', () => {
  it('gives back what was put in, in a file that only its owner can read', async () => {
    const folder = join(temporaryFolder(), 'keys')
    const keys = fileKeyStore(folder)
    await keys.set('signing', new Uint8Array([1, 2, 3]))
    expect([...((await fileKeyStore(folder).get('signing')) ?? [])]).toEqual([1, 2, 3])
    expect(statSync(join(folder, 'signing.key')).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('has nothing where nothing was put', async () => {
    expect(await fileKeyStore(temporaryFolder()).get('signing')).toBeNull()
  })

  it('says so when the desktop sealed the key, instead of using the sealed bytes as one', async () => {
    const folder = temporaryFolder()
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'signing.key'), Buffer.concat([sealMark, Buffer.from('…')]))
    await expect(fileKeyStore(folder).get('signing')).rejects.toMatchObject({ problem: { code: 'keys.sealed' } })
  })

  it('keeps names inside its folder', async () => {
    await expect(fileKeyStore(temporaryFolder()).get('../outside')).rejects.toThrow('not a key name')
  })
})
