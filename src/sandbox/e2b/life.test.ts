import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '../../clock.testing.ts'
import { systemClock } from '../../clock.ts'
import { ConversationId, PathId, TenantId } from '../../contract/ids.ts'
import { fail, ok } from '../../contract/problem.ts'
import { Limits, type Output } from '../../contract/run.ts'
import type { Sandbox } from '../sandbox.ts'
import { clearedRun, runIn, temporaryHome, testIds } from '../testing.ts'
import type { E2bOptions, E2bProvider } from './e2b.ts'
import { type Peer, startPeer } from './testing/peer.testing.ts'
import { notingMeter, openProvider, tenMinutes, unguarded } from './testing/provider.testing.ts'

const never = new AbortController().signal
const limits = Limits.parse({})
const minute = 60_000

let home: Awaited<ReturnType<typeof temporaryHome>>
let peer: Peer
const makeProvider = (changes: Partial<E2bOptions> = {}) => openProvider({ home: home.home, env: peer.env, ...changes })
const must = <T>(outcome: { ok: true; value: T } | { ok: false; problem: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}
const open = async (provider: E2bProvider) => must(await provider.open({ limits }, never))
const left = ({ id, credentials }: Sandbox) => ({ sandbox: id, credentials: credentials ?? null })
const resume = (provider: E2bProvider, sandbox: Sandbox, signal = never) =>
  provider.pausing.resume(left(sandbox), { limits }, signal)
const plain = (outputs: readonly Output[]) =>
  outputs.flatMap(output => (output.type === 'result' || output.type === 'display' ? [output.data['text/plain']] : []))
const value = async (sandbox: Sandbox, code: string) => plain((await runIn(sandbox, 'python', code)).outputs)[0]
const boxOf = (sandbox: Sandbox) => {
  const found = peer.boxes().find(({ id }) => sandbox.credentials?.includes(id))
  if (!found) throw new Error('the machine is gone')
  return found
}

beforeAll(async () => {
  home = await temporaryHome()
  peer = await startPeer()
})
afterAll(async () => {
  await peer.close()
  await home.remove()
})

describe('a cloud sandbox that is paused', () => {
  it('comes back ten times with every variable and file, also in another process', async () => {
    const { meter, stretches } = notingMeter()
    let provider = makeProvider({ meter })
    let sandbox = await open(provider)
    await runIn(sandbox, 'python', 'n = 0')
    await runIn(sandbox, 'bash', 'word=kept')
    for (let cycle = 1; cycle <= 10; cycle++) {
      await runIn(sandbox, 'python', `n += 1\nopen("file-${cycle}.txt", "w").write(str(n))`)
      must(await (sandbox.pause?.() ?? fail('sandbox.failed', 'cannot pause', '')))
      await sandbox.ended
      // Every other time by a process that knows nothing but the credentials.
      if (cycle % 2 === 0) provider = makeProvider({ meter })
      sandbox = must(await resume(provider, sandbox))
    }
    expect(await value(sandbox, 'n')).toBe('10')
    expect((await runIn(sandbox, 'bash', 'echo $word; cat file-*.txt | wc -c')).stdout).toBe('kept\n11\n')
    expect(stretches.map(({ begun }) => begun)).toEqual(['made', ...Array(10).fill('resumed')])
    expect(stretches.filter(({ over }) => over === null)).toHaveLength(1)
    await sandbox.close('manual')
    expect(stretches.every(({ over }) => over !== null)).toBe(true)
  })

  it('is woken when the service paused it by itself, and only the time awake is counted', async () => {
    const clock = new ManualClock()
    const { meter, stretches } = notingMeter()
    const sandbox = await open(makeProvider({ clock, meter }))
    const begun = clock.now()
    await runIn(sandbox, 'python', 'kept = 5')
    clock.set(begun + 25 * minute)
    peer.tireAll()
    expect(await value(sandbox, 'kept')).toBe('5')
    expect(stretches).toEqual([
      { begun: 'made', over: begun + tenMinutes },
      { begun: 'resumed', over: null },
    ])
    clock.set(clock.now() + 25 * minute)
    peer.tireAll()
    expect((await sandbox.files.list()).ok).toBe(true)
    clock.set(clock.now() + 25 * minute)
    peer.tireAll()
    expect(await sandbox.variables('python')).toMatchObject({ ok: true })
    await sandbox.close('manual')
  })

  it('is ended for good when it is not wanted any more', async () => {
    const provider = makeProvider()
    const sandbox = await open(provider)
    await sandbox.pause?.()
    await provider.pausing.discard(left(sandbox))
    expect(peer.boxes().some(({ id }) => sandbox.credentials?.includes(id))).toBe(false)
    expect(await resume(provider, sandbox)).toMatchObject({ problem: { code: 'sandbox.closed' } })
    expect(await provider.pausing.rest([left(sandbox)])).toEqual([])
  })

  it('is killed when it ends, and left alone when another process has it', async () => {
    const sandbox = await open(makeProvider())
    await sandbox.close('orphaned')
    expect(boxOf(sandbox).state).toBe('running')
    const taken = must(await resume(makeProvider(), sandbox))
    await taken.close('manual')
    expect(() => boxOf(sandbox)).toThrow('gone')
  })

  it('is left paused by a start that cannot reach the service, and by one without a key', async () => {
    const provider = makeProvider()
    const sandbox = await open(provider)
    await sandbox.pause?.()
    peer.failNext(/POST .*\/pause$/, { status: 500 })
    expect(await provider.pausing.rest([left(sandbox)])).toEqual([sandbox.id])
    const { E2B_API_KEY: _, ...env } = peer.env
    expect(await makeProvider({ env }).pausing.rest([left(sandbox)])).toEqual([sandbox.id])
    await provider.pausing.discard(left(sandbox))
  })
})

describe('the time that the service keeps a machine', () => {
  it('is extended with use, to what the settings say or what a run needs, and only when it is due', async () => {
    const clock = new ManualClock()
    const sandbox = await open(makeProvider({ clock, awakeMs: async () => 5 * minute }))
    const box = boxOf(sandbox)
    const run = (timeoutMs: number) => runIn(sandbox, 'python', '1', { limits: { ...limits, timeoutMs } })
    await run(1_000)
    expect(box.timeouts).toEqual([])
    clock.set(clock.now() + 2 * minute)
    await run(1_000)
    expect(box.timeouts).toEqual([300])
    await run(10 * minute)
    expect(box.timeouts).toEqual([300, 660])
    await sandbox.close('manual')
  })
})

describe('a copy of a cloud sandbox', () => {
  it('has its variables and files, and both go their own way', async () => {
    const sandbox = await open(makeProvider())
    await runIn(sandbox, 'python', 'numbers = [1, 2]\nopen("a.txt", "w").write("1")')
    const to = {
      tenant: testIds.make(TenantId),
      conversation: testIds.make(ConversationId),
      path: testIds.make(PathId),
    }
    const copy = must((await sandbox.fork?.(to)) ?? fail('sandbox.cannot-fork', 'no', ''))
    await runIn(copy, 'python', 'numbers.append(3)\nopen("b.txt", "w").write("2")')
    expect([await value(copy, 'numbers'), await value(sandbox, 'numbers')]).toEqual(['[1, 2, 3]', '[1, 2]'])
    expect(
      must(await copy.files.list())
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['a.txt', 'b.txt'])
    expect(must(await sandbox.files.list()).map(({ path }) => path)).toEqual(['a.txt'])
    expect(copy.id).not.toBe(sandbox.id)
    await sandbox.close('manual')
    expect(await value(copy, 'len(numbers)')).toBe('3')
    await copy.close('manual')
  })

  it('is not taken for one that was left behind while it is being made', async () => {
    let laterMs = 0
    const clock = { ...systemClock, now: () => systemClock.now() + laterMs }
    const { meter } = notingMeter()
    const provider: E2bProvider = makeProvider({
      clock,
      meter: {
        ...meter,
        async begin(of) {
          if (of.begun === 'forked') await provider.endOrphans?.()
          return meter.begin(of)
        },
      },
    })
    const sandbox = await open(provider)
    await runIn(sandbox, 'python', 'a = 1')
    laterMs = 6 * minute
    const copy = must((await sandbox.fork?.()) ?? fail('sandbox.cannot-fork', 'no', ''))
    expect(await value(copy, 'a')).toBe('1')
    await provider.close()
  })

  it('is said to be impossible where the service does not make one', async () => {
    const sandbox = await open(makeProvider())
    peer.failNext(/POST .*\/fork$/, { status: 404 })
    expect(await sandbox.fork?.()).toMatchObject({
      problem: { code: 'sandbox.cannot-fork', message: expect.stringContaining('copies no sandboxes') },
    })
    peer.failNext(/POST .*\/fork$/, { status: 429 })
    expect(await sandbox.fork?.()).toMatchObject({ problem: { message: expect.stringContaining('too many requests') } })
    await sandbox.close('manual')
  })
})

describe('the network of a cloud sandbox', () => {
  const granted = (...network: string[]) => {
    const run = clearedRun('python', 'print(1)')
    return { ...run, placement: { ...run.placement, network } }
  }

  it('is open to the granted hosts for one run, and shut after it', async () => {
    const sandbox = await open(makeProvider())
    const outcome = await sandbox.run(granted('https://api.example.org:443'), () => undefined, never)
    expect(outcome).toMatchObject({
      success: true,
      network: [],
      warnings: [expect.stringContaining('requests are not recorded')],
    })
    expect(boxOf(sandbox).network).toEqual([
      { allowOut: ['api.example.org'], denyOut: ['0.0.0.0/0'] },
      { allow_internet_access: false },
    ])
    await sandbox.run(granted(), () => undefined, never)
    expect(boxOf(sandbox).network).toHaveLength(2)
    await sandbox.close('manual')
  })

  it('is narrowed while a run goes on', async () => {
    const sandbox = await open(makeProvider())
    const run = granted('https://a.example.org:443', 'https://b.example.org:443')
    const code = 'import os, time\nprint(1)\nwhile not os.path.exists("go"): time.sleep(0.01)'
    let begun: () => void = () => undefined
    const started = new Promise<void>(resolve => {
      begun = resolve
    })
    const going = sandbox.run({ ...run, code }, () => begun(), never)
    await started
    await sandbox.narrow?.(['https://a.example.org:443'])
    await sandbox.narrow?.([])
    await sandbox.files.write('go', new Uint8Array())
    await going
    expect(boxOf(sandbox).network).toMatchObject([
      { allowOut: ['a.example.org', 'b.example.org'] },
      { allowOut: ['a.example.org'] },
      { allow_internet_access: false },
    ])
    await sandbox.close('manual')
  })

  it('is narrowed before the service has opened it', async () => {
    let sandbox: Sandbox | null = null
    const provider = makeProvider({
      guard: {
        ...unguarded,
        async pass(payload, conversation) {
          await sandbox?.narrow?.(['https://a.example.org:443'])
          return unguarded.pass(payload, conversation)
        },
      },
    })
    sandbox = await open(provider)
    await sandbox.run(granted('https://a.example.org:443', 'https://b.example.org:443'), () => undefined, never)
    expect(boxOf(sandbox).network).toMatchObject([{ allowOut: ['a.example.org'] }, { allow_internet_access: false }])
    await sandbox.close('manual')
  })

  it('refuses what the lists of the service cannot say, before anything leaves', async () => {
    const sandbox = await open(makeProvider())
    const before = peer.requests.length
    for (const rule of ['tcp://db.example.org:5432', 'https://a.example.org:8443', 'http://a.example.org:80']) {
      const outcome = await sandbox.run(granted(rule), () => undefined, never)
      expect(outcome.error).toMatchObject({ name: 'NotGranted', message: expect.stringContaining('lists of hosts') })
    }
    expect(peer.requests).toHaveLength(before)
    await sandbox.close('manual')
  })

  it('ends the machine when it cannot be shut again', async () => {
    const sandbox = await open(makeProvider())
    await runIn(sandbox, 'python', '1')
    peer.failNext(/POST \/execute/, 'cut-stream')
    peer.failNext(/PUT .*\/network$/, { until: Promise.resolve() })
    peer.failNext(/PUT .*\/network$/, { status: 500 })
    const outcome = await sandbox.run(granted('https://api.example.org:443'), () => undefined, never)
    expect(outcome.success).toBe(false)
    await sandbox.ended
    expect(() => boxOf(sandbox)).toThrow('gone')
  })
})

describe('what goes wrong at the service', () => {
  it('429 and 500 on waking leave the machine as it is', async () => {
    const provider = makeProvider()
    const sandbox = await open(provider)
    await runIn(sandbox, 'python', 'kept = 5')
    await sandbox.pause?.()
    for (const status of [429, 500]) {
      peer.failNext(/POST .*\/connect$/, { status })
      expect(await resume(provider, sandbox)).toMatchObject({ problem: { code: 'sandbox.failed' } })
    }
    const woken = must(await resume(provider, sandbox))
    expect(await value(woken, 'kept')).toBe('5')
    await woken.close('manual')
  })

  it('a stream that is cut is told, with what had come, and the variables stay', async () => {
    const sandbox = await open(makeProvider())
    await runIn(sandbox, 'python', 'kept = 5')
    peer.failNext(/POST \/execute/, 'cut-stream')
    const outcome = await runIn(sandbox, 'python', 'print("first")\nprint("second")')
    expect(outcome).toMatchObject({ success: false, error: { kind: expect.stringMatching('sandbox|killed') } })
    expect(await value(sandbox, 'kept')).toBe('5')
    await sandbox.close('manual')
  })

  it('a slow service is not waited for when nobody wants the sandbox any more; what comes late is found by its marks', async () => {
    const stop = new AbortController()
    const before = peer.boxes().length
    let answer: () => void = () => undefined
    const until = new Promise<void>(resolve => {
      answer = resolve
    })
    peer.failNext(/POST \/v2\/sandboxes$/, { until })
    const asked = peer.requests.length
    const opening = makeProvider().open({ limits }, stop.signal)
    await expect.poll(() => peer.requests.length).toBeGreaterThan(asked)
    stop.abort()
    expect(await opening).toMatchObject({ problem: { code: 'request.cancelled' } })
    answer()
    await expect.poll(() => peer.boxes().length).toBe(before + 1)
    const later = makeProvider({ clock: { ...systemClock, now: () => Date.now() + 10 * minute } })
    expect(await later.endOrphans()).toBe(before + 1)
  })

  it('a machine that expired while a run went on is told as lost, and the next one is new', async () => {
    const provider = makeProvider()
    const sandbox = await open(provider)
    const going = sandbox.run(
      clearedRun('python', 'print(1)\nimport time\ntime.sleep(60)'),
      () => void peer.loseAll(),
      never,
    )
    expect((await going).error).toMatchObject({ kind: expect.stringMatching('sandbox|killed') })
    const next = await open(provider)
    expect(await value(next, '1 + 1')).toBe('2')
    await next.close('manual')
  })

  it('a clock that is days off changes nothing: times are taken from this machine', async () => {
    const clock = new ManualClock()
    for (const days of [-400, 400]) {
      peer.skew.ms = days * 24 * 60 * minute
      const { meter, stretches } = notingMeter()
      const provider = makeProvider({ clock, meter })
      const sandbox = await open(provider)
      await runIn(sandbox, 'python', 'kept = 5')
      expect(await provider.endOrphans()).toBe(0)
      await sandbox.pause?.()
      const woken = must(await resume(provider, sandbox))
      expect(await value(woken, 'kept')).toBe('5')
      clock.set(clock.now() + minute)
      await woken.close('manual')
      expect(stretches.at(-1)?.over).toBe(clock.now())
    }
    peer.skew.ms = 0
  })

  it('limits, policy and consent are asked before each run and each machine', async () => {
    const may = { policy: true, person: true, limit: true }
    const meter = {
      ...notingMeter().meter,
      allowance: async () => (may.limit ? ok(['80 % is taken.']) : fail('cloud.limit', 'The limit is reached.', '')),
    }
    const provider = makeProvider({
      meter,
      isAllowed: async () => may.policy,
      mayLeave: async () => may.person,
    })
    const sandbox = await open(provider)
    expect((await runIn(sandbox, 'python', '1')).warnings).toEqual(['80 % is taken.'])
    const before = peer.requests.length
    for (const [name, code] of [
      ['policy', 'sandbox.unavailable'],
      ['person', 'cloud.not-allowed'],
      ['limit', 'cloud.limit'],
    ] as const) {
      may[name] = false
      expect((await runIn(sandbox, 'python', '1')).error?.name).toBe('NotSent')
      expect(await provider.open({ limits }, never)).toMatchObject({ problem: { code } })
      expect(await resume(provider, sandbox)).toMatchObject({ problem: { code } })
      may[name] = true
    }
    expect(peer.requests).toHaveLength(before)
    await sandbox.close('manual')
  })
})
