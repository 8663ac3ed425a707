/**
 * A thousand runs of `ie-paye` through the built terminal door, from the start of the process to its last answer,
 * against the same arithmetic in one bare Python process. Prints one line of JSON.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const count = Number(process.env.BENCH_TIMES ?? 1000)
const lines = Array.from({ length: count }, (_, id) =>
  JSON.stringify({
    id,
    analysis: 'ie-paye',
    input: { year: 2023 + (id % 4), status: 'single', employment_income: String(20_000 + id * 97) },
  }),
).join('\n')

function timed(command: string, args: string[], input: string): { seconds: number; stdout: string } {
  const start = performance.now()
  const done = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, COUNTERSIGN_HOME: home },
  })
  if (done.status !== 0) throw new Error(done.stderr)
  return { seconds: (performance.now() - start) / 1000, stdout: done.stdout }
}

try {
  const ours = timed(process.execPath, [join(root, 'out/main/cli.js'), 'analyses', 'run', '--jsonl', '-'], `${lines}\n`)
  const answered = ours.stdout
    .trim()
    .split('\n')
    .filter(line => line.includes('"output"')).length
  const bare = timed(
    'python3',
    ['-c', 'import sys, json, decimal\nfor line in sys.stdin: json.loads(line)'],
    `${lines}\n`,
  )
  const round = (value: number) => Math.round(value * 1000) / 1000
  process.stdout.write(
    `${JSON.stringify({ runs: count, answered, seconds: round(ours.seconds), perSecond: Math.round(count / ours.seconds), bareSeconds: round(bare.seconds) })}\n`,
  )
} finally {
  rmSync(home, { recursive: true, force: true })
}
