import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { toolLimits } from '../../contract/tools.ts'

const kernels = join(import.meta.dirname, '../../../resources/kernels')

/** What a program prints that uses the supervisor's own modules. */
const printed = (program: string): unknown =>
  JSON.parse(
    execFileSync(
      'python3',
      ['-c', `import json, sys, types\nsys.path.insert(0, ${JSON.stringify(kernels)})\n${program}`],
      {
        encoding: 'utf8',
      },
    ),
  )

const run = `
from countersign import running
now = [100.0]
running.time = types.SimpleNamespace(monotonic=lambda: now[0])
run = object.__new__(running.Run)
run.deadline, run.waiting_since, run.wait_left = 160.0, None, running.WAIT_LIMIT
`

it('the clock of a run stands still for the calls that it waits for, and no longer than the bound in all', () => {
  expect(
    printed(`${run}
found = []
for seconds in (10, 580, 300):
    run.waits(True)
    now[0] += seconds
    run.waits(False)
    found.append([run.deadline, run.wait_left])
print(json.dumps(found))`),
  ).toEqual([
    [170, 590],
    [750, 10],
    [760, 0],
  ])
})

it('a call that is never answered ends with what is left of the run and of the bound', () => {
  expect(
    printed(`${run}
one = object.__new__(running.Running)
one.run, run.next_tick, run.kill_at = run, 0, None
run.waits(True)
print(json.dumps([one.moments()[1], running.WAIT_LIMIT]))`),
  ).toEqual([160 + toolLimits.waitMs / 1000, toolLimits.waitMs / 1000])
})
