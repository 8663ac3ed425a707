/**
 * Runs the scenarios of the protocol's conformance suite that concern the door alone against `countersign mcp --http`.
 * The others call fixtures by name, which an application does not have.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMcpDoor } from '../src/doors/mcp/http.ts'
import { createMcp } from '../src/doors/mcp/server.ts'
import { openEngine } from '../src/engine.ts'
import { silentLog } from '../src/log.ts'

const scenarios: Record<string, string[]> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'dns-rebinding-protection',
    'sep-2164-resource-not-found',
    'http-header-validation',
  ],
}

const home = mkdtempSync(join(tmpdir(), 'countersign-'))
const engine = await openEngine({ home, env: {}, pool: 0 })
const mcp = createMcp({ engine })
const token = 'for-the-suite'
const door = await openMcpDoor({ factory: mcp.factory, port: 0, token, log: silentLog })
// The suite sends no token: this adds it and changes nothing else.
const front = createServer((asked, answered) => {
  const headers = { ...asked.headers, authorization: `Bearer ${token}` }
  const onward = request(
    { port: door.port, host: '127.0.0.1', path: asked.url, method: asked.method, headers },
    got => {
      answered.writeHead(got.statusCode ?? 500, got.headers)
      got.pipe(answered)
    },
  )
  onward.on('error', () => answered.destroy())
  answered.on('close', () => onward.destroy())
  asked.pipe(onward)
})
await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
const url = `http://localhost:${(front.address() as AddressInfo).port}/mcp`

let failed = 0
for (const [version, names] of Object.entries(scenarios)) {
  for (const name of names) {
    const args = ['server', '--url', url, '--scenario', name, '--spec-version', version]
    const { code, text } = await new Promise<{ code: number | null; text: string }>(resolve => {
      const child = spawn(join(import.meta.dirname, '../node_modules/.bin/conformance'), args, { cwd: home })
      let text = ''
      child.stdout.on('data', chunk => (text += chunk))
      child.stderr.on('data', chunk => (text += chunk))
      child.on('close', code => resolve({ code, text }))
    })
    process.stdout.write(`${code === 0 ? 'pass' : 'FAIL'} ${version} ${name}\n`)
    if (code !== 0) process.stdout.write(`${text.slice(-3000)}\n`)
    failed += code === 0 ? 0 : 1
  }
}
front.closeAllConnections()
front.close()
await door.close()
mcp.close()
await engine.close()
rmSync(home, { recursive: true, force: true })
process.exitCode = failed === 0 ? 0 : 1
