#!/usr/bin/env node
// Attacks the egress proxy in a network namespace of its own, longer than the tests do: all attacks, then as many names
// whose answers flip at each question as make 10,000 questions, then waves of a thousand connections at once.
// `node scripts/egress-battery.mjs [QUESTIONS] [WAVES]`
import { numbersOf } from './numbers.mjs'
import { ensureNode24, ensurePackages, say } from './ready.mjs'

const help =
  'node scripts/egress-battery.mjs [QUESTIONS] [WAVES]   how many names are asked (10,000), and waves of load (20)\n'
const [questions, waves] = numbersOf(help, 10_000, 20)
ensurePackages()
await ensureNode24(process.argv[1], process.argv.slice(2))
const { noNamespace, runInside } = await import('../src/network/attack/namespace.testing.ts')

const missing = noNamespace()
if (missing) {
  say(`the battery cannot run: ${missing}`)
  process.exit(4)
}
// Each name is asked for twice: its IPv4 and its IPv6 addresses.
const names = String(Math.ceil(questions / 2))
const battery = await runInside('src/network/attack/battery.testing.ts', [names], 600_000)
const load = await runInside('src/network/attack/load.testing.ts', [String(waves)], 600_000)
console.log(JSON.stringify({ battery: 'egress', ...battery, ...load }))
process.exit(battery.found.length + battery.controlProblems.length > 0 || !battery.alive ? 1 : 0)
