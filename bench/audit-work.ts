/** A year of work on a record, the same in every run of a benchmark. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Audit, type AuditEvent, createAudit } from '../src/audit/audit.ts'
import type { Clock } from '../src/clock.ts'
import type { AuditFilter } from '../src/contract/audit.ts'
import { ConversationId, PathId, RunId, type TenantId, UserId } from '../src/contract/ids.ts'
import { localCaller } from '../src/identity.ts'
import { uuidV7 } from '../src/ids.ts'
import { fileKeyStore } from '../src/keystore.ts'
import { openStorage, type Storage } from '../src/storage/storage.ts'

// Half a minute between two entries.
let now = Date.UTC(2026, 0, 1)
const start = now
const clock: Clock = {
  now: () => now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
const ids = uuidV7(clock)
const users = Array.from({ length: 20 }, () => ids.make(UserId))
const conversations = Array.from({ length: 200 }, () => ({ id: ids.make(ConversationId), path: ids.make(PathId) }))

// The same numbers in every run of this benchmark.
let seed = 42
const random = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
const nouns = ['exposure', 'rating', 'weight', 'ledger', 'capital', 'buffer', 'liability', 'tranche', 'coupon', 'yield']
const codes = Array.from({ length: 500 }, (_, at) => {
  const lines = Array.from(
    { length: 12 },
    () => `${pick(nouns)}_${at} = ${pick(nouns)} * ${Math.floor(random() * 1000)}`,
  )
  const text = `${lines.join('\n')}\nprint(${pick(nouns)})\n`
  return { text, hash: createHash('sha256').update(text).digest('hex') }
})
const risk = () => {
  const draw = random()
  return draw < 0.7 ? 'low' : draw < 0.9 ? 'medium' : draw < 0.98 ? 'high' : 'critical'
}

let open: AuditEvent | null = null
let outcomes = 0
/** An intent and its outcome by turns, as runs write them. */
export function nextEvent({ tenant }: { readonly tenant: TenantId }): AuditEvent {
  now += 30_000
  if (open) {
    const outcome = {
      ...open,
      action: 'run.finished' as const,
      details: {
        ...(open.details as Record<string, string>),
        success: random() > 0.1,
        exitCode: 0,
        isolation: 'jail',
        executionTimeMs: Math.floor(random() * 900),
        cpuTimeMs: 12,
        peakMemoryBytes: 41_000_000,
        files: { created: ['out.csv'], modified: [], deleted: [] },
        network: [],
        warnings: [],
        truncated: false,
      },
      // No two alike, as in life: each is a text of its own in the body store.
      bodies: { stdout: `CET1 ${Math.floor(random() * 2000) / 100} %, case ${outcomes++}` },
    }
    open = null
    return outcome
  }
  const code = pick(codes)
  const { id, path } = pick(conversations)
  open = {
    action: 'run.intended',
    tenant,
    actor: pick(users),
    conversation: id,
    path,
    run: ids.make(RunId),
    details: { codeHash: code.hash, language: 'python', risk: risk(), sandbox: random() < 0.8 ? 'local' : 'docker' },
    bodies: { code: code.text },
  }
  return open
}

export interface OpenRecord {
  readonly audit: Audit
  readonly storage: Storage
  readonly tenant: TenantId
  close(): Promise<void>
}

/** A record in a folder that the application could open too. */
export async function openRecord(folder: string): Promise<OpenRecord> {
  const storage = await openStorage({ file: join(folder, 'countersign.db'), clock })
  const keys = fileKeyStore(join(folder, 'keys'))
  const { tenant } = await localCaller(storage, keys, ids)
  const audit = await createAudit({ storage, keys, clock, ids, folder, tenant })
  const close = async () => {
    await audit.close()
    await storage.close()
  }
  return { audit, storage, tenant, close }
}

/** Writes so many entries, many to a commit: what is measured comes after. */
export async function fill(record: OpenRecord, entries: number): Promise<void> {
  for (let left = entries; left > 0; left -= 5000) {
    await record.storage.write(async transaction => {
      for (let at = 0; at < Math.min(5000, left); at++) await record.audit.append(transaction, nextEvent(record))
    })
    await new Promise(resolve => setImmediate(resolve))
    if (left % 100_000 < 5000) process.stderr.write(`${left} entries to go\n`)
  }
}

/** Every filter alone, together, with words, and at its worst. */
export function filters(): Record<string, AuditFilter> {
  const middle = start + (now - start) / 2
  const day = 86_400_000
  return {
    newest: {},
    user: { actors: [users[3] as UserId] },
    risk: { risks: ['high', 'critical'] },
    result: { results: ['failure'] },
    codeHash: { codeHash: codes[7]?.hash ?? '' },
    conversation: { conversation: conversations[5]?.id as ConversationId },
    oneDay: { from: middle, to: middle + day },
    allTogether: { risks: ['critical'], results: ['failure'], sandboxes: ['docker'], actors: [users[1] as UserId] },
    // Each value is everywhere and the two never meet: the worst that can be asked.
    nothingFound: { actions: ['run.intended'], results: ['success'] },
    nothingFoundInTime: { actions: ['run.intended'], results: ['success'], from: start, to: middle },
    word: { text: 'tranche' },
    rareWord: { text: 'liability_499' },
    phrase: { text: '"buffer weight"' },
    wordAndFilters: { text: 'coupon', risks: ['critical'], results: ['failure'] },
    wordsNotMeeting: { text: 'print', actions: ['run.finished'] },
    wordInOneDay: { text: 'ledger', from: middle, to: middle + day },
  }
}
