import { readFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import type { SearchableTool } from '../src/mcp/search/search.ts'

/** A server that lists the tools of one name in a file. Nobody calls them. */
const [, , name = '', file = ''] = process.argv
const tools = JSON.parse(readFileSync(file, 'utf8')) as SearchableTool[]
const server = new McpServer({ name, version: '1' })
for (const tool of tools.filter(each => each.server === name)) {
  const inputSchema = z.object(Object.fromEntries(tool.parameters.map(each => [each, z.any()])))
  const annotations = { readOnlyHint: true }
  server.registerTool(tool.name, { description: tool.description, inputSchema, annotations }, () => ({ content: [] }))
}
await server.connect(new StdioServerTransport())
