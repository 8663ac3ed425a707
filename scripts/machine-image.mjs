// The image of virtual machines for the tests, made once and kept between runs.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onPath, root } from './ready.mjs'

/** Where machine images of the tests lie. */
export const machines = join(root, 'node_modules', '.countersign', 'machines')

/** Why there can be no machine here; null where there can. */
export function whyNoMachine() {
  if (process.platform !== 'linux') return 'virtual machines are tested on Linux'
  if (!existsSync('/etc/debian_version')) return 'the image is made from Debian packages'
  if (!['qemu-system-x86_64', 'qemu-system-aarch64'].some(onPath)) return 'QEMU is not installed'
  return null
}

/** Makes the image unless that of this version is there. `execute` runs a program and answers its code and text. */
export async function makeMachine(execute) {
  const home = mkdtempSync(join(tmpdir(), 'countersign-machine-'))
  const env = { COUNTERSIGN_HOME: home, COUNTERSIGN_MACHINES: machines }
  const entry = join(root, 'src/doors/cli/entry.ts')
  try {
    const listed = spawnSync(process.execPath, [entry, 'sandbox', 'list', '--json'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    if (hasCurrent(listed.stdout)) return { code: 0, text: '' }
    return await execute('node', [entry, 'sandbox', 'build', '--kind', 'microvm', '--from', 'installed'], { env })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function hasCurrent(text) {
  try {
    return JSON.parse(text).some(image => image.kind === 'microvm' && image.current && image.template === 'default')
  } catch {
    return false
  }
}
