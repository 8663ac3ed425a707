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

// Scenarios of `auth/` are about signing in at a server, which connections cannot do: they send the headers they are given.
it.each([
  { revision: '2025-11-25', among: 'sse-retry', count: 4 },
  { revision: '2026-07-28', among: 'http-custom-headers', count: 7 },
])(
  'passes every scored scenario of the conformance suite for $revision but those of signing in, as a client',
  async ({ revision, among, count }) => {
    const scenarios = (await required(revision)).filter(name => !name.startsWith('auth/'))
    expect(scenarios).toContain(among)
    expect(scenarios).toHaveLength(count)
    const failed: string[] = []
    // One after the other: each is a program of its own, and they would take each other's time.
    for (const name of scenarios) {
      const args = ['--command', client, '--scenario', name, '--spec-version', revision, '--timeout', '120000']
      const { code, text } = await run('client', ...args)
      if (code !== 0) failed.push(`${name}: ${text.slice(-2000)}`)
    }
    expect(failed).toEqual([])
  },
  300_000,
)
