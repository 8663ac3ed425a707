import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Package } from '../contract/environments.ts'

const maxEntries = 20_000
/** A folder that changed this lately may change again without a new time: clocks of file systems tick slowly. */
const settledMs = 2000
const mostFolders = 64

interface Listed {
  readonly state: string
  readonly packages: readonly Package[]
}
const listed = new Map<string, Listed>()

/**
 * What is installed in these folders, by the names of the folders that installers leave: nothing is started and no file
 * is opened for it. Of two versions the one in the earlier folder counts, as for the interpreter.
 */
export async function packagesIn(folders: readonly string[], now = Date.now()): Promise<Package[]> {
  const found = new Map<string, Package>()
  for (const packages of await Promise.all(folders.map(folder => packagesOf(folder, now))))
    for (const one of packages) if (!found.has(one.name)) found.set(one.name, one)
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Those of one folder; read again only when it has changed, since every run and every question asks for them. */
async function packagesOf(folder: string, now: number): Promise<readonly Package[]> {
  const is = await stat(folder, { bigint: true }).catch(() => null)
  if (!is) return []
  const state = `${is.dev}/${is.ino}/${is.mtimeNs}/${is.ctimeNs}`
  const known = listed.get(folder)
  if (known?.state === state) return known.packages
  const names = await readdir(folder).catch(() => [])
  const packages = names.slice(0, maxEntries).flatMap(entry => packageOf(entry) ?? [])
  listed.delete(folder)
  if (now - Number(is.ctimeMs) > settledMs) listed.set(folder, { state, packages })
  for (const oldest of listed.keys()) if (listed.size > mostFolders) listed.delete(oldest)
  return packages
}

/** `Foo_Bar-1.0.dist-info` is `foo-bar` 1.0; older installers write `.egg-info`, with the Python version behind. */
export function packageOf(entry: string): Package | null {
  const match = /^([A-Za-z0-9][\w.]*?)-(\d[^-]*)(?:-py\d[\d.]*)?\.(?:dist|egg)-info$/.exec(entry)
  if (!match?.[1] || !match[2]) return null
  return { name: match[1].toLowerCase().replace(/[._-]+/g, '-'), version: match[2] }
}

/** The same for the same interpreter version and packages, on every machine and in every folder. */
export const digestOf = (version: string, packages: readonly Package[]): string =>
  createHash('sha256')
    .update(JSON.stringify([version, packages.map(each => `${each.name}==${each.version}`)]))
    .digest('hex')

/** Whether code could import a module from these folders: as a package, a file, or compiled. */
export async function hasModule(folders: readonly string[], module: string): Promise<boolean> {
  for (const folder of folders) {
    const isPackage = await stat(join(folder, module)).then(
      found => found.isDirectory(),
      () => false,
    )
    if (isPackage) return true
    const names = await readdir(folder).catch(() => [])
    if (names.some(name => name === `${module}.py` || (name.startsWith(`${module}.`) && name.endsWith('.so'))))
      return true
  }
  return false
}
