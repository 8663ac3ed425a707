import { textHash } from '../../resources/verify.mjs'
import type { AuditItem } from '../contract/audit.ts'
import { listOf } from '../storage/lists.ts'
import { startsOf } from '../storage/record/entries.ts'
import type { Storage } from '../storage/storage.ts'
import { unpackBody } from './bodies.ts'

/** A list shows what one recognises code by; a line without an end would push everything else off the row. */
const longestLine = 160

/** Tells of each entry about code how that code begins; a decision tells it of the run that it is about. */
export async function withCodeLines(storage: Pick<Storage, 'read'>, items: readonly AuditItem[]): Promise<AuditItem[]> {
  const isDecision = ({ entry }: AuditItem) => entry.action.startsWith('approval.') && entry.run !== undefined
  const runs = items.filter(isDecision).flatMap(({ entry }) => entry.run ?? [])
  const codeOfRun = runs.length === 0 ? new Map<string, string>() : await startsOf(storage.read, runs)
  const hashOf = (item: AuditItem) =>
    item.entry.bodies?.code ?? (isDecision(item) ? codeOfRun.get(item.entry.run ?? '') : undefined)
  const lines = await readLines(
    storage,
    items.flatMap(item => hashOf(item) ?? []),
  )
  return items.map(item => {
    const codeLine = lines.get(hashOf(item) ?? '')
    return codeLine ? { ...item, codeLine } : item
  })
}

async function readLines(storage: Pick<Storage, 'read'>, hashes: readonly string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map()
  const rows = await storage.read
    .selectFrom('audit_bodies')
    .select(['hash', 'codec', 'data'])
    .where('hash', 'in', listOf([...new Set(hashes)]))
    .execute()
  return new Map(
    rows.flatMap(row => {
      const text = unpackBody(row)
      // A text that is not what it was is no code of anybody's; the entry's page says so.
      return text !== null && textHash(text) === row.hash ? [[row.hash, firstLine(text)]] : []
    }),
  )
}

function firstLine(code: string): string {
  const line = /\S[^\n\r]*/.exec(code)?.[0].trimEnd() ?? ''
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line
}
