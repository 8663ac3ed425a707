import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * The folders of one sandbox: `work`, `tmp` and `forks`, where the boxes of its forks stand. A fork outlives its parent,
 * so a box goes when it is closed and its last fork is gone.
 */
export interface Box {
  /** Relative to the folder of all boxes, with `/`. */
  readonly path: string
  readonly folder: string
}

export const boxAt = (boxes: string, path: string): Box => ({ path, folder: join(boxes, path) })

const rooms = ['work', 'tmp', 'forks', 'run'] as const

/** Synchronous on purpose: five folders take a fifth of a millisecond, a turn through the thread pool for each takes five. */
export function makeBox(boxes: string, path: string, owner: number | null): Box {
  const { folder } = boxAt(boxes, path)
  mkdirSync(folder, { mode: 0o700 })
  for (const room of rooms) {
    mkdirSync(join(folder, room), { mode: 0o700 })
    if (owner !== null) chownSync(join(folder, room), owner, owner)
  }
  if (owner !== null) chownSync(folder, owner, owner)
  return { path, folder }
}

export async function removeBox(boxes: string, box: Box): Promise<void> {
  const forks = await readdir(join(box.folder, 'forks')).catch(() => [])
  // Made ready for a fork that never came.
  const spare = forks.filter(name => name.startsWith('spare-')).map(name => `forks/${name}`)
  for (const room of ['work', 'tmp', 'run', ...spare]) await removeTree(join(box.folder, room))
  // Up the family, as far as nobody lives there any more: a box whose work folder stands is still in use.
  for (let folder = box.folder; folder.startsWith(`${boxes}/`); folder = dirname(dirname(folder))) {
    if (existsSync(join(folder, 'work')) || !(await removedEmpty(join(folder, 'forks')))) return
    await removedEmpty(folder)
  }
}

const removedEmpty = (folder: string) =>
  rmdir(folder).then(
    () => true,
    () => false,
  )

/** Removes what hostile code left: folders without permissions, and trees too deep for path names. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    const run = promisify(execFile)
    await run('chmod', ['-R', 'u+rwX', folder]).catch(() => undefined)
    await run('rm', ['-rf', '--', folder])
  }
}
