import { spawn } from 'node:child_process'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../storage/testing.ts'
import { fixtureOptions, registerFixtures, stateKey } from './fixtures.testing.ts'
import { openDoor, token } from './testing.ts'

const root = join(import.meta.dirname, '../../..')
let open: Awaited<ReturnType<typeof openDoor>>
let front: Server

beforeAll(async () => {
  open = await openDoor({ stateKey, further: { options: fixtureOptions, register: registerFixtures } })
  front = createServer((asked, answered) => {
    // The suite sends no token: this adds it and changes nothing else.
    const headers = { ...asked.headers, authorization: `Bearer ${token}` }
    const to = { port: open.door.port, host: '127.0.0.1', path: asked.url, method: asked.method, headers }
    const onward = request(to, got => {
      answered.writeHead(got.statusCode ?? 500, got.headers)
      got.pipe(answered)
    })
    onward.on('error', () => answered.destroy())
    answered.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  front.closeAllConnections()
  front.close()
  await open.close()
})

function run(program: string, args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number | null; text: string }>(resolve => {
    const cwd = temporaryFolder()
    const child = spawn(join(root, 'node_modules/.bin', program), args, { cwd, env: { ...process.env, ...env } })
    let text = ''
    child.stdout.on('data', chunk => (text += chunk))
    child.stderr.on('data', chunk => (text += chunk))
    child.on('close', code => resolve({ code, text }))
  })
}

it.each(['2025-11-25', '2026-07-28'])(
  'passes every scored scenario of the conformance suite for %s, on our factory and our door',
  async revision => {
    const url = `http://localhost:${(front.address() as AddressInfo).port}/mcp`
    const suite = await run('conformance', ['server', '--url', url, '--requirements', revision, '--timeout', '120000'])
    expect(suite.text).toMatch(/✓ tools-call-with-progress/)
    expect(suite.code, suite.text.slice(-4000)).toBe(0)
  },
  240_000,
)

it('has schemas that the inspector calls portable, over standard input and output', async () => {
  const server = [process.execPath, join(root, 'src/doors/cli/entry.ts'), 'mcp']
  const args = ['--cli', ...server, '--method', 'tools/list', '--strict', '--connect-timeout', '100000']
  // The inspector hands on no variable but a few of the system's: another would leave the server with this person's own data.
  const listed = await run('mcp-inspector', args, { HOME: temporaryFolder() })
  expect(listed.code, listed.text.slice(-2000)).toBe(0)
  expect(listed.text).toContain('"execute_code"')
})
