/**
 * The record under load: durable appends with 32 writers, verification and filtered queries, at 10 thousand, 100
 * thousand and 1 million entries of the same record. `node bench/audit.ts [SIZE …]`; one JSON line on standard output.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Audit, type AuditEvent, createAudit } from '../src/audit/audit.ts'
import type { Clock } from '../src/clock.ts'
import type { AuditFilter } from '../src/contract/audit.ts'
import { ConversationId, PathId, RunId, TenantId, UserId } from '../src/contract/ids.ts'
import { uuidV7 } from '../src/ids.ts'
import { fileKeyStore } from '../src/keystore.ts'
import { openStorage } from '../src/storage/storage.ts'

const asked = process.argv.slice(2).map(Number).filter(Number.isInteger)
const sizes = asked.length > 0 ? asked : [10_000, 100_000, 1_000_000]
const writers = 32
const appendSeconds = 3
const queryRounds = 15

const say = (text: string) => process.stderr.write(`${text}\n`)
const sorted = (values: number[]) => [...values].sort((a, b) => a - b)
const quantile = (values: number[], q: number) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0
const round = (value: number, digits = 2) => Number(value.toFixed(digits))

// A year of work: half a minute between two entries.
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
const tenant = ids.make(TenantId)
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
/** An intent and its outcome by turns, as runs write them. */
function nextEvent(): AuditEvent {
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
      bodies: { stdout: `CET1 ${Math.floor(random() * 2000) / 100} %` },
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

async function measureAppends(audit: Audit) {
  const latencies: number[] = []
  const until = performance.now() + appendSeconds * 1000
  const cpu = process.cpuUsage()
  const began = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() < until) {
        const at = performance.now()
        await audit.record(nextEvent())
        latencies.push(performance.now() - at)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const used = process.cpuUsage(cpu)
  return {
    count: latencies.length,
    // What it would be if nothing else ran on this machine is seen from the processor time.
    cpuMicrosEach: round((used.user + used.system) / latencies.length),
    perSecond: Math.round(latencies.length / seconds),
    medianMs: round(quantile(latencies, 0.5)),
    p95Ms: round(quantile(latencies, 0.95)),
  }
}

function filters(): Record<string, AuditFilter> {
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

async function measureQueries(audit: Audit) {
  const byName: Record<string, { medianMs: number; p95Ms: number; found: number }> = {}
  for (const [name, filter] of Object.entries(filters())) {
    const times: number[] = []
    let found = 0
    for (let turn = 0; turn < queryRounds; turn++) {
      const at = performance.now()
      found = (await audit.query({ filter, limit: 50 })).items.length
      times.push(performance.now() - at)
    }
    byName[name] = { medianMs: round(quantile(times, 0.5)), p95Ms: round(quantile(times, 0.95)), found }
  }
  return byName
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const storage = await openStorage({ file: join(folder, 'countersign.db'), clock })
const audit = await createAudit({ storage, keys: fileKeyStore(join(folder, 'keys')), clock, ids, folder, tenant })
const results = []
let written = 1
try {
  for (const size of sizes) {
    const began = performance.now()
    while (written < size) {
      const count = Math.min(5000, size - written)
      await storage.write(async transaction => {
        for (let at = 0; at < count; at++) await audit.append(transaction, nextEvent())
      })
      written += count
      await new Promise(resolve => setImmediate(resolve))
      if (written % 100_000 < 5000) say(`${written} entries`)
    }
    await audit.checkpoint()
    const buildSeconds = round((performance.now() - began) / 1000)
    const cpu = process.cpuUsage()
    const verification = await audit.verify()
    const verifyCpu = process.cpuUsage(cpu)
    const verifyCpuSeconds = round((verifyCpu.user + verifyCpu.system) / 1e6)
    if (!verification.ok) throw new Error(`the record does not verify: ${JSON.stringify(verification.findings[0])}`)
    const queries = await measureQueries(audit)
    const appends = await measureAppends(audit)
    written = verification.entries + 1 + appends.count
    const worstQueryMs = Math.max(...Object.values(queries).map(each => each.p95Ms))
    const verifySeconds = round(verification.tookMs / 1000)
    results.push({
      size,
      buildSeconds,
      verifySeconds,
      verifyCpuSeconds,
      verifyPerSecond: Math.round(size / verifySeconds),
      appends,
      worstQueryMs,
      queries,
    })
    say(
      `${size}: verify ${verifySeconds} s, ${appends.perSecond} appends/s (p95 ${appends.p95Ms} ms), worst query ${worstQueryMs} ms`,
    )
  }
} finally {
  await audit.close()
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
}

const first = results[0]
const last = results.at(-1)
const growth = (of: (result: NonNullable<typeof first>) => number) => (first && last ? round(of(last) / of(first)) : 0)
console.log(
  JSON.stringify({
    bench: 'audit',
    writers,
    results,
    growth: {
      size: growth(each => each.size),
      appendsPerSecond: growth(each => each.appends.perSecond),
      verifySecondsPerEntry: growth(each => each.verifySeconds / each.size),
      worstQueryMs: growth(each => each.worstQueryMs),
    },
    meets: last && {
      appends: last.appends.perSecond >= 5000,
      verify: last.verifySeconds < 10,
      query: last.worstQueryMs < 100,
    },
  }),
)
