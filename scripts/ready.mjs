// Brings a checkout to where it can run: packages, Node 24, Debian parts, a build. Plain JavaScript for any Node from 18
// on and without dependencies, since it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules', '.bin')
const stamps = join(root, 'node_modules', '.countersign')

/**
 * The compiler as a native program, six times as fast, by its path below `.bin`: the one in JavaScript, which a test uses as
 * a library, has a command of the same name.
 */
export const typeChecker = '../typescript-native/bin/tsc'

export const say = text => process.stderr.write(`countersign: ${text}\n`)

/** The local Node 24 first, so that every child runs on it. */
export const environment = () => ({
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  // The CPU library is in the package; its script would fetch others.
  ONNXRUNTIME_NODE_INSTALL: 'skip',
})

/** Runs a command with its output on standard error, so that standard output stays for answers. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    // A registry that accepts connections and never answers would hold the command for ever.
    timeout: 15 * 60_000,
    ...options,
  })
  const why =
    error?.code === 'ETIMEDOUT' ? ': no end after 15 minutes; is the network up?' : error ? `: ${error.message}` : ''
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')} failed${why}`)
}

const hashOf = (...files) => {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
const stampFile = name => join(stamps, name)
const isStamped = (name, value) => existsSync(stampFile(name)) && readFileSync(stampFile(name), 'utf8') === value
const stamp = (name, value) => {
  mkdirSync(stamps, { recursive: true })
  writeFileSync(stampFile(name), value)
}

/** Installs the packages of the lockfile unless they are there already. */
export function ensurePackages() {
  if (!existsSync(join(root, 'package-lock.json'))) return // an installed application brings its packages along
  const want = hashOf('package-lock.json')
  if (isStamped('packages', want)) return
  const here = existsSync(join(root, 'node_modules', '.package-lock.json'))
  if (here && newest([join(root, 'package-lock.json')]) <= newest([join(root, 'node_modules', '.package-lock.json')])) {
    return stamp('packages', want)
  }
  say('installing packages (about two minutes the first time) …')
  // Not `npm ci`: it refuses a lockfile that does not name the binaries of every other platform, and a mirror need not
  // carry those. The versions are the lockfile's all the same, and the lockfile stays as it is.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'])
  stamp('packages', want)
}

/** Starts `script` again under Node 24 when this Node is older; returns only when this one will do. */
export async function ensureNode24(script, args) {
  if (Number(process.versions.node.split('.')[0]) >= 24) return
  const node = join(bin, process.platform === 'win32' ? 'node.cmd' : 'node')
  const child = spawn(node, [script, ...args], { stdio: 'inherit', env: environment() })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.exit(await new Promise(resolve => child.on('exit', (code, signal) => resolve(signal ? 128 : (code ?? 1)))))
}

const sources = ['src', 'electron', 'renderer', 'electron.vite.config.ts', 'package-lock.json', 'tsconfig.json']

/** Builds the application unless the last build is newer than every source. */
export function ensureBuild() {
  const built = join(root, 'out', 'main', 'cli.js')
  if (!existsSync(join(root, 'src'))) return
  const mark = join(root, 'out', '.built')
  if (existsSync(built) && existsSync(mark) && newest(sources.map(each => join(root, each))) <= statSync(mark).mtimeMs)
    return
  say('building …')
  const started = Date.now()
  run(join(bin, 'electron-vite'), ['build', '--logLevel', 'warn'])
  writeFileSync(mark, '')
  say(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

function newest(paths) {
  let latest = 0
  for (const path of paths) {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) continue
    latest = Math.max(latest, found.mtimeMs)
    if (found.isDirectory()) latest = Math.max(latest, newest(readdirSync(path).map(name => join(path, name))))
  }
  return latest
}

export const onPath = name => (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, name)))

/**
 * Looks for programs that are not npm packages and, on Debian as root, installs those that are missing. Elsewhere says
 * exactly what to install. Answers the names of what is still missing.
 */
