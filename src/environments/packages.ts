import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Package } from '../contract/environments.ts'

const maxEntries = 20_000

/**
 * What is installed in these folders, by the names of the folders that installers leave: nothing is started and no file
 * is opened for it. Of two versions the one in the earlier folder counts, as for the interpreter.
 */
export async function packagesIn(folders: readonly string[]): Promise<Package[]> {
  const found = new Map<string, Package>()
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => [])
    for (const entry of names.slice(0, maxEntries)) {
      const one = packageOf(entry)
      if (one && !found.has(one.name)) found.set(one.name, one)
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
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
