import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const prefix = 'countersign-test-'
/** The largest that tests have at once, and what the rest of the machine needs. */
const [neededBytes, spareBytes] = [4 * 2 ** 30, 4 * 2 ** 30]

/**
 * A folder in memory for the files of tests: each opens databases of its own, whose commits would wait for the disk.
 * Null where there is no such place, where it is small, and where no program may be started from it.
 */
export function quickFolder(parent = memory) {
  const folder = join(parent, `${prefix}${process.pid}`)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    removeLeft(parent)
    const { bavail, bsize } = statfsSync(parent)
    if (bavail * bsize < neededBytes || freemem() < neededBytes + spareBytes) return null
    mkdirSync(folder)
    // Sandboxes look into it as a user of their own.
    chmodSync(folder, 0o755)
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(program)
    rmSync(program)
    return { folder, remove }
  } catch {
    remove()
    return null
  }
}

/** What tests that were killed have left takes up memory until somebody removes it. */
function removeLeft(parent) {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : 0
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
