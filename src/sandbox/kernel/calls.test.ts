import { duplexPair } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { type Language, Limits } from '../../contract/run.ts'
import { type ToolGrant, toolLimits } from '../../contract/tools.ts'
import { localProvider } from '../local/local.ts'
import type { Sandbox, SandboxProvider, ToolCallRequest, ToolCalls, ToolReply } from '../sandbox.ts'
import { clearedRun, temporaryHome, testIds } from '../testing.ts'
import { Calls } from './calls.ts'
import { encodeFrame, type Frame, FrameDecoder } from './frames.ts'
import { Link } from './link.ts'

const grant = (server: string, tool: string): ToolGrant => ({
  server,
  tool,
  calledAs: { server, tool },
  hash: '0'.repeat(64),
  description: '',
  effect: 'reads',
})
const tools = ['echo', 'fail', 'hang', 'large', 'pair'].map(name => grant('demo', name))

const json = (value: unknown): ToolReply => ({ ok: true, value: Buffer.from(JSON.stringify(value)) })

/** Tools that answer as their names say, and note who asked for what. */
function answering() {
  const asked: string[] = []
  const stopped: string[] = []
  let begun: () => void = () => undefined
  const hangs = new Promise<void>(resolve => {
    begun = resolve
  })
  const pairs: (() => void)[] = []
  const calls: ToolCalls = {
    async call({ tool, args, files, signal }: ToolCallRequest) {
      asked.push(tool)
      const given = JSON.parse(Buffer.from(args).toString())
      if (tool === 'demo.fail') return { ok: false, code: 'tool.failed', message: 'the ledger is closed' }
      if (tool === 'demo.large') {
        const text = JSON.stringify('x'.repeat(given.bytes))
        if (text.length <= toolLimits.bytes) return { ok: true, value: Buffer.from(text) }
        await files.write('large.json', Buffer.from(text))
        return { ok: true, file: 'large.json', bytes: text.length }
      }
      // Answers in twos: code that waits for the first before it asks for the second would wait for ever.
      if (tool === 'demo.pair') {
        await new Promise<void>(resolve => {
          pairs.push(resolve)
          if (pairs.length === 2) for (const go of pairs.splice(0)) go()
        })
      }
      if (tool === 'demo.hang') {
        await new Promise<void>(resolve => {
          signal.addEventListener('abort', () => {
            stopped.push(tool)
            resolve()
          })
          begun()
        })
      }
      return json(given)
    },
  }
  return { calls, asked, stopped, hangs }
}

