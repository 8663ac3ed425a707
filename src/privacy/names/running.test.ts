import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../clock.testing.ts'
import { systemClock } from '../../clock.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { runModel, within } from './running.ts'
import { writeTinyModel } from './tiny-model.testing.ts'

const modelFolder = (): string => writeTinyModel(join(temporaryFolder(), 'tiny'))

/** Another program in the place of the model's own. */
function program(text: string): string {
  const file = join(temporaryFolder(), 'program.mjs')
  writeFileSync(file, text)
  return file
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a model in a process of its own', () => {
  it('can be put away in the middle of its work, which takes nothing else with it', async () => {
    const long = Array.from({ length: 2000 }, () => 'Wilhelmina Stormvik met in Orkney. '.repeat(25))
    for (const ms of [0, 1, 3]) {
      const model = runModel(modelFolder(), systemClock)
      expect(await model.ready()).toMatchObject({ ok: true })
      const answer = model.ask(long)
      await sleep(ms)
      await model.close()
      expect(await answer).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
      expect(await model.ask(['later'])).toMatchObject({ ok: false })
    }
  })

  it('can be put away before it has begun', async () => {
    const model = runModel(modelFolder(), systemClock)
    await model.close()
    expect(await model.ready()).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
    expect(await model.ask(['later'])).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
  })

  it('says so when its process ends by itself, to whoever waits', async () => {
    const model = runModel(modelFolder(), systemClock, program('process.exit(7)'))
    const waiting = model.ask(['Wilhelmina'])
    expect(await model.ready()).toMatchObject({
      ok: false,
      problem: { code: 'names.failed', message: expect.stringContaining('ended with 7') },
    })
    expect(await waiting).toMatchObject({ ok: false, problem: { code: 'names.failed' } })
    expect(model.state()).toMatchObject({ step: 'failed' })
    await model.close()
    expect(model.state(), 'what went wrong first stays').toMatchObject({ problem: { code: 'names.failed' } })
  })

  it('is gone when it was put away, whatever it was doing', async () => {
    // Busy for longer than this test waits, but not for ever: one that is left behind would slow down the machine.
    const work = 'const end = Date.now() + 20_000\nwhile (Date.now() < end);'
    const busy = program(`process.send({ type: "failed", message: String(process.pid) })\n${work}`)
    const model = runModel(modelFolder(), systemClock, busy)
    const ready = await model.ready()
    const pid = Number(/: (\d+)\.$/.exec(ready.ok ? '' : ready.problem.message)?.[1])
    expect(pid).toBeGreaterThan(0)
    await model.close()
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it('tells how far it is and for how long', async () => {
    const clock = new ManualClock()
    const model = runModel(
      modelFolder(),
      clock,
      program('process.send({ type: "loaded", ms: 5 })\nsetTimeout(() => 0, 20_000)'),
    )
    expect(model.state()).toMatchObject({ step: 'files', ms: 0, model: null })
    clock.advance(1500)
    await expect
      .poll(() => model.state())
      .toMatchObject({ step: 'trial', ms: 1500, model: { bytes: expect.any(Number) } })
    await model.close()
  })

  it('sees nothing of the secrets in this environment', async () => {
    process.env.COUNTERSIGN_TEST_SECRET = 'hunter2'
    const told = program('process.send({ type: "failed", message: JSON.stringify(process.env) })')
    const model = runModel(modelFolder(), systemClock, told)
    const ready = await model.ready()
    delete process.env.COUNTERSIGN_TEST_SECRET
    const message = ready.ok ? '' : ready.problem.message
    expect(message).toContain('ELECTRON_RUN_AS_NODE')
    expect(message).not.toContain('hunter2')
    await model.close()
  })
})

describe('a limit of time', () => {
  it('gives a problem in the place of what did not come', async () => {
    const clock = new ManualClock()
    const never = within(clock, 2000, new Promise<never>(() => undefined), 'It did not come')
    clock.advance(1999)
    expect(await Promise.race([never, 'still waiting'])).toBe('still waiting')
    clock.advance(1)
    expect(await never).toMatchObject({ problem: { code: 'names.slow', message: 'It did not come within 2 s.' } })
  })
})
