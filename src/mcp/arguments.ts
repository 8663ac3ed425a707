import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import type { RemoteTool } from '../contract/mcp-servers.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'

/** An interpreter of schemas: one that compiles them would make code out of a server's text. */
const schemas = new CfWorkerJsonSchemaValidator({ draft: '2020-12' })

/** Checks arguments against the schema of their tool, before anything leaves. */
export function checkArguments(tool: RemoteTool, args: Readonly<Record<string, unknown>>): Outcome<void> {
  let why: string
  try {
    const checked = schemas.getValidator(withoutPatterns(tool.inputSchema) as never)(args)
    if (checked.valid) return ok(undefined)
    why = checked.errorMessage
  } catch (error) {
    why = `its schema cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
  return fail('mcp.arguments', `${tool.name} does not take these arguments: ${why.slice(0, 500)}`, 'See its schema.')
}

/** A regular expression of a server's could keep this process busy for hours. The server checks its own. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (schema === null || typeof schema !== 'object') return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'patternProperties' && !(key === 'pattern' && typeof value === 'string'))
      .map(([key, value]) => [key, withoutPatterns(value)]),
  )
}
