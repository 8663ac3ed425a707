import { afterAll, beforeAll, expect, it } from 'vitest'
import { runIn } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

let arena: Arena
beforeAll(async () => {
  arena = await Arena.open()
})
afterAll(() => arena.close())

it('a question whose answer comes as a run begins ends nothing that the run has started', async () => {
  const sandbox = await arena.sandbox()
  await runIn(sandbox, 'python', 'import subprocess\nvalues = list(range(100))')
  for (let n = 0; n < 40; n++) {
    const asked = sandbox.variables('python')
    // Another moment each time: the answer is to be there when the run is asked for, and not before.
    const until = performance.now() + n / 10
    while (performance.now() < until);
    const { stdout } = await runIn(
      sandbox,
      'python',
      'subprocess.run("sleep 0.02; echo said", shell=True, stdout=1).returncode',
    )
    expect(stdout).toBe('said\n')
    await asked
  }
  await sandbox.close('manual')
})
