import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from './orphans.ts'

/**
 * Control groups (version 2) bound what all processes of a sandbox take together, exactly and at once; without them each
 * process has its own limits and the supervisor adds up every 20 ms. They can be had where the system lets this user
 * divide a group of their own: systemd does for what is started from a desktop, and the super-user may anywhere.
 */
export interface ControlGroups {
  /** Holds one group a sandbox, and `zygote`. */
  readonly folder: string
  readonly controllers: readonly string[]
}

const needed = ['memory', 'pids']
const wanted = [...needed, 'cpu']

/** The nearest group above this process under which new ones can be made that bound memory and processes. */
export function findDelegated(root = '/sys/fs/cgroup', membership = readText('/proc/self/cgroup')): string | null {
  const own = /^0::(\/.*)$/m.exec(membership)?.[1]
  // In version 1, and where both are mixed, the controllers are elsewhere.
  if (own === undefined || !words(join(root, 'cgroup.controllers')).includes('memory')) return null
  for (let at = join(root, own); at.startsWith(root); at = dirname(at)) {
    const passedOn = words(join(at, 'cgroup.subtree_control'))
    if (needed.every(name => passedOn.includes(name)) && canWrite(at) && canWrite(join(at, 'cgroup.procs'))) return at
    if (at === root) break
  }
  return null
}

/** Makes the group of this application. Throws what the system says when it refuses. */
export function makeGroups(parent: string, owner: number | null, pid = process.pid): ControlGroups {
  removeAbandonedGroups(parent)
  const folder = join(parent, `countersign-${pid}`)
  const zygote = join(folder, 'zygote')
  mkdirSync(folder, { recursive: true })
  const available = words(join(folder, 'cgroup.controllers'))
  const controllers = wanted.filter(name => available.includes(name))
  writeFileSync(join(folder, 'cgroup.subtree_control'), controllers.map(name => `+${name}`).join(' '))
  mkdirSync(zygote, { recursive: true })
  // Whoever moves a process needs to write to where it goes and to what both places have in common.
  if (owner !== null)
    for (const at of [folder, join(folder, 'cgroup.procs'), zygote, join(zygote, 'cgroup.procs')])
      chownSync(at, owner, owner)
  return { folder, controllers }
}

/** A command that starts another inside the zygote's group. The shell enters it first, so that no process is outside. */
export function inGroup({ folder }: ControlGroups, command: readonly string[]): string[] {
  return ['/bin/sh', '-c', 'echo 0 > "$0" && exec "$@"', join(folder, 'zygote', 'cgroup.procs'), ...command]
}

/** Removes the groups of sandboxes that have ended. One with processes stays, and so does a young one: it has none yet. */
export function sweepGroups({ folder }: Pick<ControlGroups, 'folder'>, now: number, youngMs = 10_000): void {
  for (const name of namesIn(folder)) {
    const group = join(folder, name)
    if (name !== 'zygote' && (statSync(group, { throwIfNoEntry: false })?.ctimeMs ?? now) <= now - youngMs)
      remove(group)
  }
}

/** Removes everything, once the zygote has ended. Its processes take a moment to go. */
export async function removeGroups({ folder }: Pick<ControlGroups, 'folder'>): Promise<void> {
  for (let attempt = 0; attempt < 50 && existsSync(folder); attempt++) {
    if (attempt > 0) await new Promise(resolve => setTimeout(resolve, 10))
    removeAll(folder)
  }
}

function removeAll(folder: string): void {
  for (const name of namesIn(folder)) remove(join(folder, name))
  remove(folder)
}

function removeAbandonedGroups(parent: string): void {
  for (const name of namesIn(parent)) {
    const pid = Number(/^countersign-(\d+)$/.exec(name)?.[1])
    if (pid && !isAlive(pid)) removeAll(join(parent, name))
  }
}

/** The system refuses to remove a group that has processes, so nothing that lives is lost. */
function remove(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // in use, or gone
  }
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

const words = (file: string): string[] => readText(file).split(/\s+/).filter(Boolean)

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
