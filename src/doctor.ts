import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Probe } from './contract/sandbox.ts'
import type { SandboxRegistry } from './sandbox/registry.ts'

const run = promisify(execFile)

/** Each back end and component: here or not, why, and how to get it. */
export async function examine(sandboxes: SandboxRegistry, others: () => Promise<Probe[]>): Promise<Probe[]> {
  const probes = await sandboxes.probe()
  return [node(), ...probes, await chromium(), ...(await others())]
}

function node(): Probe {
  const { node: version, electron } = process.versions
  return { name: 'Node.js', available: true, detail: electron ? `${version}, in Electron ${electron}` : version }
}

/** Prints reports where there is no Electron to do it. */
async function chromium(): Promise<Probe> {
  const name = 'PDF printing'
  if (process.versions.electron) return { name, available: true, detail: 'by Electron' }
  for (const command of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      const { stdout } = await run(command, ['--version'], { timeout: 10_000 })
      return { name, available: true, detail: stdout.trim() }
    } catch {
      // Not this one.
    }
  }
  return {
    name,
    available: false,
    detail: 'no Chromium found',
    hint: 'Install Chromium (Debian: apt-get install chromium) for PDF reports.',
  }
}
