import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { resource } from '../../places.ts'
import { guestDeno, inside, type Recipe, sources, user } from './recipe.ts'

const run = promisify(execFile)

/** Where the file system of an image comes from. */
export type Source = 'debian' | 'installed'

export interface RootfsRequest {
  readonly recipe: Recipe
  readonly packages: readonly string[]
  readonly source: Source
  /** A folder of its own to work in. */
  readonly folder: string
  readonly progress: (line: string) => void
  readonly signal: AbortSignal
}

/** The two layers of the guest: Debian, and what is ours on top of it. */
export interface Layers {
  readonly system: string
  readonly guest: string
}

/** Makes the file system of the guest as two tar files. */
export async function makeRootfs(request: RootfsRequest): Promise<Layers> {
  const system = await makeSystem(request)
  return { system, guest: await makeGuest(request) }
}

/** Debian alone, as a tar file: large, and the same for every version of the application. */
export async function makeSystem(request: RootfsRequest): Promise<string> {
  const system = join(request.folder, 'system.tar')
  if (request.source === 'debian') await fromDebian(request, system)
  else await fromInstalled(request, system)
  return system
}

/** What is ours, as a tar file. */
export async function makeGuest(request: Pick<RootfsRequest, 'folder' | 'progress' | 'signal'>): Promise<string> {
  const guest = join(request.folder, 'guest.tar')
  request.progress('adding the supervisor and its kernels')
  const staged = join(request.folder, 'guest')
  stage(staged)
  const owned = ['--owner=0', '--group=0', '--sort=name', '--mtime=@0']
  await command('tar', ['--create', '--file', guest, ...owned, '--directory', staged, '.'], request)
  return guest
}

/** Fresh from Debian's archive. Unpacking does not need root where user namespaces are allowed. */
async function fromDebian({ recipe, packages, ...request }: RootfsRequest, tar: string): Promise<void> {
  const without = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*']
  const options = without.flatMap(path => ['--dpkgopt', `path-exclude=${path}`])
  const include = `--include=${[...recipe.packages, ...packages].join(',')}`
  await command(
    'mmdebstrap',
    [
      '--verbose',
      '--variant=essential',
      '--aptopt=APT::Install-Recommends "false"',
      ...options,
      include,
      recipe.suite,
      tar,
    ],
    request,
  )
}

/** Of the Debian packages that are installed on this machine: needs no network and a few seconds. */
async function fromInstalled(request: RootfsRequest, tar: string): Promise<void> {
  const { stdout } = await run('dpkg-query', ['-W', '-f=${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\n'], {
    maxBuffer: 1 << 26,
  })
  const closed = closure(stdout, [...request.recipe.packages, ...request.packages])
  if (closed.missing.length > 0)
    throw new Error(`these Debian packages are not installed here: ${closed.missing.join(', ')}`)
  const listed = await run('dpkg-query', ['-L', ...closed.packages], { maxBuffer: 1 << 28 })
  const files = listed.stdout.split('\n').filter(path => path.startsWith('/') && !unwanted.test(path))
  const list = join(request.folder, 'files')
  const chosen = readdirSync('/etc/alternatives').map(name => `/etc/alternatives/${name}`)
  const extra = [
    ...compiled(files),
    '/etc/alternatives',
    ...chosen,
    '/etc/ld.so.cache',
    '/etc/ssl/certs/ca-certificates.crt',
    ...alternatives(),
  ]
  writeFileSync(
    list,
    [...new Set([...merged(), ...files, ...extra].map(intoUsr))].map(path => path.slice(1)).join('\0'),
  )
  const flags = ['--no-recursion', '--null', '--ignore-failed-read', '--owner=0', '--group=0', '--numeric-owner']
  await command('tar', [...flags, '--create', '--file', tar, '--directory', '/', '--files-from', list], request)
}

