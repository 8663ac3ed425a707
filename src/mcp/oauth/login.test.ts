import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Clock } from '../../clock.ts'
import { must, openServers, who } from '../testing.ts'
import { checkAddress } from './safe-fetch.ts'
import * as testing from './server.testing.ts'

const { visit } = testing

async function protectedServer() {
  const server = await testing.protectedServer()
  onTestFinished(() => server.close())
  return server
}

/** A protected server that was added, with what is found out about it. */
async function added(config: object = {}, options: Parameters<typeof openServers>[0] = {}) {
  const server = await protectedServer()
  const opened = await openServers(options)
  const { servers, keys } = opened
  must(await servers.add(who, 'ledger', { url: server.url, ...config }))
  const login = async () => {
    const begun = must(await servers.login(who, 'ledger'))
    return { ...begun, status: await visit(begun.url), ended: await begun.done }
  }
  const view = async () => (await servers.list(who))[0]
  const kept = async () => Buffer.from((await keys.get('mcp-login.ledger')) ?? []).toString('utf8')
  return { ...opened, server, login, view, kept }
}

describe('a log-in', () => {
  it('is asked for by the server, done in a browser, and used from then on', async () => {
    const { server, servers, login, view, call, acceptAll, kept, home } = await added()
    expect(await servers.tools(who, 'ledger')).toMatchObject({ ok: false, problem: { code: 'mcp.sign-in' } })
    expect(await view()).toMatchObject({ health: { state: 'sign-in' }, login: { state: 'out' } })
    const { status, ended, url } = await login()
    expect([status, ended]).toEqual([200, { ok: true, value: undefined }])
    const asked = new URL(url).searchParams
    expect(asked.get('resource')).toBe(server.url)
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('scope')).toBe('ledger')
    expect(asked.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    await acceptAll('ledger')
    expect(must(await call('ledger', 'balance')).content).toEqual([{ type: 'text', text: '42' }])
    expect(await view()).toMatchObject({ health: { state: 'up' }, login: { state: 'in', issuer: server.origin } })
    // In the key store, and nowhere else.
    const [token = ''] = server.valid
    expect(await kept()).toContain(token)
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter(file => !file.startsWith('keys'))
      .map(file => `${home}/${file}`)
      .filter(file => statSync(file).isFile())
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(readFileSync(file).includes(token)).toBe(false)
    expect(JSON.stringify(await view())).not.toContain(token)
  })

  it('is news once, however often somebody looks', async () => {
    const changed = vi.fn()
    const { servers } = await added({}, { changed })
    await servers.tools(who, 'ledger')
    const news = changed.mock.calls.length
    expect(news).toBeGreaterThan(0)
    await servers.tools(who, 'ledger')
    expect(changed).toHaveBeenCalledTimes(news)
  })

  it('is on the record with its end, without secrets', async () => {
    const { server, servers, login, audit } = await added()
    await login()
    const [token = ''] = server.valid
    must(await servers.logout(who, 'ledger'))
    const { items } = await audit.query({ filter: { actions: ['mcp.logged-in', 'mcp.logged-out'] } })
    expect(items.map(({ entry }) => [entry.action, entry.details])).toEqual([
      ['mcp.logged-out', { server: 'ledger' }],
      ['mcp.logged-in', { server: 'ledger', issuer: server.origin }],
    ])
    expect(JSON.stringify(items)).not.toContain(token)
  })

  it('ends when the person logs out: here, and at the authorization server', async () => {
    const { server, servers, login, view, kept } = await added()
    await login()
    expect(server.refreshable.size).toBe(1)
    must(await servers.logout(who, 'ledger'))
    expect(server.refreshable.size).toBe(0)
    expect(await kept()).not.toMatch(/access-|refresh-/)
    expect(await view()).toMatchObject({ login: { state: 'out' } })
    expect(await servers.tools(who, 'ledger')).toMatchObject({ problem: { code: 'mcp.sign-in' } })
    expect(await servers.logout(who, 'ledger')).toMatchObject({ ok: false, problem: { code: 'conflict' } })
  })

  it('is renewed when its token has expired, once for two that notice', async () => {
    const { server, login, acceptAll, call } = await added()
    await login()
    await acceptAll('ledger')
    server.expire()
    const answers = await Promise.all([call('ledger', 'balance'), call('ledger', 'balance')])
    expect(answers.map(({ ok }) => ok)).toEqual([true, true])
    expect(server.seen.filter(({ body }) => body.get('grant_type') === 'refresh_token')).toHaveLength(1)
  })

  it('is asked for again when it is not renewed', async () => {
    const { server, login, acceptAll, call, view, kept } = await added()
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    await login()
    await acceptAll('ledger')
    server.expire()
    server.answers.refuses = true
    // A server that repeats the token in its complaint does not get it into our log.
    const [refresh = ''] = server.refreshable
    server.answers.failure = JSON.stringify({ error: 'invalid_grant', error_description: `${refresh} is over` })
    expect(await call('ledger', 'balance')).toMatchObject({ ok: false, problem: { code: 'mcp.sign-in' } })
    expect(await view()).toMatchObject({ health: { state: 'sign-in' }, login: { state: 'out' } })
    expect(await kept()).not.toContain(refresh)
    expect(JSON.stringify(warned.mock.calls)).not.toContain(refresh)
    warned.mockRestore()
    server.answers.refuses = false
    expect((await login()).ended).toMatchObject({ ok: true })
    expect(await call('ledger', 'balance')).toMatchObject({ ok: true })
  })

  it('outlives the application, and goes with its server', async () => {
    const { login, again, servers, kept } = await added()
    await login()
    await servers.close()
    const later = await again()
    expect(await later.tools(who, 'ledger')).toMatchObject({ ok: true })
    must(await later.remove(who, 'ledger'))
    expect(await kept()).toBe('')
  })

  it('is not used for another address of the same name', async () => {
    const { login, servers, home, again } = await added()
    await login()
    await servers.close()
    const other = await protectedServer()
    writeFileSync(`${home}/mcp.json`, JSON.stringify({ mcpServers: { ledger: { url: other.url } } }))
    const later = await again()
    expect(await later.tools(who, 'ledger')).toMatchObject({ problem: { code: 'mcp.sign-in' } })
    expect(other.paths()).not.toContain('/token')
  })

  it('gives a second window the same page, and can be cancelled', async () => {
    const { servers, view } = await added()
    const [one, two] = await Promise.all([servers.login(who, 'ledger'), servers.login(who, 'ledger')])
    expect(must(one).url).toBe(must(two).url)
    expect(await view()).toMatchObject({ login: { state: 'waiting', url: must(one).url } })
    servers.cancelLogin(who, 'ledger')
    expect(await must(one).done).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
    expect(await view()).toMatchObject({ login: { state: 'out', url: null, problem: null } })
    // Nobody listens any more.
    await expect(visit(must(one).url)).rejects.toThrow()
  })

  it('does not wait for ever', async () => {
    const late: (() => void)[] = []
    const clock: Clock = {
      now: () => Date.now(),
      after: (ms, call) => {
        if (ms === 600_000) late.push(call)
        return () => undefined
      },
    }
    const { servers, view } = await added({}, { clock })
    const begun = must(await servers.login(who, 'ledger'))
    for (const call of late) call()
    expect(await begun.done).toMatchObject({ ok: false, problem: { code: 'mcp.login-failed' } })
    expect((await view())?.login?.problem?.message).toContain('ten minutes')
  })

  it('uses a client that somebody registered, with its secret from the key store', async () => {
    const oauth = { clientId: 'ours', clientSecret: 'xyzzy' }
    const { server, login, home, view, servers } = await added({ oauth })
    expect((await login()).ended).toMatchObject({ ok: true })
    expect(server.paths()).not.toContain('/register')
    expect((await view())?.secrets).toEqual(['client secret'])
    expect(readFileSync(`${home}/mcp.json`, 'utf8')).not.toContain('xyzzy')
    // It is not shown to whatever authorization server comes next.
    const other = await protectedServer()
    server.answers.resource.authorization_servers = [other.origin]
    expect(await servers.login(who, 'ledger')).toMatchObject({ problem: { code: 'mcp.login-failed' } })
    expect(other.paths()).not.toContain('/token')
  })
})

