import { execFile } from 'node:child_process'
import { access, constants, realpath } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { checkProgram } from '../../trusted-program.ts'

const About = z.object({
  executable: z.string(),
  version: z.tuple([z.number(), z.number()]),
  /** The whole version, such as 3.11.2. */
  release: z.string(),
  /** Where packages are installed, first come first. */
  packages: z.array(z.string()),
  /** Every folder that the interpreter loads code from. */
  folders: z.array(z.string()),
  libraries: z.array(z.string()),
})
export type Python = z.infer<typeof About>

/** Libraries that the zygote loads once for all kernels, where they are installed. */
export const preloaded = ['numpy', 'pandas'] as const
const oldest = [3, 9] as const

const question = `
import sys, json, os, platform, importlib.util as u
libs = [n for n in ${JSON.stringify([...preloaded, 'matplotlib'])} if u.find_spec(n)]
dirs = {os.path.realpath(p) for p in [sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path] if p and os.path.isdir(p)}
print(json.dumps(dict(executable=os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable,
  version=sys.version_info[:2], release=platform.python_version(), packages=[p for p in sys.path if os.path.isdir(p)],
  folders=sorted(dirs | {sys.prefix}), libraries=libs)))`

/** What was found along a search path: asking every interpreter there is a second of processor time, and two modules ask. */
const searched = new Map<string, Promise<Python | null>>()

/**
 * The interpreter to use, resolved to the real program: starting it through a version manager's shim costs 150 ms each
 * time. Of several the one that has pandas is chosen, and stays until the application ends.
 */
export async function findPython(wanted?: string, path = process.env.PATH ?? ''): Promise<Python | null> {
  if (wanted) return best([wanted])
  const known = searched.get(path)
  if (known) return known
  const finding = search(path)
  searched.set(path, finding)
  const found = await finding
  // One that is installed later is to be found.
  if (!found) searched.delete(path)
  return found
}

async function search(path: string): Promise<Python | null> {
  const folders = [...path.split(delimiter).filter(isAbsolute), ...usualFolders]
  // `/bin` is often another name of `/usr/bin`.
  const real = await Promise.all(folders.map(folder => realpath(folder).catch(() => folder)))
  return best([...new Set(real)].map(folder => join(folder, 'python3')))
}

async function best(files: readonly string[]): Promise<Python | null> {
  const candidates = (await Promise.all(files.map(async file => ((await canRun(file)) ? file : null)))).filter(
    file => file !== null,
  )
  const found = (await Promise.all(candidates.map(ask))).filter(python => python !== null)
  const usable = found.filter(({ version: [major, minor] }) => major === oldest[0] && minor >= oldest[1])
  return usable.find(({ libraries }) => libraries.includes('pandas')) ?? usable[0] ?? null
}

/** The one that kernels are started with; null when there is none, or when the one that was named is not to be trusted. */
export async function trustedPython(home: string, wanted: string): Promise<Python | null> {
  if (wanted !== '' && !(await checkProgram(wanted, home)).ok) return null
  return findPython(wanted || undefined)
}

const usualFolders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']

const canRun = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

async function ask(file: string): Promise<Python | null> {
  try {
    const { stdout } = await promisify(execFile)(file, ['-I', '-c', question], { timeout: 10_000, encoding: 'utf8' })
    return About.parse(JSON.parse(stdout))
  } catch {
    return null // a shim without an interpreter, or something that is no Python
  }
}
