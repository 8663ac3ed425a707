/**
 * What an assistant waits for when it searches tools: `countersign mcp` as it is built, with all that belongs to it, which
 * is acceptance, egress guard and record. `first` asks as soon as it is connected to a process that has just started, with
 * how many of these answers had the vectors; `next` are searches after that. The vectors of the tools are on disk: they
 * are made when a tool is accepted. Prints one line of JSON.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openEngine } from '../src/engine/engine.ts'
import { intents } from '../src/mcp/search/intents.testing.ts'
import type { SearchableTool } from '../src/mcp/search/search.ts'
import { middle, round, searchedTools, timed } from './mcp-tools.ts'

const countersign = join(import.meta.dirname, '../bin/countersign')
const rounds = 7
const [firstIntent] = intents[0] ?? ['']

const home = mkdtempSync(join(tmpdir(), 'countersign-'))
try {
  const tools = await searchedTools(home)
  await acceptAll(tools)
  const first: Searched[] = []
  const next: Searched[] = []
  // The first one may have to build the program.
  await session([], [])
  for (let n = 0; n < rounds; n++) await session(first, next)
  console.log(
    JSON.stringify({
      bench: 'mcp-client',
      tools: tools.length,
      first: told(first),
      next: told(next),
      load: round(loadavg()[0] ?? 0),
    }),
  )
} finally {
  rmSync(home, { recursive: true, force: true })
}

interface Searched {
  readonly ms: number
  readonly hasVectors: boolean
}

async function session(first: Searched[], next: Searched[]): Promise<void> {
  const client = new Client({ name: 'bench', version: '1' })
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', COUNTERSIGN_HOME: home }
  await client.connect(new StdioClientTransport({ command: countersign, args: ['mcp'], env }))
  for (const [at, [intent]] of intents.slice(0, 11).entries()) {
    const [ms, { structuredContent }] = await timed(() =>
      client.callTool({ name: 'search_tools', arguments: { intent } }),
    )
    const hasVectors = (structuredContent as { note?: string }).note === undefined
    ;(at === 0 ? first : next).push({ ms, hasVectors })
  }
  await client.close()
}

/** Adds the servers of these tools, each a program that lists its own, and accepts what they list. */
async function acceptAll(tools: readonly SearchableTool[]): Promise<void> {
  const file = join(home, 'listed.json')
  writeFileSync(file, JSON.stringify(tools))
  const engine = await openEngine({ home, env: { PATH: process.env.PATH }, pool: 0 })
  try {
    for (const name of new Set(tools.map(({ server }) => server))) {
      const args = [join(import.meta.dirname, 'mcp-server.ts'), name, file]
      await engine.mcp.add(engine.caller, name, { command: process.execPath, args, confined: false })
      const listed = await engine.mcp.tools(engine.caller, name)
      if (!listed.ok) throw new Error(listed.problem.message)
      await engine.mcp.accept(engine.caller, name, listed.value.tools)
    }
    await engine.mcp.search(engine.caller, firstIntent, { patienceMs: 600_000 })
  } finally {
    await engine.close()
  }
}

function told(searches: readonly Searched[]) {
  const withVectors = searches.filter(({ hasVectors }) => hasVectors).length
  return { ms: round(middle(searches.map(({ ms }) => ms))), withVectors, of: searches.length }
}