/** What Python has compiled of these files; no package lists it. Nothing can be compiled in a guest, whose disk is read-only. */
function compiled(files: readonly string[]): string[] {
  const tag = readdirSync('/usr/lib/python3/dist-packages/__pycache__')
    .find(name => /\.cpython-\d+\.pyc$/.test(name))
    ?.replace(/^.*(\.cpython-\d+\.pyc)$/, '$1')
  return files.flatMap(path => {
    if (tag === undefined || !path.endsWith('.py')) return []
    const at = join(dirname(path), '__pycache__', basename(path, '.py') + tag)
    return existsSync(at) ? [at] : []
  })
}

const unwanted = /^\/usr\/share\/(doc|man|locale|info|lintian)\//

/** Debian's old top folders are links into /usr, which no package owns; what they lead to comes first. */
const tops = ['bin', 'sbin', 'lib', 'lib64']
const merged = () => ['/usr', ...tops.map(name => `/usr/${name}`), ...tops.map(name => `/${name}`)]
const intoUsr = (path: string) => path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/')

/** Links that the system, not a package, made to the version of a library that is in use. */
function alternatives(): string[] {
  return ['/usr/bin', `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`].flatMap(folder =>
    readdirSync(folder, { withFileTypes: true })
      .filter(
        entry => entry.isSymbolicLink() && readlinkSync(join(folder, entry.name)).startsWith('/etc/alternatives/'),
      )
      .map(entry => join(folder, entry.name)),
  )
}

/** All that packages need, by what is installed. Of alternatives the first that is here. */
export function closure(table: string, wanted: readonly string[]): { packages: string[]; missing: string[] } {
  const needs = new Map<string, string[][]>()
  const provided = new Map<string, string>()
  for (const line of table.split('\n')) {
    const [name, depends = '', provides = ''] = line.split('\t')
    if (!name) continue
    needs.set(
      name,
      depends.split(',').flatMap(part => (part.trim() ? [part.split('|').map(bare)] : [])),
    )
    for (const other of provides.split(',')) if (other.trim()) provided.set(bare(other), name)
  }
  const here = (name: string) => (needs.has(name) ? name : provided.get(name))
  const found = new Set<string>()
  const missing: string[] = []
  const waiting = wanted.map(name => [name])
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const name = next.map(here).find(each => each !== undefined)
    if (!name) missing.push(next[0] as string)
    else if (!found.has(name)) {
      found.add(name)
      waiting.push(...(needs.get(name) ?? []))
    }
  }
  return { packages: [...found].sort(), missing: missing.filter(name => wanted.includes(name)) }
}

const bare = (depend: string): string => (depend.trim().split(/[ (:]/)[0] as string).trim()

/** Everything of ours that goes into the image. */
function stage(folder: string): void {
  const at = (path: string) => join(folder, path)
  for (const path of [inside.work, inside.tmp, inside.run, '/proc', '/dev', '/sys', '/etc', inside.kernels])
    mkdirSync(at(path), { recursive: true })
  for (const path of [inside.work, inside.tmp, inside.run]) chmodSync(at(path), 0o1777)
  for (const { name, path } of sources(resource('kernels'))) cpSync(path, at(join(inside.kernels, name)))
  cpSync(resource('seccomp', 'kernel.json'), at(inside.seccomp))
  const deno = guestDeno()
  if (deno) cpSync(deno, at(inside.deno))
  const { id, name } = user
  writeFileSync(at('/etc/passwd'), `root:x:0:0:root:/root:/bin/false\n${name}:x:${id}:${id}::${inside.tmp}:/bin/bash\n`)
  writeFileSync(at('/etc/group'), `root:x:0:\n${name}:x:${id}:\n`)
  writeFileSync(at('/etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
}

/** Runs a program and shows what it says, line by line. */
async function command(
  program: string,
  args: readonly string[],
  { progress, signal }: Pick<RootfsRequest, 'progress' | 'signal'>,
): Promise<void> {
  signal.throwIfAborted()
  // In a group of its own: one that is stopped tells its whole group to end, and that must not be the application.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const stop = () => endGroup(child)
  signal.addEventListener('abort', stop)
  const last: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', line => {
      last.push(line)
      if (last.length > 20) last.shift()
      progress(line)
    })
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  ).finally(() => signal.removeEventListener('abort', stop))
  signal.throwIfAborted()
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${last.slice(-5).join(' ')}`)
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // It has ended by itself.
  }
}
