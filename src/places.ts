import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where things are, from source, from the built bundle and from the installed application alike. */

export const fromSource = import.meta.url.endsWith('.ts')
const here = fileURLToPath(new URL('.', import.meta.url))

/** Programs that run in threads or processes of their own, by name. The build makes one file of each (`electron.vite.config.ts`). */
export const workers = {
  audit: 'audit/worker.ts',
  charts: 'charts/worker.ts',
  egress: 'network/program.ts',
  guard: 'guard/worker.ts',
  names: 'privacy/names/program.ts',
  notebooks: 'conversations/notebooks/worker.ts',
  pages: 'conversations/exporting/worker.ts',
  privacy: 'privacy/worker.ts',
  sentences: 'mcp/search/program.ts',
} as const

export function workerFile(name: keyof typeof workers): string {
  return fromSource ? join(here, workers[name]) : join(here, `${name}.worker.js`)
}

/** A file that ships as data. In an installed application resources lie outside the archive, so that kernels can run. */
export function resource(...parts: string[]): string {
  const root = join(here, fromSource ? '..' : '../..').replace(/app\.asar(?=$|[\\/])/, 'app.asar.unpacked')
  return join(root, 'resources', ...parts)
}

/** The folder that holds all data of this user: `COUNTERSIGN_HOME`, or the platform's place for application data. */
export function homeFolder(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  if (env.COUNTERSIGN_HOME) return env.COUNTERSIGN_HOME
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Countersign')
  if (platform === 'win32') return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'Countersign')
  return join(env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'countersign')
}

/** Images of virtual machines, which `countersign sandbox build --kind microvm` makes. */
export const machinesFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env.COUNTERSIGN_MACHINES ?? join(cacheFolder(env), 'machines')

/** The folder for what can be made again at any time. */
export function cacheFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'Countersign')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'Countersign', 'Cache')
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'countersign')
}
