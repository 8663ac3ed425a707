import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../storage/testing.ts'

const suite = join(import.meta.dirname, '../../node_modules/.bin/conformance')
const client = `"${process.execPath}" "${join(import.meta.dirname, 'conformance.testing.ts')}"`

function run(...args: string[]) {
  return new Promise<{ code: number | null; text: string }>(resolve => {
    const child = spawn(suite, args, { cwd: temporaryFolder() })
    let text = ''
    child.stdout.on('data', chunk => (text += chunk))
    child.stderr.on('data', chunk => (text += chunk))
    child.on('close', code => resolve({ code, text }))
  })
}

/** What a revision requires of clients, frozen at its release. */
async function required(revision: string): Promise<string[]> {
  const { text } = await run('list', '--client', '--requirements', revision)
  const [, section = ''] = /Client scenarios[^\n]*\n((?: +- \S+\n)+)/.exec(text) ?? []
  return [...section.matchAll(/- (\S+)/g)].map(([, name = '']) => name)
}

it.each([
  { revision: '2025-11-25', among: 'auth/pre-registration', count: 18 },
  { revision: '2026-07-28', among: 'auth/authorization-server-migration', count: 32 },
])(
  'passes every scored scenario of the conformance suite for $revision, as a client',
  async ({ revision, among, count }) => {
    const scenarios = await required(revision)
    expect(scenarios).toContain(among)
    expect(scenarios).toHaveLength(count)
    const failed: string[] = []
    const queue = scenarios.values()
    // Each is a program of its own that mostly starts and ends; more than a few would take each other's time.
    const worker = async () => {
      for (const name of queue) {
        const args = ['--command', client, '--scenario', name, '--spec-version', revision, '--timeout', '120000']
        const { code, text } = await run('client', ...args)
        if (code !== 0) failed.push(`${name}: ${text.slice(-2000)}`)
      }
    }
    await Promise.all([worker(), worker(), worker()])
    expect(failed).toEqual([])
  },
  600_000,
)