describe('tools in cells', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: SandboxProvider
  let sandbox: Sandbox

  beforeAll(async () => {
    home = await temporaryHome()
    provider = localProvider({ home: home.home, clock: systemClock, ids: testIds })
    const opened = await provider.open({ limits: Limits.parse({}) }, new AbortController().signal)
    if (!opened.ok) throw new Error(opened.problem.message)
    sandbox = opened.value
  })
  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  const run = (language: Language, code: string, given = answering(), options: Options = {}) =>
    sandbox.run(
      clearedRun(language, code, {
        placement: { tools: options.none ? [] : tools } as never,
        limits: Limits.parse({ timeoutMs: options.timeoutMs ?? 60_000 }),
      }),
      () => undefined,
      options.signal ?? new AbortController().signal,
      given.calls,
    )
  interface Options {
    none?: boolean
    timeoutMs?: number
    signal?: AbortSignal
  }

  it.each([
    ['python', 'print(tools.demo.echo({"a": [1, "ü"]}), tools.demo.echo(b=2))', "{'a': [1, 'ü']} {'b': 2}\n"],
    ['javascript', 'console.log(JSON.stringify(await tools.demo.echo({ a: [1, "ü"] })))', '{"a":[1,"ü"]}\n'],
    ['typescript', 'const a: any = await tools.demo.echo({ a: 1 }); console.log(a.a as number)', '1\n'],
  ] as const)('are called from %s', async (language, code, stdout) => {
    expect(await run(language, code)).toMatchObject({ error: null, stdout })
  })

  it.each([
    [
      'python threads',
      'python',
      `from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(sum(each["n"] for each in pool.map(lambda n: tools.demo.pair(n=n), range(40))))`,
    ],
    [
      'python await',
      'python',
      `import asyncio
print(sum(each["n"] for each in await asyncio.gather(*(tools.demo.pair.aio(n=n) for n in range(40)))))`,
    ],
    [
      'javascript',
      'javascript',
      `const all = await Promise.all([...Array(40).keys()].map(n => tools.demo.pair({ n })))
console.log(all.reduce((sum, { n }) => sum + n, 0))`,
    ],
  ] as const)('several are under way at once in %s', async (_name, language, code) => {
    expect(await run(language, code)).toMatchObject({ error: null, stdout: '780\n' })
  })

  it('a display between two calls, and one in another thread, mix nothing up', async () => {
    const code = `from threading import Thread
seen = []
other = Thread(target=lambda: seen.extend(tools.demo.echo(n=n)["n"] for n in range(30)))
other.start()
for n in range(30):
    display(n)
    assert tools.demo.echo(n=n) == {"n": n}
other.join()
print(seen == list(range(30)))`
    const outcome = await run('python', code)
    expect(outcome).toMatchObject({ error: null, stdout: 'True\n' })
    expect(outcome.outputs.filter(({ type }) => type === 'display')).toHaveLength(30)
  })

  it.each([
    ['python', 'try:\n    tools.demo.fail()\nexcept ToolError as error:\n    print(error.code, error.tool, error)'],
    ['javascript', 'try { await tools.demo.fail() } catch (e) { console.log(e.code, e.tool, e.message) }'],
  ] as const)('an error is an exception with a code in %s', async (language, code) => {
    expect(await run(language, code)).toMatchObject({ stdout: 'tool.failed demo.fail the ledger is closed\n' })
    const uncaught = await run(language, language === 'python' ? 'tools.demo.fail()' : 'await tools.demo.fail()')
    expect(uncaught.error).toMatchObject({ kind: 'runtime', name: 'ToolError', message: 'the ledger is closed' })
  })

  it.each([
    ['python', 'try:\n    tools.demo.nothing()\nexcept ToolError as e:\n    print(e)'],
    ['javascript', 'try { tools.other.nothing() } catch (e) { console.log(e.message) }'],
  ] as const)('what was not granted is said in a sentence, and nobody is asked, in %s', async (language, code) => {
    const given = answering()
    expect((await run(language, code, given)).stdout).toContain('is not granted to this run')
    expect((await run(language, code, given, { none: true })).stdout).toContain('is not granted to this run')
    expect(given.asked).toEqual([])
  })

  it.each([
    ['python', 'keep = tools.demo.echo', 'try:\n    keep()\nexcept ToolError as e:\n    print(e.code)'],
    [
      'javascript',
      'globalThis.keep = tools.demo.echo',
      'await keep().then(() => console.log("called"), e => console.log(e.code))',
    ],
  ] as const)('a function that was kept is of no use to a later run in %s', async (language, first, second) => {
    await run(language, first)
    const given = answering()
    expect(await run(language, second, given)).toMatchObject({ stdout: 'tool.run-over\n' })
    expect(given.asked).toEqual([])
  })

  it('namespaces cannot be changed', async () => {
    expect(await run('python', 'tools.demo.echo = print')).toMatchObject({ error: { name: 'AttributeError' } })
    const code = '"use strict"; try { tools.demo.echo = 1; console.log("set") } catch { console.log("frozen") }'
    expect(await run('javascript', code)).toMatchObject({ stdout: 'frozen\n' })
  })

  it.each(['python', 'javascript'] as const)('a long result is a file of the working folder in %s', async language => {
    const bytes = 3 << 20
    const code =
      language === 'python'
        ? `print(len(tools.demo.large(bytes=900_000)), len(tools.demo.large(bytes=${bytes}).json()))`
        : `console.log((await tools.demo.large({ bytes: 900_000 })).length, (await (await tools.demo.large({ bytes: ${bytes} })).json()).length)`
    expect(await run(language, code)).toMatchObject({ error: null, stdout: `900000 ${bytes}\n` })
  })

  it.each(['python', 'javascript'] as const)(
    'stops at once while a call waits, and keeps variables in %s',
    async language => {
      const given = answering()
      const stop = new AbortController()
      const code = language === 'python' ? 'kept = 42\ntools.demo.hang()' : 'var kept = 42\nawait tools.demo.hang()'
      const running = run(language, code, given, { signal: stop.signal })
      await given.hangs
      stop.abort()
      const outcome = await running
      expect(outcome.error).toMatchObject({ name: 'Interrupted' })
      expect(outcome.warnings).toEqual([])
      expect(given.stopped).toEqual(['demo.hang'])
      expect(await run(language, language === 'python' ? 'print(kept)' : 'console.log(kept)')).toMatchObject({
        stdout: '42\n',
      })
    },
  )

  it('the clock stands still while a call waits, and runs on after it', async () => {
    let answer: (reply: ToolReply) => void = () => undefined
    const asked = Promise.withResolvers<void>()
    const calls: ToolCalls = {
      call: () =>
        new Promise(resolve => {
          answer = resolve
          asked.resolve()
        }),
    }
    const running = run('python', 'tools.demo.echo()\nwhile True: pass', { ...answering(), calls }, { timeoutMs: 1000 })
    await asked.promise
    const { resolve, promise } = Promise.withResolvers<void>()
    systemClock.after(1500, resolve)
    await promise
    answer(json({}))
    const outcome = await running
    // The loop had what was left of its second; without the pause the run would have ended before the answer came.
    expect(outcome.error).toMatchObject({ name: 'TimeLimit' })
    expect(outcome.executionTimeMs).toBeGreaterThan(2000)
  })

  it('more calls than may be open wait for their turn; more than a run may make are refused', async () => {
    let [open, most] = [0, 0]
    const calls: ToolCalls = {
      async call() {
        most = Math.max(most, ++open)
        await new Promise(resolve => setImmediate(resolve))
        open -= 1
        return json(1)
      },
    }
    const code = `let [good, bad] = [0, 0]
await Promise.all([...Array(205)].map(() => tools.demo.echo().then(() => good++, e => { if (e.code === 'tool.limit') bad++ })))
console.log(good, bad)`
    expect(await run('javascript', code, { ...answering(), calls })).toMatchObject({ stdout: '200 5\n' })
    expect(most).toBeLessThanOrEqual(toolLimits.open)
  })

  it('a kernel that speaks for another run, or nonsense, is not heard', async () => {
    const given = answering()
    const code = `import os, json, struct, socket
s = socket.socket(fileno=os.dup(250))
def say(header, payload=b""):
    body = json.dumps(header).encode()
    s.sendall(struct.pack("<II", len(body), len(payload)) + body + payload)
say({"type": "call", "k": "x", "tool": "demo.echo"}, b"{}")
say({"type": "call", "k": 900, "tool": ["demo.echo"]}, b"{}")
say({"type": "call", "run": "another", "c": 7, "k": 901, "tool": "demo.echo"}, b'{"forged": true}')
say({"type": "called", "k": 1, "ok": True}, b"1")
print(tools.demo.echo(n=1))`
    // The third is this run's own call, whatever it says of itself; it goes where the code could have called anyway.
    expect(await run('python', code, given)).toMatchObject({ error: null, stdout: "{'n': 1}\n" })
    expect(given.asked).toEqual(['demo.echo', 'demo.echo'])
    const silent = answering()
    expect(await run('python', `${code.split('\nprint')[0]}\nprint("alive")`, silent, { none: true })).toMatchObject({
      stdout: 'alive\n',
    })
    expect(silent.asked).toEqual([])
  })
})

