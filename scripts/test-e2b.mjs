// Runs the cases of a cloud sandbox against the service itself: `E2B_API_KEY=… node scripts/test-e2b.mjs`.
import { spawnSync } from 'node:child_process'

if (!process.env.E2B_API_KEY) {
  console.log('Nothing was run: E2B_API_KEY is not set. The same cases run against a peer on loopback in `npm test`.')
  process.exit(0)
}
const begun = Date.now()
console.log('This makes three machines at the service; the account pays for the seconds that each of them runs.')
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
console.log(`Machines were in use for at most ${Math.ceil((Date.now() - begun) / 1000)} s each.`)
process.exit(status ?? 1)
