import { existsSync, lstatSync, readlinkSync } from 'node:fs'

/** Who QEMU is when the application runs as the super-user: an id that owns nothing else on the machine. */
export const unprivilegedId = 64_119

/** What QEMU finds in place of the machine's files. */
export const seen = {
  kernel: '/m/kernel',
  initrd: '/m/initrd',
  disk: '/m/disk',
  ram: '/m/ram',
  listener: '/m/meet',
} as const

export interface Confinement {
  readonly bubblewrap: string
  readonly root: boolean
  /** The group that may use the processor's virtualisation; null where it is not used. */
  readonly kvmGroup: number | null
  readonly kernel: string
  readonly initrd: string
  readonly disk: string
  readonly ram: { readonly file: string; readonly writable: boolean } | null
  /** A folder of its own with the socket to which it sends its state when it is copied. */
  readonly listener: string
  /** All that QEMU may map, the machine's memory included. */
  readonly addressBytes: number
}

/**
 * QEMU in a jail of its own: it sees its program and libraries, its disk and its memory file, and nothing else of this
 * machine; no network, no other process. It ends when the application does, by whatever cause.
 */
export function confined(what: Confinement, command: readonly string[]): string[] {
  const args = ['--die-with-parent', '--new-session', '--clearenv']
  args.push('--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts')
  if (!what.root) args.push('--unshare-user', '--uid', '1000', '--gid', '1000')
  args.push('--ro-bind', '/usr', '/usr')
  for (const name of ['bin', 'sbin', 'lib', 'lib64'].map(each => `/${each}`)) {
    if (!existsSync(name)) continue
    args.push(
      ...(lstatSync(name).isSymbolicLink() ? ['--symlink', readlinkSync(name), name] : ['--ro-bind', name, name]),
    )
  }
  args.push('--perms', '0755', '--dir', '/etc', '--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache')
  args.push('--dev', '/dev')
  if (what.kvmGroup !== null) args.push('--dev-bind', '/dev/kvm', '/dev/kvm')
  args.push('--size', '65536', '--tmpfs', '/dev/shm', '--remount-ro', '/dev', '--perms', '0755', '--dir', '/m')
  for (const name of ['kernel', 'initrd', 'disk'] as const) args.push('--ro-bind', what[name], seen[name])
  if (what.ram) args.push(what.ram.writable ? '--bind' : '--ro-bind', what.ram.file, seen.ram)
  args.push('--bind', what.listener, seen.listener, '--remount-ro', '/', '--chdir', '/', '--')
  const id = String(unprivilegedId)
  const groups = what.kvmGroup === null ? ['--clear-groups'] : ['--groups', String(what.kvmGroup)]
  const dropped = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs']
  const become = what.root ? ['setpriv', '--reuid', id, '--regid', id, ...groups, ...dropped] : []
  const limits = ['prlimit', '--core=0:0', '--nofile=256:256', `--as=${what.addressBytes}:${what.addressBytes}`]
  return [what.bubblewrap, ...args, ...limits, ...become, ...command]
}
