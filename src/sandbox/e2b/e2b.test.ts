import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { ConversationId, PathId, RunId, TenantId } from '../../contract/ids.ts'
import { type Language, Limits, type Output } from '../../contract/run.ts'
import type { Sandbox } from '../sandbox.ts'
import { clearedRun, type RunChanges, runIn, temporaryHome, testIds, withTimeout } from '../testing.ts'
import type { E2bOptions } from './e2b.ts'
import { type Fault, type Peer, startPeer } from './testing/peer.testing.ts'
import { openProvider } from './testing/provider.testing.ts'

const never = new AbortController().signal

/** `node scripts/test-e2b.mjs` runs the first part against the service itself. */
const service = process.env.COUNTERSIGN_TEST_SERVICE === 'e2b' ? process.env : null

let home: Awaited<ReturnType<typeof temporaryHome>>
let peer: Peer
const makeProvider = (changes: Partial<E2bOptions> = {}) => openProvider({ home: home.home, env: peer.env, ...changes })
const open = async (provider = makeProvider()) => {
  const opened = await provider.open({ limits: Limits.parse({}) }, never)
  if (!opened.ok) throw new Error(opened.problem.message)
  return opened.value
}
const plain = (outputs: readonly Output[]) =>
  outputs.flatMap(output => (output.type === 'result' || output.type === 'display' ? [output.data['text/plain']] : []))

beforeAll(async () => {
  home = await temporaryHome()
  peer = await startPeer()
})
afterAll(async () => {
  await peer.close()
  await home.remove()
})

