import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { RunId } from '../contract/ids.ts'
import { type Language, Limits, type Output } from '../contract/run.ts'
import { testContainers, testUserSpaceKernels } from './docker/engine.testing.ts'
import { localProvider } from './local/local.ts'
import { testMachines } from './microvm/machines.testing.ts'
import type { Sandbox, SandboxProvider } from './sandbox.ts'
import { clearedRun, runIn, temporaryHome, testIds, withTimeout } from './testing.ts'

/** What every back end that claims to be a sandbox must do. A new one adds a line here and passes all of it. */
const providers: Record<string, (home: string) => SandboxProvider> = {
  local: home => localProvider({ home, clock: systemClock, ids: testIds }),
  ...testContainers(),
  ...testUserSpaceKernels(),
  ...(process.env.COUNTERSIGN_TEST_MACHINES ? { microvm: testMachines } : {}),
}

const never = new AbortController().signal
const plain = (outputs: readonly Output[]) =>
  outputs.flatMap(output => (output.type === 'result' || output.type === 'display' ? [output.data['text/plain']] : []))

describe.each(Object.entries(providers))('the %s sandbox', (kind, makeProvider) => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: SandboxProvider
  let sandbox: Sandbox

  const open = async (limits: Partial<Limits> = {}) => {
    const opened = await provider.open({ limits: Limits.parse(limits) }, never)
    if (!opened.ok) throw new Error(opened.problem.message)
    return opened.value
  }

  beforeAll(async () => {
    home = await temporaryHome()
    provider = makeProvider(home.home)
    sandbox = await open()
  })

  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  // Emulated, on a machine that does other work beside, Deno alone may take the usual limit to start.
  const unhurried = kind === 'microvm' ? withTimeout(600_000) : {}
  const run = (language: Language, code: string, changes = {}) =>
    runIn(sandbox, language, code, { ...unhurried, ...changes })

  it('says what it is and what it can do', async () => {
    const { isolation, probes } = await provider.probe()
    expect(isolation).toBe(sandbox.isolation)
    expect(await provider.available()).toBe(isolation)
    expect(sandbox.describe()).toMatchObject({ kind: provider.kind, isolation, limits: Limits.parse({}) })
    expect(probes[0]).toMatchObject({ name: provider.kind, available: true })
  })

  describe('running code', () => {
    it.each([
      ['python', 'x = 20', 'x + 1', '21'],
      ['javascript', 'let x = 20', 'x + 1', '21'],
      ['typescript', 'let y: number = 20', '(y as number) + 1', '21'],
    ] as const)('keeps %s variables between runs and shows the last value', async (language, first, second, value) => {
      expect(await run(language, first)).toMatchObject({ success: true, exitCode: 0, error: null })
      const outcome = await run(language, second)
      expect(outcome.outputs).toMatchObject([{ type: 'result', data: { 'text/plain': value } }])
    })

    it('keeps shell variables, the working folder and functions in bash', async () => {
      await run('bash', 'greet() { echo "hello $1"; }; name=Ada; mkdir -p deep && cd deep')
      const outcome = await run('bash', 'greet "$name"; basename "$PWD"; cd ..')
      expect(outcome.stdout).toBe('hello Ada\ndeep\n')
    })

    it.each([
      ['python', 'import asyncio\nawait asyncio.sleep(0, "done")', "'done'"],
      ['javascript', 'await new Promise(resolve => setTimeout(() => resolve(7), 1))', '7'],
    ] as const)('awaits at the top level of %s', async (language, code, value) => {
      expect(plain((await run(language, code)).outputs)).toEqual([value])
    })

    it('gives code its arguments and its environment', async () => {
      const given = { args: ['one', 'two words'], env: { RATE: '0.25' } }
      const python = await run('python', 'import sys, os\nprint(sys.argv[1:], os.environ["RATE"])', given)
      expect(python.stdout).toBe("['one', 'two words'] 0.25\n")
      const bash = await run('bash', 'echo "$2 $RATE"', given)
      expect(bash.stdout).toBe('two words 0.25\n')
      const javascript = await run('javascript', 'console.log(Deno.args[1], env.RATE)', given)
      expect(javascript.stdout).toBe('two words 0.25\n')
    })

    it.each([
      ['python', 'import sys\nprint("a")\nprint("b", file=sys.stderr)\ndisplay(1)\nprint("c")', 'abDc'],
      ['javascript', 'console.log("a"); console.error("b"); display(1); console.log("c")', 'abDc'],
      ['bash', 'echo a; sleep 0.05; echo b >&2; sleep 0.05; echo c', 'abc'],
    ] as const)('shows %s output in the order in which it was made', async (language, code, order) => {
      const outcome = await run(language, code)
      const seen = outcome.shown.map(output =>
        output.type === 'stream' ? output.text.replaceAll('\n', '') : output.type === 'display' ? 'D' : '',
      )
      expect(seen.join('')).toBe(order)
      expect(outcome.outputs.map(output => output.type)).toEqual(outcome.shown.map(output => output.type))
    })

    it('shows output while the run goes on', async () => {
      const arrived: string[] = []
      let release: () => void = () => undefined
      const first = new Promise<void>(resolve => {
        release = resolve
      })
      const going = sandbox.run(
        clearedRun(
          'python',
          'import time, os\nprint("now")\nwhile not os.path.exists("go"): time.sleep(0.01)\nos.remove("go")',
        ),
        output => {
          if (output.type === 'stream') arrived.push(output.text)
          release()
        },
        never,
      )
      await first
      expect(arrived).toEqual(['now\n'])
      expect((await sandbox.files.write('go', new Uint8Array())).ok).toBe(true)
      expect((await going).success).toBe(true)
    })

    it('gives an object in all the forms that it knows', async () => {
      const outcome = await run(
        'python',
        'class Rich:\n    def _repr_html_(self): return "<b>x</b>"\n    def _repr_markdown_(self): return "**x**"\n    def __repr__(self): return "x"\nRich()',
      )
      expect(outcome.outputs).toMatchObject([
        { type: 'result', data: { 'text/html': '<b>x</b>', 'text/markdown': '**x**', 'text/plain': 'x' } },
      ])
      const javascript = await run('javascript', 'display({ _repr_html_: () => "<i>y</i>" })')
      expect(javascript.outputs).toMatchObject([{ type: 'display', data: { 'text/html': '<i>y</i>' } }])
    })
  })

  describe('when code fails', () => {
    it.each([
      ['python', '\n1/0', { kind: 'runtime', name: 'ZeroDivisionError', line: 2 }, 1],
      ['python', 'if True print()', { kind: 'syntax', name: 'SyntaxError', line: 1 }, 1],
      ['python', 'import sys; sys.exit(3)', { kind: 'runtime', name: 'SystemExit' }, 3],
      ['javascript', '\nthrow new TypeError("no")', { kind: 'runtime', name: 'TypeError', message: 'no', line: 2 }, 1],
      ['javascript', 'let 5', { kind: 'syntax', name: 'SyntaxError' }, 1],
      ['typescript', 'const x: = 5', { kind: 'syntax' }, 1],
      ['bash', 'false', { kind: 'runtime', name: 'ExitStatus' }, 1],
      ['bash', 'echo ok\nif then', { kind: 'syntax', name: 'SyntaxError', line: 2 }, 2],
    ] as const)('types the error of %s code %j', async (language, code, error, exitCode) => {
      const outcome = await run(language, code)
      expect(outcome).toMatchObject({ success: false, exitCode, error })
      expect(outcome.shown.at(-1)).toMatchObject({ type: 'error', error })
    })

    it('refuses input with a sentence that says why', async () => {
      const outcome = await run('python', 'input("name? ")')
      expect(outcome.error).toMatchObject({
        name: 'InputNotAvailable',
        message: expect.stringContaining('cannot ask for input'),
      })
    })

    it.each([
      ['python', 'kept = 5', 'while True: pass', 'kept', '5'],
      ['javascript', 'let kept = 5', 'await new Promise(() => {})', 'kept', '5'],
    ] as const)('stops %s at its time limit and keeps the variables', async (language, before, code, after, value) => {
      await run(language, before)
      const outcome = await run(language, code, withTimeout(300))
      expect(outcome).toMatchObject({ success: false, exitCode: null, error: { kind: 'timeout', name: 'TimeLimit' } })
      expect(plain((await run(language, after)).outputs)).toEqual([value])
    })

    it('stops a run when it is told to, and keeps the variables', async () => {
      await run('bash', 'kept=yes')
      const stop = new AbortController()
      const going = sandbox.run(clearedRun('bash', 'echo begun; while :; do :; done'), () => stop.abort(), stop.signal)
      expect(await going).toMatchObject({ success: false, error: { kind: 'killed', name: 'Interrupted' } })
      expect((await run('bash', 'echo $kept')).stdout).toBe('yes\n')
    })

    it('restarts the kernel of a language that can only be killed, and says so', async () => {
      await run('javascript', 'let lost = 1')
      const outcome = await run('javascript', 'for (;;) {}', withTimeout(300))
      expect(outcome.error).toMatchObject({ kind: 'timeout' })
      expect(outcome.outputs).toContainEqual({ type: 'notice', text: expect.stringContaining('variables are gone') })
      expect(plain((await run('javascript', 'typeof lost')).outputs)).toEqual(['"undefined"'])
    })
  })

  describe('what a run leaves', () => {
    it('names the files that it made, changed and removed', async () => {
      const first = await run('python', 'open("a.txt", "w").write("1")\nopen("b.txt", "w").write("1");')
      expect(first.files).toEqual({ created: ['a.txt', 'b.txt'], modified: [], deleted: [] })
      const second = await run('bash', 'echo 2 >> a.txt; rm b.txt')
      expect(second.files).toEqual({ created: [], modified: ['a.txt'], deleted: ['b.txt'] })
    })

    it('measures time, processor time and memory from outside', async () => {
      const outcome = await run(
        'python',
        'block = bytearray(100_000_000)\nn = sum(i for i in range(2_000_000))\ndel block',
      )
      expect(outcome.executionTimeMs).toBeGreaterThan(5)
      expect(outcome.cpuTimeMs).toBeGreaterThan(5)
      expect(outcome.peakMemoryBytes).toBeGreaterThan(100_000_000)
    })

    it('keeps the first characters of a long output, and all of it by the id of the run', async () => {
      const id = testIds.make(RunId)
      const outcome = await run('python', 'for i in range(20_000): print("line", i)', { id })
      expect(outcome).toMatchObject({ success: true, truncated: true })
      expect(outcome.stdout.length).toBe(50_000)
      const whole = String(await provider.readOutput(id, { offset: 0, length: 1_000_000 }))
      expect(whole.split('\n').at(-2)).toBe('line 19999')
      expect(whole.startsWith(outcome.stdout)).toBe(true)
      expect(await provider.readOutput(testIds.make(RunId), { offset: 0, length: 1 })).toBeNull()
    })
  })

  describe('its files', () => {
    it('are written, listed, read and removed through it', async () => {
      expect((await sandbox.files.write('data/in.csv', Buffer.from('a,b\n1,2\n'))).ok).toBe(true)
      expect((await run('python', 'print(open("data/in.csv").read())')).stdout).toContain('1,2')
      expect(await sandbox.files.list('data')).toMatchObject({
        ok: true,
        value: [{ path: 'data/in.csv', kind: 'file', bytes: 8 }],
      })
      const part = await sandbox.files.read('data/in.csv', { offset: 4, length: 3 })
      expect(part.ok && Buffer.from(part.value).toString()).toBe('1,2')
      expect((await sandbox.files.remove('data/in.csv')).ok).toBe(true)
      expect(await sandbox.files.read('data/in.csv')).toMatchObject({ ok: false, problem: { code: 'not-found' } })
    })

    it.each(['../x', '/etc/passwd', 'a/../../x'])('do not reach %s', async path => {
      expect(await sandbox.files.read(path)).toMatchObject({ ok: false, problem: { code: 'sandbox.refused-path' } })
    })
  })

  describe('questions about live state', () => {
    it('lists variables with type, shape and preview', async () => {
      await run('python', 'numbers = [1, 2, 3]\nname = "Ada"')
      const answer = await sandbox.variables('python')
      expect(answer.ok && answer.value).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'numbers', type: 'list', shape: '3', preview: '[1, 2, 3]' }),
          expect.objectContaining({ name: 'name', type: 'str', preview: "'Ada'" }),
        ]),
      )
    })

    it.each([
      ['python', 'numbers = []', 'numbers.app', 'append'],
      ['javascript', 'const list = []', 'list.pus', 'push'],
      ['bash', 'long_name=1', 'long_na', 'long_name'],
    ] as const)('completes %s from what is there', async (language, before, code, label) => {
      await run(language, before)
      const answer = await sandbox.complete(language, code, code.length)
      expect(answer.ok && answer.value.map(found => found.label)).toContain(label)
    })

    it('answers whoever asks at the same time as others', async () => {
      await run('python', 'both = 1')
      const answers = await Promise.all([sandbox.variables('python'), sandbox.complete('python', 'bot', 3)])
      expect(answers).toMatchObject([{ ok: true }, { ok: true, value: [{ label: 'both' }] }])
    })

    it('does not hold up a run that comes while a question is on its way', async () => {
      for (let turn = 0; turn < 20; turn++) {
        const question = sandbox.variables('python')
        const outcome = await run('python', 'import subprocess; subprocess.run(["sleep", "0.01"]).returncode')
        expect(outcome).toMatchObject({ success: true, outputs: [{ data: { 'text/plain': '0' } }] })
        await question
      }
    })

    it('names what the analyst made before what everything has', async () => {
      await run('python', 'class Book:\n    def expand(self): pass\nbook = Book(); book.exposure = 1.5; expired = 1')
      const labels = async (code: string) => {
        const answer = await sandbox.complete('python', code, code.length)
        return answer.ok && answer.value.map(({ label, detail }) => [label, detail])
      }
      expect(await labels('book.exp')).toEqual([
        ['exposure', 'float'],
        ['expand', undefined],
      ])
      expect(await labels('ex')).toEqual(
        expect.arrayContaining([
          ['expired', 'int'],
          ['except', undefined],
        ]),
      )
    })

    it('explains what stands under the cursor', async () => {
      await run('python', 'def tax(income: float, rate=0.2):\n    "What is owed."\n    return income * rate')
      expect(await sandbox.hover('python', 'tax(5)', 1)).toMatchObject({
        ok: true,
        value: { signature: 'tax(income: float, rate=0.2)', documentation: 'What is owed.', type: 'function' },
      })
    })

    it('explains JavaScript too', async () => {
      await run('javascript', 'function owed(income, rate = 0.2) { return income * rate }')
      expect(await sandbox.hover('javascript', 'owed(5)', 1)).toMatchObject({
        ok: true,
        value: { signature: 'function owed(income, rate = 0.2)', type: 'Function' },
      })
    })

    it('never waits for a __repr__ that does not end, and keeps the variables', async () => {
      await run('python', 'class Trap:\n    def __repr__(self):\n        while True: pass\ntrap = Trap(); safe = 5')
      expect(await sandbox.variables('python')).toMatchObject({ ok: false })
      expect(plain((await run('python', 'del trap\nsafe')).outputs)).toEqual(['5'])
    })
  })

  it('runs one thing at a time, in order', async () => {
    const outcomes = await Promise.all([1, 2, 3].map(n => run('python', `print(${n})`)))
    expect(outcomes.map(outcome => outcome.stdout)).toEqual(['1\n', '2\n', '3\n'])
  })

  it('forgets variables on restart and keeps files', async () => {
    await run('python', 'open("kept.txt", "w").write("1")\nforgotten = 1')
    await sandbox.restart()
    expect((await run('python', 'forgotten')).error).toMatchObject({ name: 'NameError' })
    expect((await run('python', 'print(open("kept.txt").read())')).stdout).toBe('1\n')
  })

  it('keeps two sandboxes apart', async () => {
    const other = await open()
    await run('python', 'secret = 1\nopen("mine.txt", "w").write("x")')
    const outcome = await runIn(other, 'python', 'import os\nprint("secret" in globals(), os.path.exists("mine.txt"))')
    expect(outcome.stdout).toBe('False False\n')
    await other.close('manual')
  })

  it('is gone after it was closed', async () => {
    const short = await open()
    await short.close('manual')
    await short.ended
    expect((await runIn(short, 'python', '1')).error).toMatchObject({ kind: 'sandbox' })
    expect(await short.variables('python')).toMatchObject({ ok: false, problem: { code: 'sandbox.closed' } })
  })
})
