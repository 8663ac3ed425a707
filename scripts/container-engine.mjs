// A container engine of its own for the tests, in a network namespace and folders of its own, with the image of the
// sandbox in it. Nothing of the machine's own engine is touched.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onPath, root } from './ready.mjs'

/** Why no engine can be had here; null where one can. */
export function whyNoEngine() {
  if (process.platform !== 'linux') return 'containers are tested on Linux'
  if (process.getuid?.() !== 0) return 'an engine of its own needs root'
  if (spawnSync('dockerd', ['--version']).status !== 0) return 'dockerd is not installed'
  if (!existsSync('/etc/debian_version')) return 'the image is made from Debian packages'
  return null
}

/** Why there can be no registry beside the engine; null where there can. It is not installed for the tests: it would listen. */
export const whyNoRegistry = () => (onPath('docker-registry') ? null : 'docker-registry is not installed')

/** gVisor's user-space kernel as a runtime of the engine, where it is installed. By ptrace, which needs nothing of the machine. */
export const gvisor = () =>
  onPath('runsc')
    ? { runtimes: { runsc: { path: 'runsc', runtimeArgs: ['--network=none', '--platform=ptrace'] } } }
    : {}

/** Kept between runs: making the image takes longer than all of its tests. */
export const keptImages = join(root, 'node_modules', '.cache', 'countersign-engine')

/**
 * Starts an engine and resolves when it answers; null when it does not within the time. `data` is where its images are:
 * a folder of its own unless one is named. With `size` that folder is a memory disk of so many bytes. `settings`
 * are what its configuration file says.
 */
export async function startEngine({ limitMs = 30_000, data, size, settings = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-engine-'))
  const images = data ?? join(folder, 'data')
  for (const name of [images, join(folder, 'exec')]) mkdirSync(name, { recursive: true })
  const socket = join(folder, 'docker.sock')
  const config = join(folder, 'daemon.json')
  writeFileSync(config, JSON.stringify(settings))
  const flags = [
    '--config-file',
    config,
    '--bridge',
    'none',
    '--iptables=false',
    '--ip6tables=false',
    '--ip-forward=false',
  ]
  const places = ['--data-root', images, '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')]
  const mount = size ? `mount -t tmpfs -o size=${size} tmpfs "$1" && shift && exec "$@"` : 'shift && exec "$@"'
  const dockerd = ['dockerd', '-H', `unix://${socket}`, ...places, ...flags]
  let child
  const stopped = () => child.exitCode !== null || child.signalCode !== null
  const end = async () => {
    const ended = new Promise(resolve => child.once('close', resolve))
    if (!stopped() && child.kill('SIGTERM')) await ended
  }
  const answers = () => spawnSync('docker', ['-H', `unix://${socket}`, 'version'], { timeout: 5_000 }).status === 0
  const begin = async () => {
    child = spawn('unshare', ['-n', '-m', 'sh', '-c', mount, 'sh', images, ...dockerd], { stdio: 'ignore' })
    for (const until = Date.now() + limitMs; Date.now() < until && !stopped(); ) {
      if (existsSync(socket) && answers()) return true
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    return false
  }
  const stop = async () => {
    await end()
    rmSync(folder, { recursive: true, force: true })
  }
  const restart = async () => {
    await end()
    return begin()
  }
  /** Runs a program in the network of the engine, which has a loopback and nothing else. */
  const beside = (program, args, options) =>
    spawn('nsenter', ['--target', String(child.pid), '--net', program, ...args], options)
  if (await begin()) return { host: `unix://${socket}`, stop, end, begin, restart, beside }
  await stop()
  return null
}

/** The command that makes the image, from the packages that are installed here. */
export const buildImage = ['node', [join(root, 'src/doors/cli/entry.ts'), 'sandbox', 'build', '--from', 'installed']]
