import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
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

  it('adds a key where there is none, and leaves one that is there', async () => {
    const folder = join(temporaryFolder(), 'keys')
    const keys = fileKeyStore(folder)
    expect([...(await keys.add('vault', new Uint8Array([1])))]).toEqual([1])
    expect([...(await keys.add('vault', new Uint8Array([2])))]).toEqual([1])
    expect([...((await keys.get('vault')) ?? [])]).toEqual([1])
    expect(statSync(join(folder, 'vault.key'))).toMatchObject({ nlink: 1 })
    expect(statSync(join(folder, 'vault.key')).mode & 0o777).toBe(0o600)
  })

  it('gives the same key to all processes that make it at once', async () => {
    const folder = join(temporaryFolder(), 'keys')
    const count = 40
    // Some time from now, when all of them have started.
    const start = String(Date.now() + 1500)
    const racers = Array.from({ length: 3 }, () => run(process.execPath, [racer, folder, String(count), start]))
    const [first, ...others] = (await Promise.all(racers)).map(({ stdout }) => JSON.parse(stdout) as string[])
    for (const other of others) expect(other).toEqual(first)
    const kept = await Promise.all(first?.map((_, at) => fileKeyStore(folder).get(`key-${at}`)) ?? [])
    expect(kept.map(key => Buffer.from(key ?? []).toString('hex'))).toEqual(first)
    expect(readdirSync(folder)).toHaveLength(count)
  }, 30_000)
})

const run = promisify(execFile)
const racer = fileURLToPath(new URL('keystore.testing.ts', import.meta.url))
