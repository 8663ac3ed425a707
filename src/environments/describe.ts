import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { EnvironmentKind } from '../contract/environments.ts'
import { readSmallFile } from '../small-file.ts'

/** An environment as its files describe it. Nothing of it has been started. */
export interface Description {
  readonly kind: EnvironmentKind
  readonly prefix: string
  readonly python: string
  readonly version: string
  /** Folders that packages are installed in, first come first. */
  readonly folders: readonly string[]
}

/** The environment in a folder, or around an interpreter; null where there is none that this machine's files tell of. */
export async function describeEnvironment(path: string): Promise<Description | null> {
  const name = basename(path)
  const isProgram = /^python(3(\.\d+)?)?$/.test(name) && basename(dirname(path)) === 'bin'
  const prefix = isProgram ? dirname(dirname(path)) : path
  const python = isProgram ? path : join(prefix, 'bin', 'python')
  if (!(await exists(python))) return null
  const own = await sitePackages(prefix)
  const config = await readConfig(join(prefix, 'pyvenv.cfg'))
  if (config) {
    const version = config.get('version') ?? config.get('version_info') ?? own.version
    if (!version) return null
    const wantsBase = config.get('include-system-site-packages') === 'true'
    const base = wantsBase ? await baseFolders(config.get('home'), version) : []
    const kind = config.has('uv') ? 'uv' : 'venv'
    return { kind, prefix, python, version: plainVersion(version), folders: [...own.folders, ...base] }
  }
  const conda = await condaVersion(prefix)
  if (conda) return { kind: 'conda', prefix, python, version: conda, folders: own.folders }
  if (!own.version) return null
  const version = (await headerVersion(prefix, own.version)) ?? own.version
  return { kind: 'system', prefix, python, version, folders: await baseFolders(join(prefix, 'bin'), version) }
}

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  )

/** `3.12.1.final.0` is how one of the tools writes 3.12.1. */
const plainVersion = (version: string): string => /^\d+\.\d+(\.\d+)?/.exec(version)?.[0] ?? version

async function sitePackages(prefix: string): Promise<{ folders: string[]; version: string | null }> {
  const names = (await readdir(join(prefix, 'lib')).catch(() => [])).filter(name => /^python3\.\d+$/.test(name)).sort()
  return {
    folders: names.map(name => join(prefix, 'lib', name, 'site-packages')),
    version: names.at(-1)?.slice('python'.length) ?? null,
  }
}

/** Where the interpreter that an environment was made from has its packages: Debian has names of its own. */
async function baseFolders(home: string | undefined, version: string): Promise<string[]> {
  if (!home) return []
  const prefix = dirname(home)
  const minor = /^\d+\.\d+/.exec(version)?.[0] ?? ''
  const candidates = [
    join(prefix, 'local', 'lib', `python${minor}`, 'dist-packages'),
    join(prefix, 'lib', 'python3', 'dist-packages'),
    join(prefix, 'lib', `python${minor}`, 'site-packages'),
  ]
  const there = await Promise.all(candidates.map(exists))
  return candidates.filter((_, at) => there[at])
}

const mostBytes = 65_536

async function readConfig(file: string): Promise<Map<string, string> | null> {
  const text = (await readSmallFile(file, mostBytes))?.toString('utf8')
  if (text === undefined) return null
  const pairs = text.split('\n').flatMap(line => {
    const at = line.indexOf('=')
    return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as const]
  })
  return new Map(pairs)
}

/** The whole version of an interpreter that nothing else tells of, from the headers that come with it. */
async function headerVersion(prefix: string, minor: string): Promise<string | null> {
  const header = await readSmallFile(join(prefix, 'include', `python${minor}`, 'patchlevel.h'), mostBytes)
  const text = header?.toString('utf8') ?? ''
  return /^#define PY_VERSION\s+"(\d+\.\d+\.\d+)/m.exec(text)?.[1] ?? null
}

async function condaVersion(prefix: string): Promise<string | null> {
  const names = await readdir(join(prefix, 'conda-meta')).catch(() => [])
  for (const name of names) {
    const version = /^python-(\d+\.\d+\.\d+)-/.exec(name)?.[1]
    if (version) return version
  }
  return null
}
