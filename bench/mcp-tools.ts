import { createHash } from 'node:crypto'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { corpus } from '../src/mcp/search/corpus.testing.ts'
import type { SearchableTool } from '../src/mcp/search/search.ts'

/** The tools that are searched: invented ones, and those of three servers from npm, which are started for it. */
export async function searchedTools(folder: string): Promise<SearchableTool[]> {
  const listed = await Promise.all(['everything', 'filesystem', 'memory'].map(name => toolsOf(name, folder)))
  return [...corpus, ...listed.flat()].map(withHash)
}

async function toolsOf(name: string, folder: string) {
  const program = import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`)
  const args = [new URL(program).pathname, ...(name === 'filesystem' ? [folder] : [])]
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(tool => {
    const parameters = Object.keys(tool.inputSchema.properties ?? {})
    return { server: name, name: tool.name, description: tool.description ?? '', parameters }
  })
}

export function withHash(tool: Omit<SearchableTool, 'hash' | 'effect'>): SearchableTool {
  return { ...tool, effect: 'reads', hash: createHash('sha256').update(JSON.stringify(tool)).digest('hex') }
}

export async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const begun = performance.now()
  const value = await work()
  return [performance.now() - begun, value]
}

export function middle(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
}

export function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
