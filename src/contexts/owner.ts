import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Which process holds a sandbox. Several can share one database: the desktop, a terminal, a colleague's machine. */
export interface Owner {
  readonly name: string
  /** False only when it is certain that the process behind another's name is gone. */
  isAlive(name: string): boolean
}

export interface ThisProcess extends Owner {
  /** True only when it is certain that the process behind a name still runs, on this machine. */
  isAliveHere(name: string): boolean
}

export function thisProcess(): ThisProcess {
  const host = hostname()
  const name = [host, process.pid, startOf(process.pid) ?? '', randomUUID()].join('/')
  const isAliveHere = (other: string) => {
    const [otherHost, pid, start] = other.split('/')
    return other === name || (otherHost === host && isRunning(Number(pid), start ?? ''))
  }
  return {
    name,
    isAliveHere,
    // What runs on another machine cannot be seen from here; its records lapse when they are not renewed.
    isAlive: other => other.split('/')[0] !== host || isAliveHere(other),
  }
}

function isRunning(pid: number, start: string): boolean {
  // In a container every start has the same process id: the one that is mine now is nobody else's.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  // A process id is given out again in time; the moment of its start tells the two apart.
  const now = startOf(pid)
  return now === null || start === '' || now === start
}

/** When a process started, in ticks since boot; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command's name stands in parentheses and may hold anything, spaces and parentheses too.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
