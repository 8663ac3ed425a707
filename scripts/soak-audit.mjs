#!/usr/bin/env node
// Kills a writer of the audit record with SIGKILL at random moments, over and over, on one record; after each kill the
// record must verify and hold every entry that was acknowledged. `node scripts/soak-audit.mjs [TURNS]` (Node 24).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acknowledgedBy, runWriter, survey } from '../src/audit/crash.testing.ts'

const turns = Number(process.argv[2] ?? 200)
const folder = mkdtempSync(join(tmpdir(), 'countersign-soak-'))
const started = performance.now()
const expected = []
try {
  for (let turn = 1; turn <= turns; turn++) {
    const afterMs = Math.random() * 120
    await runWriter(folder, `turn${turn}`, 1_000_000, afterMs)
    expected.push(...acknowledgedBy(folder, `turn${turn}`))
    const { ok, lost, findings, entries } = await survey(folder, expected)
    if (!ok || lost.length > 0) {
      console.error(
        `turn ${turn}, killed after ${afterMs.toFixed(1)} ms:`,
        findings,
        `${lost.length} lost`,
        lost.slice(0, 5),
      )
      process.exit(1)
    }
    if (turn % 10 === 0) console.error(`${turn} kills, ${expected.length} acknowledged, ${entries} entries, all there`)
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(
    JSON.stringify({ soak: 'audit', kills: turns, acknowledged: expected.length, lost: 0, damaged: 0, seconds }),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
