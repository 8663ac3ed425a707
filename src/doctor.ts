import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { PolicyState } from './contract/policy.ts'
import type { Probe } from './contract/sandbox.ts'
import type { Privacy } from './privacy/privacy.ts'
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

export function policyProbe({ file, version: hash, source, problem }: PolicyState): Probe {
  const named = `version ${hash.slice(0, 12)}`
  const where = source === 'default' ? `the defaults, as there is no ${file}` : file
  return problem
    ? { name: 'Policy', available: false, detail: `${problem.message} In force: ${named}.`, hint: problem.hint }
    : { name: 'Policy', available: true, detail: `${where}, ${named}` }
}

export async function namesProbe(privacy: Privacy): Promise<Probe> {
  await privacy.names.looked()
  const status = privacy.namesStatus()
  const { state, detail } = status
  const hint =
    status.state === 'failed'
      ? status.problem.hint
      : 'Names are found by rules; set privacy.namesModel to a model folder to add a second signal.'
  const available = state === 'ready' || state === 'loading'
  return { name: 'Names model', available, detail, ...(available ? {} : { hint }) }
}
