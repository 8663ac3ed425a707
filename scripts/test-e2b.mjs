// Runs the cases of a cloud sandbox against the service itself: `E2B_API_KEY=… node scripts/test-e2b.mjs`.
import { spawnSync } from 'node:child_process'
import { ensureNode24, ensurePackages } from './ready.mjs'

if (!process.env.E2B_API_KEY) {
  console.log('Nothing was run: E2B_API_KEY is not set. The same cases run against a peer on loopback in `npm test`.')
  process.exit(0)
}
ensurePackages()
await ensureNode24(process.argv[1], process.argv.slice(2))
const begun = Date.now()
const machines = 3
console.log(
  `This makes ${machines} machines at the service; the account pays for the seconds that each of them is awake.`,
)
console.log('E2B_PRICE_PER_HOUR, the price of one machine in your plan, makes it say what that comes to.')
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    'src/sandbox/e2b/e2b.test.ts',
    '--testTimeout=120000',
    '--hookTimeout=120000',
    '-t',
    'a cloud sandbox, through the SDK',
  ],
  { stdio: 'inherit', env: { ...process.env, COUNTERSIGN_TEST_SERVICE: 'e2b' } },
)
const seconds = machines * Math.ceil((Date.now() - begun) / 1000)
const price = Number(process.env.E2B_PRICE_PER_HOUR)
const comesTo = price > 0 ? `, which comes to at most ${((seconds / 3600) * price).toFixed(4)}` : ''
console.log(`Machines were awake for at most ${seconds} s in all${comesTo}.`)
process.exit(status ?? 1)