describe('a cloud sandbox, through the SDK', () => {
  let sandbox: Sandbox
  let provider: ReturnType<typeof makeProvider>
  const run = (language: Language, code: string, changes: RunChanges = {}) => runIn(sandbox, language, code, changes)

  beforeAll(async () => {
    provider = makeProvider({ env: service ?? peer.env })
    sandbox = await open(provider)
  })
  afterAll(() => provider.close())

  it('says what it is', async () => {
    expect(await provider.available()).toBe('cloud')
    expect((await provider.probe()).probes).toMatchObject([{ name: 'e2b', available: true }])
    expect(sandbox.describe()).toMatchObject({ kind: 'e2b', isolation: 'cloud', limits: Limits.parse({}) })
  })

  it.each([
    ['python', 'x = 20', 'x + 1', '21'],
    ['javascript', 'let x = 20', 'x + 1', '21'],
    ['typescript', 'let y: number = 20', '(y as number) + 1', '21'],
    ['python', 'import asyncio', 'await asyncio.sleep(0, "done")', "'done'"],
  ] as const)('keeps %s variables between runs and shows the last value', async (language, first, second, value) => {
    expect(await run(language, first)).toMatchObject({ success: true, exitCode: 0, error: null })
    expect((await run(language, second)).outputs).toMatchObject([{ type: 'result', data: { 'text/plain': value } }])
  })

  it('keeps shell variables, the working folder and functions in bash', async () => {
    await run('bash', 'greet() { echo "hello $1"; }; name=Ada; mkdir -p deep && cd deep')
    expect((await run('bash', 'greet "$name"; basename "$PWD"; cd ..')).stdout).toBe('hello Ada\ndeep\n')
  })

  it('gives code its arguments and its environment', async () => {
    const given = { args: ['one', "it's two"], env: { RATE: '0.25' } }
    const python = await run('python', 'import sys, os\nprint(sys.argv[1:], os.environ["RATE"])', given)
    expect(python.stdout).toBe(`['one', "it's two"] 0.25\n`)
    expect((await run('bash', 'echo "$2 $RATE"', given)).stdout).toBe("it's two 0.25\n")
    expect((await run('python', 'print(sys.argv[1:])')).stdout).toBe('[]\n')
  })

  it('shows output in order and while the run goes on, in all its forms', async () => {
    let release: () => void = () => undefined
    const first = new Promise<void>(resolve => {
      release = resolve
    })
    const code = 'import time, os\nprint("now")\nwhile not os.path.exists("go"): time.sleep(0.01)\nos.remove("go")'
    const going = sandbox.run(clearedRun('python', code), () => release(), never)
    await first
    expect((await sandbox.files.write('go', new Uint8Array())).ok).toBe(true)
    expect((await going).success).toBe(true)
    const rich = 'class Rich:\n    def _repr_html_(self): return "<b>x</b>"\n    def __repr__(self): return "x"\n'
    const shown = await run('python', `${rich}import sys\nprint("a")\nprint("b", file=sys.stderr)\ndisplay(1)\nRich()`)
    expect(shown.outputs).toMatchObject([
      { type: 'stream', name: 'stdout', text: 'a\n' },
      { type: 'stream', name: 'stderr', text: 'b\n' },
      { type: 'display', data: { 'text/plain': '1' } },
      { type: 'result', data: { 'text/html': '<b>x</b>', 'text/plain': 'x' } },
    ])
  })

  it.each([
    ['python', '\n1/0', { kind: 'runtime', name: 'ZeroDivisionError', line: 2 }, 1],
    ['python', 'if True print()', { kind: 'syntax', name: 'SyntaxError', line: 1 }, 1],
    ['python', 'import sys; sys.exit(3)', { kind: 'runtime', name: 'SystemExit' }, 3],
    ['javascript', '\nthrow new TypeError("no")', { kind: 'runtime', name: 'TypeError', message: 'no', line: 2 }, 1],
    ['bash', 'exit 4', { kind: 'runtime', name: 'ExitStatus' }, 4],
  ] as const)('types the error of %s code %j', async (language, code, error, exitCode) => {
    const outcome = await run(language, code)
    expect(outcome).toMatchObject({ success: false, exitCode, error })
    expect(outcome.shown.at(-1)).toMatchObject({ type: 'error', error })
  })

  it('stops Python at its time limit and keeps the variables', async () => {
    await run('python', 'kept = 5')
    const outcome = await run('python', 'while True: pass', withTimeout(300))
    expect(outcome).toMatchObject({ success: false, exitCode: null, error: { kind: 'timeout', name: 'TimeLimit' } })
    expect(plain((await run('python', 'kept')).outputs)).toEqual(['5'])
  })

  it('ends a kernel that can only be killed, and says so', async () => {
    await run('javascript', 'let lost = 1')
    const outcome = await run('javascript', 'for (;;) {}', withTimeout(300))
    expect(outcome.error).toMatchObject({ kind: 'timeout' })
    expect(outcome.outputs).toContainEqual({ type: 'notice', text: expect.stringContaining('variables are gone') })
    expect(plain((await run('javascript', 'typeof lost')).outputs)).toEqual(["'undefined'"])
  })

  it('tells of a kernel that ended with its code, and starts another', async () => {
    const outcome = await run('python', 'import os; os._exit(1)')
    expect(outcome.error).toMatchObject({ kind: 'killed', name: 'KernelEnded' })
    expect((await run('python', 'print(1)')).stdout).toBe('1\n')
  })

  it('stops a run when it is told to, and keeps the variables', async () => {
    await run('bash', 'kept=yes')
    const stop = new AbortController()
    const going = sandbox.run(clearedRun('bash', 'echo begun; while :; do :; done'), () => stop.abort(), stop.signal)
    expect(await going).toMatchObject({ success: false, error: { kind: 'killed', name: 'Interrupted' } })
    expect((await run('bash', 'echo $kept')).stdout).toBe('yes\n')
  })

  it('names the files that a run made, changed and removed', async () => {
    const first = await run('python', 'open("a.txt", "w").write("1")\nopen("b.txt", "w").write("1");')
    expect(first.files).toEqual({ created: ['a.txt', 'b.txt'], modified: [], deleted: [] })
    const second = await run('bash', 'echo 2 >> a.txt; rm b.txt')
    expect(second.files).toEqual({ created: [], modified: ['a.txt'], deleted: ['b.txt'] })
  })

  it('keeps the first characters of a long output, and all of it by the id of the run', async () => {
    const id = testIds.make(RunId)
    const outcome = await run('bash', 'seq 1 20000', { id })
    expect(outcome).toMatchObject({ success: true, truncated: true })
    const whole = String(await provider.readOutput(id, { offset: 0, length: 1_000_000 }))
    expect(whole.endsWith('20000\n')).toBe(true)
  })

  it('stops a run that writes without end', async () => {
    const opened = await provider.open({ limits: Limits.parse({ diskBytes: 100_000 }) }, never)
    const outcome = opened.ok && (await runIn(opened.value, 'bash', 'yes'))
    expect(outcome).toMatchObject({ error: { kind: 'killed', name: 'OutputLimit' } })
  })

  it('writes, lists, reads and removes files, and reaches no other folder', async () => {
    expect((await sandbox.files.write('data/in.csv', Buffer.from('a,b\n'))).ok).toBe(true)
    expect((await sandbox.files.write('data/in.csv', Buffer.from('1,2\n'), { append: true })).ok).toBe(true)
    expect((await run('python', 'print(open("data/in.csv").read())')).stdout).toContain('1,2')
    expect(await sandbox.files.list('data')).toMatchObject({
      value: [{ path: 'data/in.csv', kind: 'file', bytes: 8 }],
    })
    const part = await sandbox.files.read('data/in.csv', { offset: 4, length: 3 })
    expect(part.ok && Buffer.from(part.value).toString()).toBe('1,2')
    expect((await sandbox.files.remove('data/in.csv')).ok).toBe(true)
    expect(await sandbox.files.read('data/in.csv')).toMatchObject({ problem: { code: 'not-found' } })
    for (const path of ['../x', '/etc/passwd', 'a/../../x'])
      expect(await sandbox.files.read(path)).toMatchObject({ problem: { code: 'sandbox.refused-path' } })
  })

  it('takes no file that is longer than its limit, and reads one in pieces until a run changes it', async () => {
    const opened = await provider.open({ limits: Limits.parse({ diskBytes: 100_000 }) }, never)
    if (!opened.ok) throw new Error(opened.problem.message)
    const { files } = opened.value
    const part = async (offset: number, length: number) => {
      const read = await files.read('small', { offset, length })
      return read.ok && Buffer.from(read.value).toString()
    }
    await runIn(opened.value, 'bash', 'truncate -s 3G huge; printf 0123456789 > small')
    expect(await files.read('huge')).toMatchObject({ problem: { code: 'request.too-large' } })
    expect([await part(0, 6), await part(6, 6), await part(4, 2)]).toEqual(['012345', '6789', '45'])
    expect(await part(0, 6)).toBe('012345')
    await runIn(opened.value, 'bash', 'printf abcdefghij > small')
    expect(await part(6, 6)).toBe('ghij')
  })

  it('sends no file that cannot be checked', async () => {
    const binary = Buffer.from([0x50, 0x4b, 0, 0xff])
    expect(await sandbox.files.write('book.xlsx', binary)).toMatchObject({ problem: { code: 'privacy.held' } })
  })

  it('answers questions about live state', async () => {
    await run('python', 'numbers = [1, 2, 3]\ndef tax(income: float, rate=0.2):\n    "What is owed."')
    const variables = await sandbox.variables('python')
    expect(variables.ok && variables.value).toContainEqual(
      expect.objectContaining({ name: 'numbers', type: 'list', shape: '3', preview: '[1, 2, 3]' }),
    )
    expect(await sandbox.hover('python', 'tax(5)', 1)).toMatchObject({
      value: { signature: 'tax(income: float, rate=0.2)', documentation: 'What is owed.' },
    })
    await run('javascript', 'const list = []')
    await run('bash', 'long_name=1')
    for (const [language, code, label] of [
      ['python', 'numbers.app', 'append'],
      ['javascript', 'list.pus', 'push'],
      ['bash', 'long_na', 'long_name'],
    ] as const) {
      const answer = await sandbox.complete(language, code, code.length)
      expect(answer.ok && answer.value.map(found => found.label)).toContain(label)
    }
    expect(await sandbox.table('python', 'numbers', 0)).toMatchObject({ problem: { code: 'sandbox.no-table' } })
    expect(await sandbox.variables('bash')).toMatchObject({ ok: false })
    if (!service) expect(await sandbox.usage()).toMatchObject({ memoryBytes: 5_000_000, diskBytes: 7_000 })
  })

  it('never waits for a __repr__ that does not end, and keeps the variables', async () => {
    await run('python', 'class Trap:\n    def __repr__(self):\n        while True: pass\ntrap = Trap(); safe = 5')
    expect(await sandbox.variables('python')).toMatchObject({ ok: false })
    expect(plain((await run('python', 'del trap\nsafe')).outputs)).toEqual(['5'])
  })

  it('runs one thing at a time, and forgets variables on restart but keeps files', async () => {
    const outcomes = await Promise.all([1, 2, 3].map(n => run('python', `print(${n})`)))
    expect(outcomes.map(outcome => outcome.stdout)).toEqual(['1\n', '2\n', '3\n'])
    await run('python', 'open("kept.txt", "w").write("1")\nforgotten = 1')
    await sandbox.restart()
    expect((await run('python', 'forgotten')).error).toMatchObject({ name: 'NameError' })
    expect((await run('python', 'print(open("kept.txt").read())')).stdout).toBe('1\n')
  })

  it('is gone after it was closed', async () => {
    const short = await open(provider)
    await short.close('manual')
    await short.ended
    expect((await runIn(short, 'python', '1')).error).toMatchObject({ kind: 'sandbox', name: 'SandboxClosed' })
    expect(await short.variables('python')).toMatchObject({ problem: { code: 'sandbox.closed' } })
  })
})

