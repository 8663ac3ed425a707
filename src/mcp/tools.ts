import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type BadTool, effectOf, RemoteTool, type ServerTool } from '../contract/mcp-servers.ts'
import { parameterHeaders } from './parameter-headers.ts'

/** A tool as it is listed, in the form that is accepted, kept and hashed. */
export interface ReadTool {
  readonly tool: RemoteTool
  /** Keys in order, so that a server which only shuffles them is not asked about again. */
  readonly definition: string
  readonly hash: string
}

export const maxToolChars = 200_000
const maxDepth = 64
/** Of arguments, answers and requests: what is nested deeper would be too much for some of those that walk through it. */
export const mostLevels = 200
const reserved = ['__proto__', 'constructor', 'prototype']

/**
 * Tools as a server lists them, read one by one: a bad one is named with its fault and spoils no other. Servers of the
 * newer generation may want parameters in headers.
 */
export function readTools(listed: readonly unknown[], hasHeaders = false): { tools: ReadTool[]; bad: BadTool[] } {
  const tools = new Map<string, ReadTool>()
  const bad: BadTool[] = []
  for (const each of listed) {
    const name = nameOf(each)
    const why = faultOf(each)
    const read = why ? null : RemoteTool.safeParse(each)
    if (why || !read) bad.push({ name, why: why ?? '' })
    else if (!read.success) bad.push({ name, why: z.prettifyError(read.error).slice(0, 300) })
    else if (tools.has(read.data.name)) bad.push({ name, why: 'Another tool of this server has the same name.' })
    else {
      const headers = hasHeaders ? parameterHeaders(read.data) : null
      if (headers?.ok === false) bad.push({ name, why: headers.problem.message })
      else tools.set(read.data.name, readTool(read.data))
    }
  }
  return { tools: [...tools.values()], bad }
}

export function readTool(tool: RemoteTool): ReadTool {
  const definition = JSON.stringify(sorted(tool))
  return { tool, definition, hash: createHash('sha256').update(definition).digest('hex') }
}

export function viewOf(server: string, { tool, hash }: ReadTool, standing: ServerTool['standing']): ServerTool {
  const { name, description, inputSchema, outputSchema } = tool
  return {
    ...{ server, name, description, inputSchema, hash, standing },
    ...(outputSchema ? { outputSchema } : {}),
    effect: effectOf(tool),
  }
}

function faultOf(tool: unknown): string | null {
  if (deeperThan(tool, maxDepth)) return `Its schema is nested more than ${maxDepth} levels deep.`
  if ((JSON.stringify(tool) ?? '').length > maxToolChars) return 'Its description and schema are longer than 200 KB.'
  return reserved.includes(nameOf(tool)) ? 'This name is reserved.' : null
}

export function deeperThan(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some(each => deeperThan(each, levels - 1))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  )
}

function nameOf(tool: unknown): string {
  const name = tool !== null && typeof tool === 'object' && 'name' in tool ? tool.name : ''
  return typeof name === 'string' ? name.slice(0, 80) : ''
}