export function ensureSystem(parts) {
  const missing = () => parts.filter(part => !part.isHere())
  const wanted = missing()
  if (wanted.length === 0) return []
  const packages = wanted.flatMap(part => part.packages)
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !existsSync('/etc/debian_version')) {
    say(
      `missing: ${wanted.map(part => part.name).join(', ')}. On Debian or Ubuntu: sudo apt-get install ${packages.join(' ')}`,
    )
    return wanted.map(part => part.name)
  }
  say(`installing Debian packages: ${packages.join(' ')} …`)
  const apt = args =>
    run('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], {
      env: { ...environment(), DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 2],
    })
  try {
    apt(['update'])
    apt(['install', '-y', '--no-install-recommends', ...packages])
  } catch (error) {
    say(error.message)
  }
  return missing().map(part => part.name)
}

export const systemParts = {
  bubblewrap: { name: 'bubblewrap (the jail)', packages: ['bubblewrap'], isHere: () => onPath('bwrap') },
  python: {
    name: 'Python 3',
    packages: ['python3'],
    isHere: () => existsSync('/usr/bin/python3') || onPath('python3'),
  },
  pandas: {
    name: 'pandas, numpy, matplotlib and openpyxl (for calculations and Excel files)',
    packages: ['python3-pandas', 'python3-numpy', 'python3-matplotlib', 'python3-openpyxl'],
    // Looked up, not loaded: loading them takes a second of every start.
    isHere: () =>
      spawnSync('/usr/bin/python3', [
        '-c',
        'import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))',
        ...['pandas', 'numpy', 'matplotlib', 'openpyxl'],
      ]).status === 0,
  },
  docker: {
    name: 'Docker (containers for the tests)',
    packages: ['docker.io'],
    isHere: () => onPath('dockerd') || existsSync('/usr/sbin/dockerd'),
  },
  ssh: {
    name: 'ssh and its server (a remote engine for the tests)',
    packages: ['openssh-server', 'openssh-client'],
    isHere: () => existsSync('/usr/sbin/sshd') && onPath('ssh'),
  },
  guest: {
    name: 'what the image of the sandbox is made of',
    packages: ['python3-scipy', 'python3-openpyxl', 'python3-requests', 'curl'],
    isHere: () =>
      spawnSync('/usr/bin/python3', ['-c', 'import scipy, openpyxl, requests']).status === 0 && onPath('curl'),
  },
  chromium: {
    name: 'Chromium (a browser for the tests)',
    packages: ['chromium', 'fonts-liberation'],
    isHere: () => ['chromium', 'chromium-browser', 'google-chrome'].some(onPath),
  },
  headlessShell: {
    name: 'Chromium without its window (faster scenarios)',
    packages: ['chromium-headless-shell'],
    // Debian has it, elsewhere Chromium does.
    isHere: () => onPath('chromium-headless-shell') || !existsSync('/etc/debian_version'),
  },
  poppler: {
    name: 'poppler (reads the printed reports)',
    packages: ['poppler-utils'],
    isHere: () => onPath('pdftotext'),
  },
  strace: { name: 'strace (replays a loss of power)', packages: ['strace'], isHere: () => onPath('strace') },
  xvfb: { name: 'Xvfb (an X server for the tests)', packages: ['xvfb', 'xauth'], isHere: () => onPath('Xvfb') },
}

/** What the tests of user-space kernels need besides. */
export const gvisorParts = [
  { name: 'gVisor (a kernel in user space)', packages: ['runsc'], isHere: () => onPath('runsc') },
]

/** What the tests of virtual machines need besides. */
export const machineParts = [
  {
    name: 'QEMU (virtual machines for the tests)',
    packages: [process.arch === 'arm64' ? 'qemu-system-arm' : 'qemu-system-x86'],
    isHere: () => onPath(process.arch === 'arm64' ? 'qemu-system-aarch64' : 'qemu-system-x86_64'),
  },
  {
    name: 'mke2fs (makes the disk of a machine)',
    packages: ['e2fsprogs'],
    isHere: () => onPath('mke2fs') || existsSync('/usr/sbin/mke2fs'),
  },
]

/** What `npm start` sees to: the jail, and the Python that people expect to calculate with. */
export const startParts = [systemParts.bubblewrap, systemParts.python, systemParts.pandas]
