import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const DoorFile = z.object({
  port: z.number().int().min(1).max(65535),
  pid: z.number().int().positive(),
  secret: z.string().regex(/^[\w-]{43}$/),
})
export type DoorFile = z.infer<typeof DoorFile>

const folderIn = (home: string) => join(home, 'doors')

/** Says to this user's other commands which door is open and how to ask it for a link. Answers how to take it back. */
export function announceDoor(home: string, door: DoorFile): () => void {
  const folder = folderIn(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${door.port}.json`)
  rmSync(file, { force: true })
  writeFileSync(file, JSON.stringify(door), { mode: 0o600, flag: 'wx' })
  return () => rmSync(file, { force: true })
}

/** The doors that are open on this data folder. A file whose process is gone was left by a kill, and is removed. */
export function openDoors(home: string): DoorFile[] {
  const folder = folderIn(home)
  return namesIn(folder).flatMap(name => {
    const file = join(folder, name)
    const door = read(file)
    if (door && isAlive(door.pid)) return [door]
    rmSync(file, { force: true })
    return []
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => name.endsWith('.json'))
  } catch {
    return []
  }
}

function read(file: string): DoorFile | null {
  try {
    return DoorFile.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
