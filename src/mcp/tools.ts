import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type BadTool, RemoteTool } from '../contract/mcp.ts'

type ReadTool = Omit<RemoteTool, 'standing'>

const maxToolBytes = 200_000

/** Tools as a server lists them, read one by one: a bad one is named with its fault and spoils no other. */
export function readTools(listed: readonly unknown[]): { tools: ReadTool[]; bad: BadTool[] } {
  const tools = new Map<string, ReadTool>()
  const bad: BadTool[] = []
  for (const each of listed) {
    const name = nameOf(each)
    const text = JSON.stringify(each) ?? ''
    if (text.length > maxToolBytes) bad.push({ name, why: 'Its description and schema are longer than 200 KB.' })
    else {
      const read = RemoteTool.safeParse(each)
      if (!read.success) bad.push({ name, why: z.prettifyError(read.error).slice(0, 300) })
      else if (['__proto__', 'constructor', 'prototype'].includes(read.data.name))
        bad.push({ name, why: 'This name is reserved.' })
      else if (tools.has(read.data.name)) bad.push({ name, why: 'Another tool of this server has the same name.' })
      else tools.set(read.data.name, { ...read.data, hash: hashOf(read.data) })
    }
  }
  return { tools: [...tools.values()], bad }
}

const hashOf = ({ name, description, inputSchema }: z.infer<typeof RemoteTool>): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted({ name, description, inputSchema })))
    .digest('hex')

/** Keys in order, so that a server which only shuffles them is not asked about again. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)])
}

function nameOf(tool: unknown): string {
  const name = tool !== null && typeof tool === 'object' && 'name' in tool ? tool.name : ''
  return typeof name === 'string' ? name.slice(0, 80) : ''
}