describe('making a cloud sandbox', () => {
  it('tells the service opaque ids, a time limit and no network', async () => {
    const path = {
      tenant: testIds.make(TenantId),
      conversation: testIds.make(ConversationId),
      path: testIds.make(PathId),
    }
    const provider = makeProvider({ awakeMs: async () => 300_000 })
    const opened = await provider.open({ limits: Limits.parse({}), path }, never)
    const sent = peer.requests.findLast(request => request.path === '/v2/sandboxes' && request.method === 'POST')
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      timeout: 300,
      allow_internet_access: false,
      autoPause: true,
    })
    for (const id of Object.values(path)) expect(sent?.body).not.toContain(id)
    if (!opened.ok) throw new Error(opened.problem.message)
    const outcome = await runIn(opened.value, 'bash', 'echo "${#TENANT_ID} ${#CONVERSATION_ID} ${#PATH_ID}"')
    expect(outcome.stdout).toBe('32 32 32\n')
    await provider.close()
  })

  it('is not available without a key, and takes one from the key store', async () => {
    const { E2B_API_KEY: stored = '', ...env } = peer.env
    const without = makeProvider({ env })
    expect(await without.available()).toBeNull()
    expect((await without.probe()).probes[0]).toMatchObject({
      available: false,
      detail: expect.stringContaining('key'),
    })
    expect(await without.open({ limits: Limits.parse({}) }, never)).toMatchObject({
      problem: { code: 'sandbox.unavailable' },
    })
    const before = peer.requests.length
    expect(await makeProvider({ env, storedKey: async () => Buffer.from(stored) }).available()).toBe('cloud')
    expect(peer.requests).toHaveLength(before)
  })

  it('asks nothing of the service where the policy does not let code leave', async () => {
    const before = peer.requests.length
    const provider = makeProvider({ isAllowed: async () => false })
    expect((await provider.probe()).probes).toMatchObject([
      { available: false, detail: expect.stringMatching('policy') },
    ])
    expect(await provider.endOrphans()).toBe(0)
    const refused = await provider.open({ limits: Limits.parse({}) }, never)
    expect(refused).toMatchObject({ problem: { message: expect.stringContaining('policy') } })
    expect(peer.requests).toHaveLength(before)
  })

  it.each([
    ['a key that is refused', { status: 401 }, 'does not accept the key'],
    ['too many requests', { status: 429 }, 'too many requests'],
    ['a full account', { status: 429, message: 'maximum number of concurrent sandboxes' }, 'as many cloud sandboxes'],
    ['a service that fails', { status: 500, message: 'SECRET' }, 'service failed'],
    ['a connection that breaks', 'cut', 'cannot be reached'],
  ] as [string, Fault, string][])('says in a sentence what is wrong: %s', async (_, fault, sentence) => {
    peer.failNext(/POST \/v2\/sandboxes$/, fault)
    const logged: string[] = []
    const provider = makeProvider({ log: message => logged.push(message) })
    const opened = await provider.open({ limits: Limits.parse({}) }, never)
    expect(opened).toMatchObject({ ok: false, problem: { message: expect.stringContaining(sentence) } })
    expect(JSON.stringify([opened, logged])).not.toMatch(/SECRET|e2b_/)
  })

  it('leaves no machine behind when it could not be made ready', async () => {
    const before = peer.boxes().length
    peer.failNext(/MakeDir/, { status: 500 })
    expect(await makeProvider().open({ limits: Limits.parse({}) }, never)).toMatchObject({ ok: false })
    expect(peer.boxes()).toHaveLength(before)
  })
})

