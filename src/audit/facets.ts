import type { AuditEntry, AuditResult } from '../contract/audit.ts'
import type { Facets } from '../storage/record/facets.ts'

/** Read out of an entry: `details` that carry a well-known name at their top level count. */
export function facetsOf(entry: AuditEntry): Facets {
  const details = fieldsOf(entry.details)
  return {
    action: entry.action,
    risk: textOf(details.risk),
    result: resultOf(entry.action, details),
    sandbox: textOf(details.sandbox) ?? textOf(fieldsOf(details.sandbox).kind),
    actor: entry.actor,
    codeHash: textOf(details.codeHash),
    conversation: entry.conversation ?? null,
    path: entry.path ?? null,
    run: entry.run ?? null,
    request: entry.request ?? null,
  }
}

function resultOf(action: AuditEntry['action'], details: Record<string, unknown>): AuditResult | null {
  if (action === 'run.refused') return details.code === 'run.syntax' ? 'syntax' : 'refused'
  if (details.success === true) return 'success'
  if (details.success !== false) return null
  return action === 'run.finished' && fieldsOf(details.error).kind === 'syntax' ? 'syntax' : 'failure'
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Beyond this a text is found by its beginning only: one huge output must not make the index huge. */
const mostIndexedChars = 20_000

/** Every text of an entry's details, and the beginnings of its bodies. */
export function wordsOf(details: unknown, bodies: readonly string[]): string {
  const words: string[] = []
  collect(details, words)
  for (const text of bodies) words.push(text.slice(0, mostIndexedChars))
  return words.join('\n')
}

function collect(value: unknown, words: string[]): void {
  if (typeof value === 'string') words.push(value.slice(0, mostIndexedChars))
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each, words)
}
