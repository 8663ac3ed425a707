import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from './box.ts'

/**
 * Every running application has one folder of boxes, named after its process. On Linux the processes of a killed
 * application are gone with it (its zygote dies with its parent, and the namespaces with the zygote); what is left are
 * folders, found by the name of a process that no longer lives.
 */
export async function claimFolder(sandboxes: string): Promise<string> {
  const folder = join(sandboxes, nameOf(process.pid))
  await mkdir(folder, { recursive: true, mode: 0o711 })
  return folder
}

export async function removeAbandoned(sandboxes: string): Promise<number> {
  const found = await readdir(sandboxes).catch(() => [])
  let count = 0
  for (const name of found) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1])
    if (!pid || nameOf(pid) === name) continue
    const left = (await readdir(join(sandboxes, name)).catch(() => [])).length
    const isRemoved = await removeTree(join(sandboxes, name)).then(
      () => true,
      () => false,
    )
    if (isRemoved) count += left
  }
  return count
}

/** A folder for sockets, whose names must be short; those of applications that were killed go. */
export async function listenerFolder(among = tmpdir()): Promise<string> {
  for (const name of await readdir(among).catch(() => [])) {
    const [, owner, pid] = /^countersign-link-((\d+)-\w+)-\w+$/.exec(name) ?? []
    // Somebody else's cannot be removed, and need not be.
    if (owner && nameOf(Number(pid)) !== owner) await removeTree(join(among, name)).catch(() => undefined)
  }
  return mkdtemp(join(among, `countersign-link-${nameOf(process.pid)}-`))
}

/** `4711-88213`: a process and when it started, because process ids are used again. A dead one has no start. */
function nameOf(pid: number): string {
  return `${pid}-${startOf(pid) ?? 'gone'}`
}

function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    return fields?.[19] ?? null
  } catch {
    return process.platform === 'linux' ? null : isAlive(pid) ? 'alive' : null
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
