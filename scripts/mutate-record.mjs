#!/usr/bin/env node
// Changes each column of each row of each table once and looks who finds it: the check of the record or the gate before
// a run. The table of who must find what is in src/mutation.testing.ts. `node scripts/mutate-record.mjs`
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureNode24, ensurePackages } from './ready.mjs'

ensurePackages()
await ensureNode24(process.argv[1], process.argv.slice(2))

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'src/mutation.test.ts'], {
  cwd: root,
  env: { ...process.env, MUTATE: 'all' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
