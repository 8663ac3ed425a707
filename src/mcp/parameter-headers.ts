import type { RemoteTool } from '../contract/mcp-servers.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'

/** A parameter that the server wants in a header too, so that what stands in front of it can route by it. */
export interface ParameterHeader {
  readonly header: string
  readonly path: readonly string[]
}

const mark = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const types: readonly unknown[] = ['string', 'integer', 'boolean']
/** Values, in which the mark would be a name like any other. */
const values = ['const', 'enum', 'default', 'examples']

/** The headers that a tool's schema asks for; a tool that asks for them wrongly may not be called. */
export function parameterHeaders({ inputSchema }: Pick<RemoteTool, 'inputSchema'>): Outcome<ParameterHeader[]> {
  const found: ParameterHeader[] = []
  /** `path` is null where the place depends on the value. */
  const faultIn = (schema: unknown, path: readonly string[] | null): string | null => {
    if (!isObject(schema)) return null
    if (Object.hasOwn(schema, mark)) {
      const header = schema[mark]
      if (!path?.length) return 'not on a named parameter'
      if (typeof header !== 'string' || !token.test(header)) return 'not the name of a header'
      if (!types.includes(schema.type)) return 'only for text, whole numbers and yes or no'
      if (found.some(each => each.header.toLowerCase() === header.toLowerCase())) return `${header} is named twice`
      found.push({ header, path })
    }
    for (const [key, part] of Object.entries(schema)) {
      if (values.includes(key)) continue
      const isNamed = key === 'properties' && isObject(part)
      const faults = isNamed
        ? Object.entries(part).map(([name, each]) => faultIn(each, path && [...path, name]))
        : [faultIn(part, null)]
      const fault = faults.find(each => each !== null)
      if (fault) return fault
    }
    return null
  }
  const fault = faultIn(inputSchema, [])
  return fault ? fail('request.invalid', `${mark}: ${fault}`, 'Its server has to correct it.') : ok(found)
}

/** The headers of one call. What is missing or null has none. */
export function headersOf(wanted: readonly ParameterHeader[], args: Record<string, unknown>): Record<string, string> {
  const headers: [string, string][] = wanted.flatMap(({ header, path }) => {
    const value = path.reduce<unknown>(
      (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      args,
    )
    const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
    return isPlain ? [[`Mcp-Param-${header}`, encoded(String(value))]] : []
  })
  return Object.fromEntries(headers)
}

/** As it is where a header can carry it, else in base64, so that no value ends a line. */
function encoded(value: string): string {
  const isSafe = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  const looksEncoded = value.startsWith('=?base64?') && value.endsWith('?=')
  return isSafe && !looksEncoded ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object'