describe('frames of calls on the link', () => {
  function kit() {
    const [host, guest] = duplexPair()
    const link = new Link(host)
    const calls = new Calls(link, { write: async () => ({ ok: true, value: undefined }) })
    link.listen(frame => {
      calls.receive(frame)
      return undefined
    })
    const told: Frame[] = []
    const decoder = new FrameDecoder()
    guest.on('data', data => told.push(...decoder.feed(data)))
    const say = (header: Record<string, unknown>, payload = Buffer.from('{}')) =>
      void guest.write(encodeFrame({ type: 'call', ...header }, payload))
    return { link, calls, say, told }
  }

  it.each([
    [
      'a number that was used',
      [
        { run: 'r', c: 1, tool: 'a.b' },
        { run: 'r', c: 1, tool: 'a.b' },
      ],
    ],
    ['a number from the future', [{ run: 'r', c: 5, tool: 'a.b' }]],
    ['no number', [{ run: 'r', tool: 'a.b' }]],
    ['a name without an end', [{ run: 'r', c: 1, tool: 'x'.repeat(201) }]],
  ])('%s ends the link', async (_what, frames) => {
    const { link, say } = kit()
    for (const frame of frames) say(frame)
    await link.closed
  })

  it('arguments that are too long end the link: the supervisor does not pass them on', async () => {
    const { link, say } = kit()
    say({ run: 'r', c: 1, tool: 'a.b' }, Buffer.alloc(toolLimits.bytes + 1))
    await link.closed
  })

  it('a run makes no more calls than it may, whatever its supervisor passes on', async () => {
    const { calls, say, told } = kit()
    let asked = 0
    calls.begin('mine', {
      async call() {
        asked += 1
        return json(1)
      },
    })
    for (let c = 1; c <= toolLimits.perRun + 1; c++) say({ run: 'mine', c, tool: 'a.b' })
    await expect.poll(() => told.length).toBe(toolLimits.perRun + 1)
    expect(asked).toBe(toolLimits.perRun)
    expect(told.filter(({ header }) => !header.ok)).toMatchObject([{ header: { code: 'tool.limit' } }])
  })

  it('calls that wait for their turn hold no more than they may', async () => {
    const { calls, say, told } = kit()
    calls.begin('mine', { call: () => new Promise(() => undefined) })
    const megabyte = Buffer.alloc(toolLimits.bytes)
    for (let c = 1; c <= 2 * toolLimits.open + 1; c++) say({ run: 'mine', c, tool: 'a.b' }, megabyte)
    await expect.poll(() => told.length).toBe(1)
    expect(told[0]?.header).toMatchObject({ ok: false, message: expect.stringContaining('too long') })
  })

  it('a call of another run reaches nobody', async () => {
    const { calls, say, told } = kit()
    const asked: string[] = []
    calls.begin('mine', {
      async call({ tool }) {
        asked.push(tool)
        return json(1)
      },
    })
    say({ run: 'another', c: 1, tool: 'a.b' })
    say({ run: 'mine', c: 2, tool: 'a.c' })
    await expect.poll(() => told.length).toBe(2)
    expect(asked).toEqual(['a.c'])
    expect(told.map(({ header }) => [header.c, header.ok])).toEqual([
      [1, false],
      [2, true],
    ])
  })
})
