import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ControlGroups } from './cgroup.ts'
import type { Python } from './python.ts'

/** Where things stand inside the jail. */
export const inside = {
  /** Of the supervisor alone: a sandbox's own root has neither. */
  kernels: '/supervisor/kernels',
  seccomp: '/supervisor/seccomp/kernel.json',
  deno: '/opt/countersign/deno',
  denoKernel: '/opt/countersign/deno_kernel.mjs',
  library: '/opt/countersign/library',
  host: '/host',
  groups: '/groups',
} as const

/** Who the zygote is when the application runs as the super-user: an id that owns nothing else on the machine. */
export const unprivilegedId = 64_119

export interface Host {
  readonly python: Python
  readonly deno: string | null
  readonly kernels: string
  readonly seccomp: string
  /** The folder that holds the socket. */
  readonly socketFolder: string
  readonly root: boolean
}

/** Files of /etc that programs need and that say nothing about the machine's users. */
const etc = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'localtime',
  'timezone',
  'mime.types',
  'fonts',
  'matplotlibrc',
  'python3',
  'ssl/certs',
  'bash.bashrc',
].map(name => `/etc/${name}`)

const hugePageSettings = '/sys/kernel/mm/transparent_hugepage'
const systemFolders = ['bin', 'sbin', 'lib', 'lib32', 'lib64']

/**
 * The outer jail, made once by bubblewrap: a root of read-only pieces without home folders, without network and without
 * environment. The zygote lives in it and makes an inner jail for every sandbox from namespaces of its own.
 */
export function outerJail(host: Host, groups: ControlGroups | null = null): { arguments: string[]; system: string[] } {
  // Large blocks in huge pages: forking a kernel copies its page tables, and a gigabyte then has 512 entries, not 262,144.
  const hugePages = ['--setenv', 'GLIBC_TUNABLES', 'glibc.malloc.hugetlb=1']
  const args = [
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    ...hugePages,
  ]
  // As the super-user bubblewrap needs no user namespace; the zygote gives the privilege up as its first act.
  if (!host.root) args.push('--unshare-user', '--uid', '1000', '--gid', '1000')
  args.push('--hostname', 'sandbox', '--ro-bind', '/usr', '/usr')
  const made = new Set<string>()
  const bind = (kind: string, from: string, to: string) => {
    // Parents that bubblewrap makes by itself are closed to everybody but their maker, the super-user.
    for (const folder of parentsOf(to)) if (!made.has(folder)) args.push('--perms', '0755', '--dir', folder)
    for (const folder of parentsOf(to)) made.add(folder)
    args.push(kind, from, to)
  }
  const system = ['usr', 'etc', 'opt']

  for (const name of systemFolders) {
    const at = `/${name}`
    if (!existsSync(at)) continue
    if (lstatSync(at).isSymbolicLink()) args.push('--symlink', readlinkSync(at), at)
    else bind('--ro-bind', at, at)
    system.push(name)
  }
  for (const at of etc) bind('--ro-bind-try', at, at)
  bind('--ro-bind-try', hugePageSettings, hugePageSettings) // asked by the C library before it uses huge pages
  for (const at of outsideFolders(host.python)) {
    bind('--ro-bind', at, at)
    const top = at.split('/')[1]
    if (top && !system.includes(top)) system.push(top)
  }
  bind('--ro-bind', host.kernels, inside.kernels)
  bind('--ro-bind', join(host.kernels, 'deno_kernel.mjs'), inside.denoKernel)
  bind('--ro-bind', join(host.kernels, 'library'), inside.library)
  bind('--ro-bind', dirname(host.seccomp), dirname(inside.seccomp))
  if (host.deno) bind('--ro-bind', host.deno, inside.deno)
  args.push('--proc', '/proc', '--dev', '/dev', '--size', '16777216', '--tmpfs', '/dev/shm', '--remount-ro', '/dev')
  args.push('--bind', host.socketFolder, inside.host, '--dir', '/newroot')
  if (groups) args.push('--bind', groups.folder, inside.groups)
  args.push('--remount-ro', '/', '--chdir', '/')
  return { arguments: args, system }
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(1, -1)
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`)
}

/** Folders of the interpreter that `/usr` does not bring: a version manager's, a virtual environment's. */
export function outsideFolders(
  python: Pick<Python, 'executable' | 'folders'>,
  home = homedir(),
  exists = existsSync,
): string[] {
  const program = dirname(dirname(python.executable))
  const wanted = [...new Set([program, ...python.folders])].filter(at => !at.startsWith('/usr/') && at !== '/usr')
  // A folder that holds the home folder, or is it, would show everything that the jail is there to hide.
  const narrow = wanted.filter(at => at !== '/' && at !== home && !home.startsWith(`${at}/`) && exists(at))
  return narrow.filter(at => !narrow.some(other => at !== other && at.startsWith(`${other}/`))).sort()
}
