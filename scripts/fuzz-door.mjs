#!/usr/bin/env node
// Sends malformed requests and handshakes to a browser door of its own; it must answer or close each, tell nothing and
// stay up. `node scripts/fuzz-door.mjs [COUNT] [SEED]` (Node 24).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fuzzDoor } from '../src/doors/server/hostile.testing.ts'
import { openBrowserDoor } from '../src/doors/server/server.ts'
import { silentLog } from '../src/log.ts'
import { numbersOf } from './numbers.mjs'

const help = 'node scripts/fuzz-door.mjs [COUNT] [SEED]   how many requests (100,000), and by which numbers\n'
const [count, seed] = numbersOf(help, 100_000, Date.now() % 2 ** 32)
const root = mkdtempSync(join(tmpdir(), 'countersign-fuzz-'))
writeFileSync(join(root, 'index.html'), '')
let letIn = 0
const door = await openBrowserDoor({ root, port: 0, log: silentLog, serve: () => letIn++ })
const started = performance.now()
const { sent, statuses, leaks } = await fuzzDoor(door.port, count, seed)
const seconds = Number(((performance.now() - started) / 1000).toFixed(1))
const isUp = (await fetch(`http://127.0.0.1:${door.port}/`)).status === 200
await door.close()
rmSync(root, { recursive: true })
console.log(JSON.stringify({ sent, seed, seconds, statuses, leaks: leaks.length, letIn, isUp }))
process.exit(isUp && leaks.length === 0 && letIn === 0 && !statuses['500'] ? 0 : 1)
