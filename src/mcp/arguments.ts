import { createContext, Script } from 'node:vm'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import type { RemoteTool } from '../contract/mcp-servers.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'

/** An interpreter of schemas: one that compiles them would make code out of a server's text. */
const schemas = new CfWorkerJsonSchemaValidator({ draft: '2020-12' })

type Check = (args: unknown) => { valid: boolean; errorMessage: string | undefined }
interface Prepared {
  readonly check: Check
  /** Characters of the schema; none where it refers to parts of itself, which can double the work with each step. */
  readonly chars: number | null
}
const prepared = new WeakMap<RemoteTool, Prepared>()

/** Checks arguments against the schema of their tool, before anything leaves. */
export function checkArguments(tool: RemoteTool, args: Readonly<Record<string, unknown>>): Outcome<void> {
  let why: string
  try {
    const { check, chars } = preparedOf(tool)
    const given = bare(args)
    const argsChars = JSON.stringify(args).length
    const isSmall = chars !== null && (chars + argsChars) * argsChars < mostSteps
    const checked = isSmall ? check(given) : timed(() => check(given))
    if (checked.valid) return ok(undefined)
    why = checked.errorMessage ?? ''
  } catch (error) {
    why = `its schema cannot be used: ${isTimeout(error) ? 'it takes too long to check' : messageOf(error)}`
  }
  return fail('mcp.arguments', `${tool.name} does not take these arguments: ${why.slice(0, 500)}`, 'See its schema.')
}

/** What takes milliseconds at worst: each part of a schema looks at each part of the arguments, or these at each other. */
const mostSteps = 5_000_000
const mostMs = 500

function preparedOf(tool: RemoteTool): Prepared {
  const known = prepared.get(tool)
  if (known) return known
  const schema = withoutPatterns(tool.inputSchema)
  const text = JSON.stringify(schema)
  const made = {
    check: schemas.getValidator(schema as never) as Check,
    chars: /"\$(?:ref|recursiveRef|dynamicRef)"/.test(text) ? null : text.length,
  }
  prepared.set(tool, made)
  return made
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const call = new Script('work()')
let context: { work: (() => unknown) | null } | null = null

/** Work that is broken off after a while: a schema can be written so that no arguments are ever through with it. */
function timed<T>(work: () => T): T {
  context ??= createContext({ work: null }) as { work: null }
  context.work = work
  try {
    return call.runInContext(context, { timeout: mostMs }) as T
  } finally {
    context.work = null
  }
}

/** Below these stand names, which may be any word, and values, which are no schemas. */
const maps = ['properties', '$defs', 'definitions', 'dependentSchemas']
const values = ['const', 'enum', 'default', 'examples']

/**
 * A regular expression of a server's could keep this process busy for hours. The server checks its own; what else may be
 * there cannot be told without it either.
 */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (!isObject(schema)) return schema
  const hasPatterns = Object.hasOwn(schema, 'patternProperties')
  const left = hasPatterns ? [...withPattern, ...restOf] : withPattern
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !left.includes(key))
      .map(([key, value]) => {
        if (values.includes(key)) return [key, value]
        return [key, maps.includes(key) && isObject(value) ? each(value, withoutPatterns) : withoutPatterns(value)]
      }),
  )
}

const withPattern = ['pattern', 'patternProperties']
const restOf = ['additionalProperties', 'unevaluatedProperties']

const each = (map: Readonly<Record<string, unknown>>, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))

/** Objects without a prototype: a parameter named `constructor` is there when it was given, and not before. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare)
  return isObject(value) ? Object.assign(Object.create(null), each(value, bare)) : value
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
