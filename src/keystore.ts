import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Failure } from './contract/problem.ts'

/** Where secrets live: the operating system's key store on the desktop, files with mode 0600 when headless. */
export interface KeyStore {
  get(name: string): Promise<Uint8Array | null>
  set(name: string, value: Uint8Array): Promise<void>
  /** Keeps a value under a name that has none. Returns what the name stands for now: of all who add at once, one wins. */
  add(name: string, value: Uint8Array): Promise<Uint8Array>
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
  const read = (name: string): Uint8Array | null => {
    try {
      return seal.open(readFileSync(place(name)))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    }
  }
  /** Writes a value beside its place and lets `move` put it there: a crash leaves all of a key or nothing of it. */
  const write = (name: string, value: Uint8Array, move: (from: string, to: string) => void): void => {
    const file = place(name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // A name of its own: two processes that write the same key at once would otherwise move each other's file away.
    const beside = `${file}.${randomUUID()}.new`
    try {
      writeFileSync(beside, seal.seal(value), { mode: 0o600, flush: true })
      chmodSync(beside, 0o600)
      move(beside, file)
      syncFolder(folder)
    } finally {
      rmSync(beside, { force: true })
    }
  }
  return {
    get: async name => read(name),
    set: async (name, value) => write(name, value, renameSync),
    async add(name, value) {
      const known = read(name)
      if (known) return known
      write(name, value, moveWhereNone)
      const kept = read(name)
      if (!kept) throw new Error(`the key ${name} was removed while it was made`)
      return kept
    },
  }
}

/** Puts a whole file where none is, and leaves one that is there. A link says so in one step, a look and a rename do not. */
function moveWhereNone(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    // Some file systems, such as that of a memory stick, have no links.
    if (!existsSync(to)) renameSync(from, to)
  }
}

/** A power cut must not take back a key that something on the disk already depends on. */
function syncFolder(folder: string): void {
  try {
    const place = openSync(folder, 'r')
    try {
      fsyncSync(place)
    } finally {
      closeSync(place)
    }
  } catch {
    // Windows cannot open a folder, and keeps the order of such changes by itself.
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
