import { z } from 'zod'
import { systemClock } from '../clock.ts'
import { HttpConfig } from '../contract/mcp-servers.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import { Connection } from './connection.ts'
import { Login } from './oauth/login.ts'
import { httpTransport } from './transports.ts'

// The program that the conformance suite starts: our connection and log-in, asked for what the scenario wants to see.
const Context = z.looseObject({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
})
const { toolCalls, client_id, client_secret } = Context.parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'))
const config = HttpConfig.parse({
  url: process.argv[2] ?? '',
  oauth: {
    ...(client_id ? { clientId: client_id } : {}),
    ...(client_secret ? { clientSecret: client_secret } : {}),
    // The suite knows this one, and no other.
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  },
})
const login = new Login({ name: 'conformance', config: async () => config, keys: memory(), clock: systemClock })
const connection = new Connection({
  name: 'conformance',
  clock: systemClock,
  wantsLogin: error => login.wanted(error),
  transport: async () => ok(httpTransport(config, login.authProvider, systemClock)),
  ask: async () => ({ action: 'accept', content: {} }),
})
let logins = 0

const listed = await asPerson(() => connection.tools())
const tools = listed.ok ? listed.value.tools.map(({ tool }) => tool) : []
const known: Record<string, Record<string, unknown>> = {
  add_numbers: { a: 5, b: 3 },
  json_schema_echo: { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema },
}
const calls = toolCalls ?? tools.map(({ name }) => ({ name, arguments: known[name] ?? {} }))
for (const call of calls) await asPerson(() => connection.call(call.name, call.arguments))
await connection.close()

/** Asks for something, and logs in where that is wanted, as a person would who gives up after the third time. */
async function asPerson<T>(ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const answer = await ask()
  console.log(JSON.stringify(answer))
  if (answer.ok || answer.problem.code !== 'mcp.sign-in' || logins === 3) return answer
  logins += 1
  const begun = await login.begin()
  if (!begun.ok) throw new Error(JSON.stringify(begun.problem))
  // The suite's page logs everybody in and sends the browser back at once.
  const page = await fetch(begun.value.url, { redirect: 'manual' })
  await fetch(page.headers.get('location') ?? '')
  const done = await begun.value.done
  if (!done.ok) throw new Error(JSON.stringify(done.problem))
  return asPerson(ask)
}

function memory(): KeyStore {
  const kept = new Map<string, Uint8Array>()
  return {
    get: async name => kept.get(name) ?? null,
    set: async (name, value) => void kept.set(name, value),
    async add(name, value) {
      if (!kept.has(name)) kept.set(name, value)
      return kept.get(name) ?? value
    },
  }
}
