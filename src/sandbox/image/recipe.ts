import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { resource } from '../../places.ts'

const Recipe = z.object({ suite: z.string(), base: z.string(), packages: z.array(z.string()) })
export type Recipe = z.infer<typeof Recipe>

/** Where things are inside the image. */
export const inside = {
  python: '/usr/bin/python3',
  bash: '/bin/bash',
  kernels: '/opt/countersign/kernels',
  seccomp: '/opt/countersign/seccomp.json',
  deno: '/opt/countersign/deno',
  work: '/work',
  tmp: '/tmp',
  run: '/run',
} as const

/** The user that code runs as. */
export const user = { id: 1000, name: 'analyst' } as const

export function readRecipe(): Recipe {
  return Recipe.parse(JSON.parse(readFileSync(resource('guest', 'recipe.json'), 'utf8')))
}

/** Changes with whatever the guest is made of: another version of the application does not start an old guest. */
export function guestVersion(): string {
  const hash = createHash('sha256')
  for (const name of ['recipe.json', 'init']) hash.update(readFileSync(resource('guest', name)))
  hash.update(readFileSync(resource('seccomp', 'kernel.json')))
  for (const file of sources(resource('kernels'))) hash.update(file.name).update(readFileSync(file.path))
  return hash.digest('hex').slice(0, 12)
}

/** The files of the guest's own programs, in one order. */
export function sources(folder: string, prefix = ''): { name: string; path: string }[] {
  return readdirSync(folder)
    .sort()
    .flatMap(name => {
      const path = join(folder, name)
      if (name === '__pycache__') return []
      return statSync(path).isDirectory() ? sources(path, `${prefix}${name}/`) : [{ name: prefix + name, path }]
    })
}

/** Deno for the guest, which is always Linux; null where npm did not bring it. */
export function guestDeno(): string | null {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@deno/linux-${process.arch}-glibc/package.json`))
    const file = join(folder, 'deno').replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked')
    return statSync(file).isFile() ? file : null
  } catch {
    return null
  }
}
