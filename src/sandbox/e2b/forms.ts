import { z } from 'zod'
import type { MimeBundle, RunError } from '../../contract/run.ts'

const mimeTypes: Record<string, string> = {
  text: 'text/plain',
  html: 'text/html',
  markdown: 'text/markdown',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpeg: 'image/jpeg',
  pdf: 'application/pdf',
  latex: 'text/latex',
  json: 'application/json',
  javascript: 'application/javascript',
}

const Columns = z.record(z.string(), z.array(z.json()))

/** A result of the service in our forms. What it calls `data` is a data frame by columns. */
export function formsOf(raw: Record<string, unknown>): MimeBundle {
  const forms: MimeBundle = {}
  for (const [name, value] of Object.entries(raw)) {
    const type = mimeTypes[name] ?? (name.includes('/') ? name : null)
    const json = z.json().safeParse(value)
    if (type && json.success && json.data !== null) forms[type] = json.data
  }
  const columns = Columns.safeParse(raw.data)
  if (columns.success) forms['application/vnd.dataresource+json'] = tableOf(columns.data)
  return forms
}

function tableOf(columns: z.infer<typeof Columns>) {
  const names = Object.keys(columns)
  const rows = Math.max(0, ...names.map(name => columns[name]?.length ?? 0))
  const fields = names.map(name => ({ name, type: typeOf(columns[name] ?? []) }))
  const data = Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(names.map(name => [name, columns[name]?.[row] ?? null])),
  )
  return { schema: { fields }, data }
}

function typeOf(values: readonly unknown[]): string {
  const kinds = new Set(values.filter(value => value !== null).map(value => typeof value))
  if (kinds.size !== 1) return 'string'
  return kinds.has('number') ? 'number' : kinds.has('boolean') ? 'boolean' : 'string'
}

const colours = /\u001b\[[0-9;]*m/g
const syntaxErrors = new Set(['SyntaxError', 'IndentationError', 'TabError'])

/** An error as a kernel of the service tells it. */
export function errorOf(told: { name: string; value: string; traceback: string }): RunError {
  const text = String(told.traceback ?? '').replace(colours, '')
  const line = [...text.matchAll(/Cell In\[\d+\], line (\d+)|<cell>:(\d+)/g)].map(match => Number(match[1] ?? match[2]))
  const name = String(told.name)
  const at = syntaxErrors.has(name) ? line.at(-1) : line[0]
  return {
    kind: syntaxErrors.has(name) ? 'syntax' : name === 'MemoryError' ? 'memory' : 'runtime',
    name,
    message: String(told.value).replace(colours, ''),
    traceback: text === '' ? [] : text.split('\n'),
    ...(at ? { line: at } : {}),
  }
}
