import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { systemClock } from '../clock.ts'
import { ok } from '../contract/problem.ts'
import { Connection } from './connection.ts'

// The program that the conformance suite starts: our connection, asked for what the scenario wants to see.
const Context = z.looseObject({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
})
const { toolCalls } = Context.parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'))
const url = new URL(process.argv[2] ?? '')
const connection = new Connection({
  name: 'conformance',
  clock: systemClock,
  transport: async () => ok(new StreamableHTTPClientTransport(url)),
  ask: async () => ({ action: 'accept', content: {} }),
})
const listed = await connection.tools()
console.log(JSON.stringify(listed))
const tools = listed.ok ? listed.value.tools.map(({ tool }) => tool) : []
const known: Record<string, Record<string, unknown>> = {
  add_numbers: { a: 5, b: 3 },
  json_schema_echo: { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema },
}
const calls = toolCalls ?? tools.map(({ name }) => ({ name, arguments: known[name] ?? {} }))
for (const call of calls) console.log(JSON.stringify(await connection.call(call.name, call.arguments)))
await connection.close()
