import type { ToolsFound } from '../../contract/mcp.ts'
import { type Outcome, ok } from '../../contract/problem.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Client } from './calls.ts'

const mostChars = 1_000

/** Tools of the user's servers for an intent, by the same way out as the answer of a call. */
export async function searchTools(
  engine: Pick<Engine, 'caller' | 'mcp' | 'privacy'>,
  client: Client,
  intent: string,
): Promise<Outcome<ToolsFound>> {
  const who = { ...engine.caller, assistant: client.name }
  const searched = await engine.mcp.search(who, intent)
  if (!searched.ok) return searched
  const accepted = new Map((await engine.mcp.accepted(who)).map(tool => [`${tool.server} ${tool.hash}`, tool]))
  const tools = searched.value.found.map(({ server, name, description, effect, score, hash }) => {
    const { properties, required } = accepted.get(`${server} ${hash}`)?.inputSchema ?? {}
    return {
      ...{ server, name, effect, score },
      description: description.slice(0, mostChars),
      parameters: typeof properties === 'object' && properties !== null ? Object.keys(properties) : [],
      required: Array.isArray(required) ? required.filter(each => typeof each === 'string') : [],
    }
  })
  const journey = { to: `MCP client ${client.name}`, conversation: null }
  const { note } = searched.value
  const passed = await engine.privacy.egress.pass('model', { tools, ...(note ? { note } : {}) }, journey)
  return passed.ok ? ok(passed.value.value) : passed
}
