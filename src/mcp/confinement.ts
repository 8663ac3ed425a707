import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path'
import { promisify } from 'node:util'
import type { ProcessConfig, ServerConfig, ServerConfinement } from '../contract/mcp-servers.ts'

/** What a server sees of this machine, and the program that builds it. */
export interface Confinement extends ServerConfinement {
  /** Stands before the command; empty where there is no jail. */
  readonly wrap: readonly string[]
}

export interface ConfinementOptions {
  /** The data folder, which no server sees. */
  readonly home: string
  /** The server's own folder, which is its home. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Whether jails can be made here; found out where it is left out. */
  readonly canJail?: () => Promise<boolean>
}

/** Of `/etc`, what programs need to resolve names, check certificates and find libraries. */
const etc =
  'resolv.conf hosts nsswitch.conf passwd group ssl pki ca-certificates ld.so.cache ld.so.conf ld.so.conf.d alternatives localtime'
    .split(' ')
    .map(name => `/etc/${name}`)
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt']

/** How a server is kept from the rest: in a jail where one can be made and the person did not say otherwise. */
export async function confinementOf(config: ServerConfig, options: ConfinementOptions): Promise<Confinement> {
  if ('url' in config) return { kind: 'elsewhere', detail: new URL(config.url).host, wrap: [] }
  if (config.confined === false)
    return { kind: 'none', detail: 'Its configuration asks for none: it can do what you can.', wrap: [] }
  if (!(await (options.canJail ?? bubblewrapWorks)()))
    return { kind: 'none', detail: 'This machine has no bubblewrap that works: it can do what you can.', wrap: [] }
  const { read, write, network, hidden } = shownTo(config, options)
  const seen = [...write, ...read.map(at => `${at} (only to read)`)].join(', ') || 'no folder of yours'
  const detail = [
    `It sees ${seen}, and ${network ? 'the network' : 'no network'}.`,
    ...(hidden.length > 0 ? [`Not shown, since your keys are in it: ${hidden.join(', ')}.`] : []),
  ].join(' ')
  return { kind: 'jail', detail, wrap: wrapping({ read, write, network }, config, options) }
}

interface Shown {
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly network: boolean
}

/** The folders that a configuration names: its own list, or else those among its arguments. */
function shownTo(config: ProcessConfig, { home, folder }: ConfinementOptions): Shown & { hidden: string[] } {
  const isOpen = (at: string) => !holdsKeys(at, home)
  if (config.confined) {
    const { read, write, network } = config.confined
    const hidden = [...read, ...write].filter(at => !isOpen(at))
    return { read: read.filter(isOpen), write: write.filter(isOpen), network, hidden }
  }
  const named = config.args.map(arg => arg.replace(/^--?[\w-]+=/, '')).filter(arg => isAbsolute(arg) && existsSync(arg))
  const folders = named.filter(at => statSync(at).isDirectory() && at !== folder)
  return { read: [], write: folders.filter(isOpen), network: true, hidden: folders.filter(at => !isOpen(at)) }
}

function wrapping({ read, write, network }: Shown, config: ProcessConfig, options: ConfinementOptions): string[] {
  const args = ['bwrap', '--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL']
  if (process.getuid?.() !== 0) args.push('--unshare-user')
  if (!network) args.push('--unshare-net')
  args.push('--ro-bind', '/usr', '/usr')
  for (const at of systemFolders) {
    if (!existsSync(at)) continue
    if (lstatSync(at).isSymbolicLink()) args.push('--symlink', readlinkSync(at), at)
    else args.push('--ro-bind', at, at)
  }
  for (const at of etc) args.push('--ro-bind-try', at, at)
  args.push('--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp')
  for (const at of programsOf(config, options)) args.push('--ro-bind', at, at)
  for (const at of read) args.push('--ro-bind-try', at, at)
  for (const at of write) args.push('--bind-try', at, at)
  const { folder } = options
  args.push('--bind', folder, folder, '--chdir', folder, '--setenv', 'HOME', folder, '--')
  return args
}

/** Folders of the program itself and of files among its arguments, to read only: where its code is. */
function programsOf({ command, args }: ProcessConfig, { home, env }: ConfinementOptions): string[] {
  const program = findProgram(command, env)
  const files = args.filter(arg => isAbsolute(arg) && statSync(arg, { throwIfNoEntry: false })?.isFile())
  const wanted = [...(program ? [program, realpathSync(program)] : []), ...files.flatMap(at => [at, realpathSync(at)])]
  const places = wanted.map(at => placeOf(at, home)).filter(at => !/^\/(?:usr|bin|sbin|lib\d*|opt)(?:\/|$)/.test(at))
  return [...new Set(places)].filter(at => existsSync(at))
}

/** The modules beside a file, or its folder; the file alone where the folder holds keys. */
function placeOf(file: string, home: string): string {
  const modules = file.indexOf(`${sep}node_modules${sep}`)
  const around = modules >= 0 ? file.slice(0, modules + `${sep}node_modules`.length) : dirname(file)
  const wider = modules < 0 && /\/bin$/.test(around) ? dirname(around) : around
  return holdsKeys(wider, home) ? file : wider
}

/** The root, the person's home, our data, and whatever these lie in: nothing there is for a server. */
function holdsKeys(at: string, home: string): boolean {
  const own = [homedir(), home, join(homedir(), '.ssh'), join(homedir(), '.gnupg'), join(homedir(), '.aws')]
  const inside = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
  const real = existsSync(at) ? realpathSync(at) : at
  return [at, real].some(each => own.some(key => inside(key, each)) || own.slice(1).some(key => inside(each, key)))
}

function findProgram(command: string, env: NodeJS.ProcessEnv): string | null {
  if (isAbsolute(command)) return existsSync(command) ? command : null
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return folders.map(folder => join(folder, command)).find(at => existsSync(at)) ?? null
}

let works: Promise<boolean> | null = null

/** Found out once: whether this machine lets us build a jail. */
function bubblewrapWorks(): Promise<boolean> {
  const user = process.getuid?.() === 0 ? [] : ['--unshare-user']
  const trial = [...user, '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true']
  works ??=
    process.platform === 'linux'
      ? promisify(execFile)('bwrap', trial, { timeout: 10_000 }).then(
          () => true,
          () => false,
        )
      : Promise.resolve(false)
  return works
}
