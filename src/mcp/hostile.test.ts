import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Clock, systemClock } from '../clock.ts'
import { resultOf } from '../tools/answers.ts'
import { namesInCode } from '../tools/names.ts'
import { hostileConfig, must, openHostile, openServers, who } from './testing.ts'

const textsOf = (answer: { content: unknown[] }) => answer.content.map(part => (part as { text?: string }).text)
const codeOf = (outcome: { ok: boolean; problem?: { code: string } }) => outcome.problem?.code ?? 'ok'

it.each([
  ['right', 'wrong ids', 'answers under other numbers first, and twice'],
  ['after the flood', 'floods', 'sends thousands of notices'],
  ['still here', 'babbles', 'writes noise to both streams'],
  ['not cancelled', 'cancels', 'cancels what it was asked, and tells progress of nothing'],
  ['none', 'garbage', 'writes bytes that are no text'],
])('is answered (%s) by one that %s: %s', async (answer, how) => {
  const { call } = await openHostile(how)
  expect(textsOf(must(await call('it', 'work')))).toEqual([answer])
  expect((await call('it', 'work')).ok).toBe(true)
})

it('gives nothing to one that asks for a model, folders or a person', async () => {
  const { call } = await openHostile('asks')
  const [told] = textsOf(must(await call('it', 'work')))
  expect(told).toBe(
    'sampling/createMessage -32601, roots/list -32601, elicitation/create -32601, constructor -32601, ping answered',
  )
})

it('hands the late answer of a cancelled call to nobody', async () => {
  const { servers, call } = await openHostile('late')
  const stop = new AbortController()
  const first = servers.call(who, { server: 'it', tool: 'work', arguments: {} }, stop.signal)
  await vi.waitFor(() => expect(must(servers.log(who, 'it'))).toContain('asked'), { timeout: 60_000 })
  stop.abort()
  expect(await first).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
  expect(textsOf(must(await call('it', 'work')))).toEqual(['of this call'])
})

it('ends one that stopped in the middle of an answer, and starts it again', async () => {
  const { servers, call } = await openHostile('half', { callMs: 1500 })
  expect(codeOf(await call('it', 'work'))).toBe('mcp.unreachable')
  await vi.waitFor(async () => expect((await servers.list(who))[0]?.health.state).toBe('waiting'), { timeout: 30_000 })
  expect((await servers.list(who))[0]?.health.problem?.message).toContain('did not answer any more')
  must(await servers.restart(who, 'it'))
  expect((await servers.list(who))[0]?.health.state).toBe('up')
})

it.each([
  ['deep', 'mcp.failed', 'nested'],
  ['structured', 'mcp.failed', 'longer than'],
  ['both', 'mcp.unreachable', ''],
  ['not boolean', 'mcp.unreachable', ''],
])('refuses an answer that is %s', async (how, code, message) => {
  const { call, entries } = await openHostile(how, { callMs: 3_000 })
  const answer = await call('it', 'work')
  expect(answer).toMatchObject({ ok: false, problem: { code, message: expect.stringContaining(message) } })
  expect(await entries('mcp.called')).toMatchObject([{ details: { success: false, problem: code } }])
})

it('takes odd parts of an answer as data, and links as words', async () => {
  const odd = await openHostile('odd')
  const answer = must(await odd.call('it', 'work'))
  expect(answer.content).toHaveLength(5)
  expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
  expect(({} as Record<string, unknown>).a).toBeUndefined()
  expect(JSON.stringify(resultOf(answer))).toContain('"b":2')
  const links = await openHostile('links')
  expect(JSON.stringify(resultOf(must(await links.call('it', 'work'))))).toContain('file:///etc/passwd')
})

it.each([
  ['again', 2],
  ['many', 2000],
])('cuts a list without an end, and says so: %s', async (how, count) => {
  const { listed } = await openHostile(how)
  const { tools, bad } = must(listed)
  expect(tools).toHaveLength(count)
  expect(bad).toMatchObject([{ why: expect.stringContaining('left out') }])
})

it('cuts a list of megabytes before it fills the memory', async () => {
  const { listed } = await openHostile('heavy')
  const { tools, bad } = must(listed)
  expect(JSON.stringify(tools).length).toBeLessThan(10_000_000)
  expect(bad).toMatchObject([{ why: expect.stringContaining('left out') }])
})

it('takes no tool whose name looks like another, and keeps apart those that code would call alike', async () => {
  const alike = must((await openHostile('alike')).listed)
  expect(alike.tools).toEqual([])
  expect(alike.bad).toHaveLength(7)
  const { tools, bad } = must((await openHostile('twins')).listed)
  expect(bad.map(({ name }) => name)).toEqual(['constructor'])
  const names = [...namesInCode(tools).values()].map(({ tool }) => tool)
  expect(new Set(names).size).toBe(9)
})

