// A container engine of its own for the tests, in a network namespace and folders of its own, with the image of the
// sandbox in it. Nothing of the machine's own engine is touched.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './ready.mjs'

/** Why no engine can be had here; null where one can. */
export function whyNoEngine() {
  if (process.platform !== 'linux') return 'containers are tested on Linux'
  if (process.getuid?.() !== 0) return 'an engine of its own needs root'
  if (spawnSync('dockerd', ['--version']).status !== 0) return 'dockerd is not installed'
  if (!existsSync('/etc/debian_version')) return 'the image is made from Debian packages'
  return null
}

/** Starts an engine and resolves when it answers; null when it does not within the time. */
export async function startEngine(limitMs = 30_000) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-engine-'))
  for (const name of ['data', 'exec']) mkdirSync(join(folder, name))
  const socket = join(folder, 'docker.sock')
  const flags = ['--bridge', 'none', '--iptables=false', '--ip6tables=false', '--ip-forward=false']
  const places = [
    '--data-root',
    join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '--pidfile',
    join(folder, 'pid'),
  ]
  const child = spawn('unshare', ['-n', '-m', 'dockerd', '-H', `unix://${socket}`, ...places, ...flags], {
    stdio: 'ignore',
  })
  const stop = async () => {
    const ended = new Promise(resolve => child.once('close', resolve))
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const answers = () => spawnSync('docker', ['-H', `unix://${socket}`, 'version'], { timeout: 5_000 }).status === 0
  for (const until = Date.now() + limitMs; Date.now() < until && child.exitCode === null; ) {
    if (existsSync(socket) && answers()) return { host: `unix://${socket}`, stop }
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  await stop()
  return null
}

/** The command that makes the image, from the packages that are installed here. */
export const buildImage = ['node', [join(root, 'src/doors/cli/entry.ts'), 'sandbox', 'build', '--from', 'installed']]