describe('a connection to the cloud', () => {
  it('that breaks once is told, and the sandbox stays with its variables', async () => {
    const provider = makeProvider()
    const sandbox = await open(provider)
    await runIn(sandbox, 'python', 'kept = 5')
    peer.failNext(/POST \/execute/, 'cut')
    expect((await runIn(sandbox, 'python', '1')).error).toMatchObject({ kind: 'sandbox', name: 'ServiceFailed' })
    expect(plain((await runIn(sandbox, 'python', 'kept')).outputs)).toEqual(['5'])
    await provider.close()
  })

  it('to a machine that is gone ends the sandbox, so that the next run gets another', async () => {
    const provider = makeProvider()
    const sandbox = await open(provider)
    await peer.loseAll()
    expect((await runIn(sandbox, 'python', '1')).error).toMatchObject({
      name: 'SandboxLost',
      message: expect.stringContaining('variables are gone'),
    })
    await sandbox.ended
    await provider.close()
  })
})

describe('machines that were left behind', () => {
  it('are ended by their credentials and by what they are marked with, and no others', async () => {
    const past = { ...systemClock, now: () => Date.now() - 10 * 60_000 }
    const killed = makeProvider({ clock: past })
    await open(killed)
    const named = await open(killed)
    const held = await open(killed)
    // One that is being made by another process has no record yet.
    const young = await open(makeProvider())
    const elsewhere = await open(makeProvider({ home: `${home.home}-other`, clock: past }))
    const provider = makeProvider()
    const mine = await open(provider)
    const left = ({ id, credentials }: Sandbox) => ({ sandbox: id, credentials: credentials ?? null })
    expect(await provider.endOrphans([left(named)], [left(held)])).toBe(2)
    expect(peer.boxes().map(({ metadata }) => metadata.sandbox)).toEqual([held.id, young.id, elsewhere.id, mine.id])
    await peer.loseAll()
  })
})