it.each([
  ['nothing', 0, 2001],
  ['bottomless', 1, 1],
  ['strange', 1, 4],
])('reads the good tools among the bad: %s', async (how, good, bad) => {
  const listed = must((await openHostile(how)).listed)
  expect([listed.tools.length, listed.bad.length]).toEqual([good, bad])
})

it.each(['future', 'quits', 'empty', 'cursor', 'no list', 'complains'])(
  'says why one cannot be used: %s',
  async how => {
    const { listed, servers } = await openHostile(how, { connectMs: 3_000 })
    expect(codeOf(listed)).toBe('mcp.unreachable')
    const message = listed.ok ? '' : listed.problem.message
    expect(message.length).toBeLessThan(600)
    expect(JSON.stringify(await servers.list(who))).not.toContain('at home')
  },
)

it('cuts the name by which one introduces itself', async () => {
  const { servers } = await openHostile('disguised')
  const [view] = await servers.list(who)
  expect(view?.health.introduced).toHaveLength(200)
})

it('is not held up by what a server left behind in a session of its own', async () => {
  const { servers, call } = await openServers()
  must(await servers.add(who, 'it', { ...hostileConfig('daemon'), confined: false }))
  must(await servers.tools(who, 'it'))
  const pid = Number(/grandchild (\d+)/.exec(must(servers.log(who, 'it')))?.[1])
  onTestFinished(() => void process.kill(pid))
  // It still has our end of the streams; without a limit this would wait for it.
  must(await servers.restart(who, 'it'))
  expect(codeOf(await call('it', 'work'))).toBe('mcp.unaccepted')
})

it('does not wait for one that is still starting when everything ends', async () => {
  const { servers } = await openServers({ connectMs: 600_000 })
  must(await servers.add(who, 'it', hostileConfig('deaf')))
  const listed = servers.tools(who, 'it')
  await vi.waitFor(async () => expect((await servers.list(who))[0]?.health.state).toBe('starting'))
  await servers.close()
  expect(codeOf(await listed)).toBe('mcp.unreachable')
})

it('reads no faster than it may: the rest waits in the pipe', async () => {
  /** Time that stands still, and goes on by what is waited for. */
  let now = 0
  const pauses: number[] = []
  const clock: Clock = {
    now: () => now,
    after(ms, call) {
      if (ms !== 1000) return systemClock.after(ms, call)
      pauses.push(ms)
      setImmediate(() => {
        now += ms
        call()
      })
      return () => undefined
    },
  }
  let news = 0
  const { call } = await openHostile('floods', { clock, changed: () => (news += 1) })
  const before = news
  expect(textsOf(must(await call('it', 'work')))).toEqual(['after the flood'])
  expect(pauses.length).toBeGreaterThanOrEqual(1)
  // Windows ask for everything anew at each piece of news.
  expect(news - before).toBeLessThan(1000)
})

const http = (...head: string[]) => ['HTTP/1.1 200 OK', ...head, '', ''].join('\r\n')
it.each([
  ['a length below zero', http('Content-Type: application/json', 'Content-Length: -5')],
  ['two lengths', http('Content-Type: application/json', 'Content-Length: 5', 'Content-Length: 900')],
  ['a length and nothing after it', http('Content-Type: application/json', 'Content-Length: 100000')],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a page', `${http('Content-Type: text/html', 'Connection: close')}<html>`],
  ['half an event', `${http('Content-Type: text/event-stream')}event: message\ndata: {"jsonrpc":"2.0",`],
  ['a way to a file', 'HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n'],
  ['a way in a circle', 'HTTP/1.1 307 Temporary Redirect\r\nLocation: /mcp\r\nContent-Length: 0\r\n\r\n'],
  ['nothing at all', ''],
])('gives up on an address that answers with %s', async (_what, answer) => {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.on('data', () => socket.write(answer))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { servers } = await openServers({ connectMs: 1_500 })
  onTestFinished(() => void server.close())
  const at = server.address()
  const port = at !== null && typeof at === 'object' ? at.port : 0
  must(await servers.add(who, 'it', { url: `http://127.0.0.1:${port}/mcp` }))
  const listed = await servers.tools(who, 'it')
  expect(codeOf(listed)).toBe('mcp.unreachable')
  expect((await servers.list(who))[0]?.health).toMatchObject({ state: 'waiting', failures: 1 })
  expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(JSON.stringify(listed))
})
