import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { type Language, Limits } from '../../contract/run.ts'
import type { Sandbox } from '../sandbox.ts'
import { runIn, temporaryHome, testIds, withTimeout } from '../testing.ts'
import { type LocalProvider, localProvider } from './local.ts'

/** Passes the turn to others that many times: how far the run has come by then is anybody's guess, and that is wanted. */
async function aWhile(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve))
}

describe('an interrupt', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: LocalProvider

  beforeAll(async () => {
    home = await temporaryHome()
    provider = localProvider({ home: home.home, clock: systemClock, ids: testIds })
  })
  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  async function open(language: Language): Promise<Sandbox> {
    const options = { limits: Limits.parse({}), warm: [language] }
    const opened = await provider.open(options, new AbortController().signal)
    if (!opened.ok) throw new Error(opened.problem.message)
    return opened.value
  }

  const kept: [Language, string, string, string][] = [
    ['python', 'kept = 1', 'while True: pass', 'assert kept == 1'],
    ['python', 'kept = 1', 'while True: display(kept)', 'assert kept == 1'],
    ['python', 'kept = 1', 'import asyncio\nwhile True: await asyncio.sleep(0)', 'assert kept == 1'],
    ['javascript', 'globalThis.kept = 1', 'await new Promise(r => setTimeout(r, 60_000))', 'if (kept !== 1) throw 1'],
    ['bash', 'kept=1', 'while :; do :; done', '[ "$kept" = 1 ]'],
  ]
  // By names of the kernel's own functions: its work cannot be hit by waiting for a certain time. A handler that rings
  // when that is over has no frame.
  it.each([
    [
      'when the cell is over',
      `sys.setprofile(lambda frame, event, _: frame.f_code.co_name == 'compare' and ring())
def strikes(frame): return True
def ring():
    sys.setprofile(None)
    os.kill(os.getpid(), signal.SIGALRM)`,
    ],
    [
      'while something is displayed',
      `last = None
def strikes(frame):
    global last
    before, last = last, frame
    return frame is None or frame.f_code.co_name == 'send_encoded' and frame is before
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
try:
    for _ in range(20): display('x' * 3_000_000)
except TimeoutError: pass
signal.setitimer(signal.ITIMER_REAL, 0)`,
    ],
  ])('by a handler of the cell that throws %s costs no variables', async (_, code) => {
    const sandbox = await open('python')
    await runIn(
      sandbox,
      'python',
      `import os, signal, sys
kept, rang = 1, False
def late(_, frame):
    global rang
    if strikes(frame):
        rang = True
        raise TimeoutError('too late')
signal.signal(signal.SIGALRM, late)
${code}`,
      withTimeout(5_000),
    )
    const check = 'assert (kept, rang, signal.getsignal(signal.SIGALRM)) == (1, True, late)'
    expect((await runIn(sandbox, 'python', check)).error).toBeNull()
    await sandbox.close('manual')
  })

  it.each(kept)('keeps the variables of %s, however early it comes (%s; %s)', async (language, set, loop, check) => {
    const sandbox = await open(language)
    await runIn(sandbox, language, set)
    for (let round = 0; round < 60; round++) {
      const going = runIn(sandbox, language, loop)
      await aWhile(round % 15)
      await sandbox.interrupt()
      expect((await going).error).toMatchObject({ kind: 'killed', name: 'Interrupted' })
      expect((await runIn(sandbox, language, check)).error).toBeNull()
    }
    await sandbox.close('manual')
  })

  it('that is lost in a finalizer is followed by another one, and costs no variables', async () => {
    const sandbox = await open('python')
    const code = `import weakref
class Thing: pass
def hold(_):
    while True: pass
kept, thing = 1, Thing()
ends = weakref.ref(thing, hold)
del thing
while True: pass`
    expect((await runIn(sandbox, 'python', code, withTimeout(1500))).error).toMatchObject({ kind: 'timeout' })
    expect((await runIn(sandbox, 'python', 'assert kept == 1')).error).toBeNull()
    await sandbox.close('manual')
  })

  it('that comes after the end of its run does not stop the next one', async () => {
    const sandbox = await open('python')
    for (let round = 0; round < 60; round++) {
      const going = runIn(sandbox, 'python', '1')
      await aWhile(round % 15)
      const interrupted = sandbox.interrupt()
      await Promise.all([going, interrupted])
      expect((await runIn(sandbox, 'python', 'sum(range(1000))')).error).toBeNull()
    }
    await sandbox.close('manual')
  })
})
