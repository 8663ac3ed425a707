/**
 * The record under load: durable appends with 32 writers, verification and filtered queries, at 10 thousand, 100
 * thousand and 1 million entries of the same record. `node bench/audit.ts [SIZE …]`; one JSON line on standard output.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audit } from '../src/audit/audit.ts'
import { fill, filters, nextEvent, type OpenRecord, openRecord } from './audit-work.ts'

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

async function measureAppends(record: OpenRecord) {
  const latencies: number[] = []
  const until = performance.now() + appendSeconds * 1000
  const cpu = process.cpuUsage()
  const began = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() < until) {
        const at = performance.now()
        await record.audit.record(nextEvent(record))
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

async function measureQueries(audit: Audit) {
  const byName: Record<string, { medianMs: number; p95Ms: number; cpuMs: number; found: number }> = {}
  for (const [name, filter] of Object.entries(filters())) {
    const times: number[] = []
    let found = 0
    const cpu = process.cpuUsage()
    for (let turn = 0; turn < queryRounds; turn++) {
      const at = performance.now()
      found = (await audit.query({ filter, limit: 50 })).items.length
      times.push(performance.now() - at)
    }
    const used = process.cpuUsage(cpu)
    byName[name] = {
      medianMs: round(quantile(times, 0.5)),
      p95Ms: round(quantile(times, 0.95)),
      cpuMs: round((used.user + used.system) / 1000 / queryRounds),
      found,
    }
  }
  return byName
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const record = await openRecord(folder)
const { audit } = record
const results = []
let written = 1
try {
  for (const size of sizes) {
    const began = performance.now()
    await fill(record, size - written)
    await audit.checkpoint()
    // Whatever is not indexed yet is indexed now, so that it is not measured below.
    await audit.query({})
    const buildSeconds = round((performance.now() - began) / 1000)
    say(`${size} entries are there`)
    const cpu = process.cpuUsage()
    const verification = await audit.verify()
    const verifyCpu = process.cpuUsage(cpu)
    const verifyCpuSeconds = round((verifyCpu.user + verifyCpu.system) / 1e6)
    if (!verification.ok) throw new Error(`the record does not verify: ${JSON.stringify(verification.findings[0])}`)
    const queries = await measureQueries(audit)
    const appends = await measureAppends(record)
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
      worstQueryCpuMs: Math.max(...Object.values(queries).map(each => each.cpuMs)),
      queries,
    })
    say(
      `${size}: verify ${verifySeconds} s, ${appends.perSecond} appends/s (p95 ${appends.p95Ms} ms), worst query ${worstQueryMs} ms`,
    )
  }
} finally {
  await record.close()
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
