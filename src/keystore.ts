import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from './contract/problem.ts'

/** Where secrets live: the operating system's key store on the desktop, files with mode 0600 when headless. */
export interface KeyStore {
  get(name: string): Promise<Uint8Array | null>
  set(name: string, value: Uint8Array): Promise<void>
}

/** Wraps and unwraps what is written to disk; the desktop door hands in Electron's `safeStorage`. */
export interface Seal {
  seal(bytes: Uint8Array): Uint8Array
  open(bytes: Uint8Array): Uint8Array
}

/** Stands before what a system's key store sealed, so that a file written by the other kind can be told apart. */
export const sealMark = Buffer.from('countersign-sealed-1:')
export const isSealed = (bytes: Uint8Array): boolean => Buffer.from(bytes).subarray(0, sealMark.length).equals(sealMark)

const unsealed: Seal = {
  seal: bytes => bytes,
  open(bytes) {
    if (!isSealed(bytes)) return bytes
    throw new Failure(
      'keys.sealed',
      'The keys in this folder are sealed by the desktop application.',
      'Use the desktop application, or another COUNTERSIGN_HOME.',
    )
  },
}

export function fileKeyStore(folder: string, seal: Seal = unsealed): KeyStore {
  const place = (name: string) => {
    if (!/^[a-z0-9][a-z0-9.-]{0,100}$/.test(name)) throw new Error(`not a key name: ${name}`)
    return join(folder, `${name}.key`)
  }
  return {
    async get(name) {
      try {
        return seal.open(readFileSync(place(name)))
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    async set(name, value) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const file = place(name)
      // Written beside and renamed, so that a crash leaves the old key or the new one, never half of one.
      writeFileSync(`${file}.new`, seal.seal(value), { mode: 0o600, flush: true })
      chmodSync(`${file}.new`, 0o600)
      renameSync(`${file}.new`, file)
    },
  }
}