describe('a hostile authorization server', () => {
  it.each<[string, 'resource' | 'metadata', Record<string, unknown>, RegExp]>([
    ['a page that is a program', 'metadata', { authorization_endpoint: 'javascript:alert(1)' }, /read|https/],
    ['a page of another scheme', 'metadata', { authorization_endpoint: 'file:///etc/passwd' }, /https/],
    ['a page without encryption', 'metadata', { authorization_endpoint: 'http://a.example/' }, /https/],
    ['tokens without encryption', 'metadata', { token_endpoint: 'http://a.example/' }, /https/],
    ['another issuer', 'metadata', { issuer: 'https://a.example' }, /not the one that was named/],
    ['metadata without an end', 'metadata', { more: 'x'.repeat(300_000) }, /128 KB/],
    ['rules without an end', 'resource', { more: 'x'.repeat(300_000) }, /128 KB/],
    ['rules of another server', 'resource', { resource: 'https://a.example/mcp' }, /does not match/],
    ['a log-in elsewhere', 'resource', { authorization_servers: ['http://a.example'] }, /https/],
    ['no way to check the code', 'metadata', { code_challenge_methods_supported: ['plain'] }, /code challenge/],
  ])('is refused before a page is opened: %s', async (_what, which, spoilt, why) => {
    const { server, servers, view } = await added()
    Object.assign(server.answers[which], spoilt)
    const begun = await servers.login(who, 'ledger')
    expect(begun).toMatchObject({ ok: false, problem: { code: 'mcp.login-failed' } })
    expect(!begun.ok && begun.problem.message).toMatch(why)
    expect((await view())?.login).toMatchObject({ state: 'out', problem: { code: 'mcp.login-failed' } })
  })

  it.each([
    ['another issuer', { iss: 'https://a.example' }, /not the one that was named/],
    ['a refusal', { error: 'access_denied' }, /access_denied/],
    ['a refusal in many words', { error: '<b>call me</b>' }, /refused: no code/],
    ['a code that it does not take', { code: 'x' }, /invalid_grant/],
  ])('is not believed: %s', async (_what, callback, why) => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { server, login, view } = await added()
    server.answers.callback = { ...server.answers.callback, ...callback }
    const { ended } = await login()
    expect(!ended.ok && ended.problem.message).toMatch(why)
    expect(await view()).toMatchObject({ login: { state: 'out' } })
    warned.mockRestore()
  })

  it('cannot answer for another log-in: the state must be ours', async () => {
    const { server, servers, kept } = await added()
    const begun = must(await servers.login(who, 'ledger'))
    server.answers.callback = { ...server.answers.callback, state: 'x'.repeat(43) }
    expect(await visit(begun.url)).toBe(400)
    expect(await kept()).not.toContain('access-')
    // It did not end the log-in of the person either.
    server.answers.callback = { iss: server.origin }
    expect(await visit(begun.url)).toBe(200)
    expect(await begun.done).toMatchObject({ ok: true })
  })

  it('cannot reach the listener by another name, path or method', async () => {
    const { servers } = await added()
    const begun = must(await servers.login(who, 'ledger'))
    const asked = new URL(begun.url).searchParams
    const back = new URL(asked.get('redirect_uri') ?? '')
    const query = `?code=x&state=${asked.get('state')}`
    const ask = (path: string, options: object) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port: back.port, path, ...options }, response => {
          void text(response).then(() => resolve(response.statusCode))
        })
        sent.on('error', reject).end()
      })
    expect(await ask(`/callback${query}`, { headers: { host: 'a.example' } })).toBe(400)
    expect(await ask(`/other${query}`, {})).toBe(400)
    expect(await ask(`/callback${query}`, { method: 'POST' })).toBe(400)
    expect(await ask(`/callback${query}&state=y`, {})).toBe(400)
    servers.cancelLogin(who, 'ledger')
    expect(await begun.done).toMatchObject({ problem: { code: 'request.cancelled' } })
  })
})

it('does not let a server from elsewhere send us to programs of this machine', () => {
  const here = new URL('http://127.0.0.1:1/mcp')
  const elsewhere = new URL('https://a.example/mcp')
  expect(checkAddress('http://localhost:9/', here).port).toBe('9')
  expect(() => checkAddress('http://localhost:9/', elsewhere)).toThrow('https')
  expect(() => checkAddress('https://name:password@b.example/', elsewhere)).toThrow('password')
  expect(checkAddress('https://b.example/', elsewhere).host).toBe('b.example')
})
