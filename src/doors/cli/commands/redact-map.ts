import { rmSync } from 'node:fs'
import { access, constants, type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../../../contract/problem.ts'
import { fileKeyStore } from '../../../keystore.ts'
import { homeFolder } from '../../../places.ts'
import { createMapWriter, type MapSecret, openMap, readMap, type TokenEntry } from '../../../privacy/privacy.ts'
import { type Io, UsageError } from '../command.ts'

/** Where the values behind tokens are kept, and what with. */
export interface MapPlace {
  readonly map: string
  readonly passphraseFile: string | null
}

/** A map that is being written. It takes the place of the one before it only when it is whole. */
export interface GrowingMap {
  add(entries: readonly TokenEntry[]): Promise<void>
  finish(): Promise<void>
  /** Leaves the map as it was. */
  abandon(): Promise<void>
}

/**
 * Opens all that is needed before the first character is written: a text without its map could not be put back. A map
 * there is already goes on: if it were written over, tokens of earlier texts would get values of this one. What they put
 * into it is handed to `learn` part by part, since all of it may not fit into memory.
 */
export async function openGrowingMap(
  place: MapPlace,
  io: Io,
  learn: (known: readonly TokenEntry[]) => void,
): Promise<GrowingMap> {
  const file = resolve(io.cwd, place.map)
  const beside = `${file}.new`
  // Taken before the map is read: what another redaction adds to it in between would be written over.
  const handle = await open(beside, 'wx', 0o600).catch(error => {
    if (codeOf(error) !== 'EEXIST') throw notWritable(place.map)
    throw new Failure(
      'conflict',
      `The map ${place.map} is being written by another redaction.`,
      `Wait for it. If none is running, one was interrupted: remove ${beside}.`,
    )
  })
  // A reader that closes early ends the process at once; what lay there then would lock the map for good.
  const sweep = () => rmSync(beside, { force: true })
  process.once('exit', sweep)
  const abandon = async (): Promise<void> => {
    process.off('exit', sweep)
    await handle.close()
    await rm(beside, { force: true })
  }
  const write = async (bytes: Uint8Array): Promise<void> => {
    await handle.writeFile(bytes)
  }
  let before: FileHandle | null = null
  try {
    before = await openIfThere(file, place)
    const secret = await secretOf(place, io, before === null)
    const writer = await createMapWriter(secret)
    await write(writer.header)
    if (before) {
      for await (const known of readMap(await sourceOf(before), secret)) {
        learn(known)
        for (let at = 0; at < known.length; at += 1000) await write(writer.seal(known.slice(at, at + 1000)))
      }
    }
    return {
      add: async entries => (entries.length > 0 ? write(writer.seal(entries)) : undefined),
      async finish() {
        await write(writer.end())
        await handle.sync()
        await handle.close()
        await rename(beside, file)
        process.off('exit', sweep)
      },
      abandon,
    }
  } catch (error) {
    await abandon()
    throw error
  } finally {
    await before?.close()
  }
}

/** The map that is there, or null; it must be one that may be replaced. */
async function openIfThere(file: string, { map }: MapPlace): Promise<FileHandle | null> {
  const handle = await open(file).catch(error => {
    if (codeOf(error) === 'ENOENT') return null
    throw unreadable(map)
  })
  if (handle)
    await access(file, constants.W_OK).catch(() => handle.close().then(() => Promise.reject(notWritable(map))))
  return handle
}

const sourceOf = async (handle: FileHandle) => ({
  size: (await handle.stat()).size,
  read: async (at: number, length: number): Promise<Buffer> =>
    (await handle.read(Buffer.alloc(length), 0, length, at)).buffer,
})

/** What a map holds, for putting back. */
export async function readWholeMap(place: MapPlace, io: Io): Promise<TokenEntry[]> {
  const bytes = await readFile(resolve(io.cwd, place.map)).catch(() => Promise.reject(unreadable(place.map)))
  return openMap(bytes, await secretOf(place, io, false))
}

/** What the map is encrypted with: a passphrase, or a key of this user that is made with the first map. */
async function secretOf({ passphraseFile }: MapPlace, io: Io, mayMake: boolean): Promise<MapSecret> {
  if (passphraseFile !== null) {
    const text = await readFile(resolve(io.cwd, passphraseFile), 'utf8').catch(() => {
      throw new Failure('not-found', `Cannot read the passphrase in ${passphraseFile}.`, 'Check the name of the file.')
    })
    const [passphrase = ''] = text.split(/\r?\n/)
    if (passphrase.length < 8) throw new UsageError('The passphrase needs at least 8 characters.')
    return { passphrase }
  }
  const keys = fileKeyStore(join(homeFolder(io.env), 'keys'))
  const known = await keys.get('redact-map')
  if (known) return { key: known }
  // A new key opens no old map; made here, it would only hide that the right one is missing.
  if (!mayMake) {
    throw new Failure(
      'privacy.vault',
      'There is no key for maps on this machine.',
      'Use the machine and user that made the map, or --passphrase-file if it was made with one.',
    )
  }
  return { key: await keys.add('redact-map', crypto.getRandomValues(new Uint8Array(32))) }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const unreadable = (map: string): Failure =>
  new Failure('not-found', `Cannot read the map ${map}.`, 'Give the file that --map wrote.')

const notWritable = (map: string): Failure =>
  new Failure(
    'storage.read-only',
    `The map cannot be written to ${map}.`,
    `Check that ${dirname(map)} is there and that you may write to it. Nothing was redacted.`,
  )
