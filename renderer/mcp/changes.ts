import type { ListedTool } from '../../src/contract/mcp-servers.ts'
import { effectWords } from './words.ts'

export interface Change {
  readonly what: string
  readonly before: string
  readonly now: string
}

/** What is different about a tool that was accepted, piece by piece. */
export function changesOf({ before, description, inputSchema, outputSchema, effect }: ListedTool): Change[] {
  if (!before) return []
  const all: Change[] = [
    { what: 'Description', before: before.description, now: description },
    { what: 'Effect', before: effectWords[before.effect], now: effectWords[effect] },
    ...schemaChanges(before.inputSchema, inputSchema),
    { what: 'What it gives', before: textOf(before.outputSchema), now: textOf(outputSchema) },
  ]
  return all.filter(change => change.before !== change.now)
}

function schemaChanges(before: Record<string, unknown>, now: Record<string, unknown>): Change[] {
  const [was, is] = [propertiesOf(before), propertiesOf(now)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  const parts = names.map(name => ({
    what: `Parameter ${name}`,
    before: textOf(ownOf(was, name)),
    now: textOf(ownOf(is, name)),
  }))
  const rest = { what: 'Rest of the schema', before: textOf(without(before)), now: textOf(without(now)) }
  return [...parts, rest]
}

const without = ({ properties: _, ...rest }: Record<string, unknown>) => rest

const propertiesOf = ({ properties }: Record<string, unknown>): Record<string, unknown> =>
  typeof properties === 'object' && properties !== null ? { ...properties } : {}

/** A parameter may be named as something that every object has. */
const ownOf = (map: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(map, name) ? map[name] : undefined

const textOf = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value))
