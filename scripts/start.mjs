// `npm start`: the desktop application; where it cannot run, the browser door with the reason.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  ensureBuild,
  ensureNode24,
  ensurePackages,
  ensureSystem,
  environment,
  root,
  say,
  startParts,
} from './ready.mjs'

const args = process.argv.slice(2)

ensurePackages()
await ensureNode24(process.argv[1], args)
if (process.platform === 'linux') ensureSystem(startParts)
ensureBuild()

const electron = await findElectron()
const reason = electron.reason ?? displayMissing()
if (reason) {
  say(`${reason} Opening the browser door instead.`)
  await follow(process.execPath, [join(root, 'bin/countersign'), 'serve', ...args])
} else {
  // As root, Chromium refuses to start with its own sandbox.
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  await follow(electron.binary, [...flags, root, ...args])
}

async function follow(command, commandArgs) {
  const child = spawn(command, commandArgs, { stdio: 'inherit', env: environment(), cwd: process.cwd() })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 128 : (code ?? 1)))
}

function displayMissing() {
  const needed = process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY
  return needed ? 'There is no display for a window here.' : null
}

/** The Electron binary: named by Electron's own variable, already fetched, or fetched now. */
async function findElectron() {
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const name = process.platform === 'win32' ? 'electron.exe' : 'electron'
  if (named) {
    const binary = join(named, name)
    return existsSync(binary)
      ? { binary }
      : { reason: `ELECTRON_OVERRIDE_DIST_PATH names ${named}, where no Electron is.` }
  }
  if (displayMissing()) return { reason: displayMissing() }
  try {
    const require = createRequire(import.meta.url)
    const folder = dirname(require.resolve('electron/package.json'))
    if (!existsSync(join(folder, 'dist'))) say('fetching Electron (about 100 MB, once) …')
    return { binary: require('electron') }
  } catch (error) {
    return { reason: `Electron could not be fetched (${String(error.message).split('\n')[0]}).` }
  }
}
