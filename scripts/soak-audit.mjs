#!/usr/bin/env node
// Kills a writer of the audit record with SIGKILL at random moments, over and over, on one record; after each kill the
// record must verify and hold every entry that was acknowledged. Then, where strace is there, the writes of one writer
// are played back up to every sync and half-way to the next, with none, half and all of the unsynced ones on the disk:
// a forgotten sync does not show under SIGKILL. `node scripts/soak-audit.mjs [TURNS]` (Node 24).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acknowledgedBy, runWriter, survey } from '../src/audit/crash.testing.ts'
import { canTrace, crashPoints, rebuild, traceWriter } from '../src/audit/lost-sync.testing.ts'
import { numbersOf } from './numbers.mjs'

const [turns] = numbersOf('node scripts/soak-audit.mjs [TURNS]   how often the writer is killed (200)\n', 200)
const folder = mkdtempSync(join(tmpdir(), 'countersign-soak-'))
const started = performance.now()

function check(what, { ok, lost, findings }) {
  if (ok && lost.length === 0) return
  console.error(`${what}:`, findings, `${lost.length} lost`, lost.slice(0, 5))
  process.exit(1)
}

async function kill(home) {
  const expected = []
  for (let turn = 1; turn <= turns; turn++) {
    const afterMs = Math.random() * 120
    await runWriter(home, `turn${turn}`, 1_000_000, { afterMs })
    expected.push(...acknowledgedBy(home, `turn${turn}`))
    const found = await survey(home, expected)
    check(`turn ${turn}, killed after ${afterMs.toFixed(1)} ms`, found)
    if (turn % 10 === 0)
      console.error(`${turn} kills, ${expected.length} acknowledged, ${found.entries} entries, all there`)
  }
  return expected.length
}

async function losePower(home) {
  if (!canTrace()) return 0
  const trace = traceWriter(home, 'traced', 200)
  const points = crashPoints(trace)
  const disks = { none: () => false, half: () => Math.random() < 0.5, all: () => true }
  for (const [place, end] of points.entries()) {
    for (const [disk, survives] of Object.entries(disks)) {
      const crashed = join(folder, 'crashed')
      const expected = rebuild(trace, end, survives, crashed, 'traced')
      check(`power lost after step ${end}, ${disk} of the unsynced writes kept`, await survey(crashed, expected))
      rmSync(crashed, { recursive: true })
    }
    if (place % 50 === 49) console.error(`${place + 1} of ${points.length} moments of a power loss`)
  }
  return points.length * Object.keys(disks).length
}

try {
  const acknowledged = await kill(join(folder, 'killed'))
  const powerLosses = await losePower(join(folder, 'traced'))
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(JSON.stringify({ soak: 'audit', kills: turns, acknowledged, powerLosses, lost: 0, damaged: 0, seconds }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
