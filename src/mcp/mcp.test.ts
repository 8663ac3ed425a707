import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bea } from '../audit/testing.ts'
import { systemClock } from '../clock.ts'
import { TenantId } from '../contract/ids.ts'
import { Policy } from '../contract/policy.ts'
import { allColumns, mutate, openToEdit } from '../mutation.testing.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { hostileConfig, must, openHostile, openServers, program, who } from './testing.ts'

describe('real servers', () => {
  it('lists and calls tools of everything, filesystem and memory', async () => {
    const { servers, call, acceptAll } = await openServers()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.txt'), 'from the file')
    const add = async (name: string, args: string[], more = {}) =>
      must(await servers.add(who, name, { command: process.execPath, args, ...more }))
    await add('everything', [program('@modelcontextprotocol/server-everything')], { env: { GIVEN: 'yes' } })
    await add('filesystem', [program('@modelcontextprotocol/server-filesystem'), folder])
    await add('memory', [program('@modelcontextprotocol/server-memory')], {
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      confined: { read: [], write: [folder], network: false },
    })
    const found = await Promise.all(['everything', 'filesystem', 'memory'].map(acceptAll))
    expect(found.map(({ tools }) => tools.length > 5)).toEqual([true, true, true])
    expect(found.flatMap(({ bad }) => bad)).toEqual([])
    const effects = found[1]?.tools.map(({ name, effect }) => [name, effect])
    expect(effects).toContainEqual(['read_text_file', 'reads'])
    expect(effects).toContainEqual(['write_file', 'destroys'])
    const text = async (...asked: Parameters<typeof call>) => JSON.stringify(must(await call(...asked)))
    expect(await text('filesystem', 'read_text_file', { path: join(folder, 'a.txt') })).toContain('from the file')
    const env = await text('everything', 'get-env')
    expect(env).toContain('GIVEN')
    expect(env).not.toContain('of the parent')
    const entities = [{ name: 'ledger', entityType: 'file', observations: ['is signed'] }]
    await text('memory', 'create_entities', { entities })
    expect(await text('memory', 'read_graph')).toContain('is signed')
    expect((await servers.list(who)).map(({ health }) => [health.state, health.introduced !== null])).toEqual(
      Array(3).fill(['up', true]),
    )
  })
})

describe('hostile servers', () => {
  it('reads tools one by one and names the bad ones', async () => {
    const { listed } = await openHostile('names')
    const { tools, bad } = must(listed)
    expect(tools.map(({ name }) => name)).toEqual(['twice', 'good'])
    expect(bad.map(({ name }) => name.slice(0, 9))).toEqual([
      '__proto__',
      '',
      'xxxxxxxxx',
      'twice',
      'text',
      'huge',
      'deep',
      '',
    ])
  })

  it('gives up on one that never answers', async () => {
    const { listed, servers } = await openHostile('silent', { connectMs: 700 })
    expect(listed).toMatchObject({ ok: false, problem: { code: 'mcp.unreachable' } })
    // Asked again at once it is not started again: the pause grows with each failure.
    const again = await servers.tools(who, 'it')
    expect(!again.ok && again.problem.message).toMatch(/started again in \d+ s/)
    const [view] = await servers.list(who)
    expect(view?.health).toMatchObject({ state: 'waiting', failures: 1, problem: { code: 'mcp.unreachable' } })
    expect(view?.health.retryAt).toBeGreaterThan(view?.health.since ?? 0)
  })

  it('stops reading a line without an end, and pages without an end', async () => {
    const flooding = await openHostile('flood')
    expect(flooding.listed).toMatchObject({ ok: false, problem: { code: 'mcp.unreachable' } })
    const endless = await openHostile('endless')
    expect(endless.listed).toMatchObject({
      ok: true,
      value: { tools: [], bad: [{ why: expect.stringMatching('left out') }] },
    })
  })

  it.each([
    ['large', 'mcp.failed'],
    ['enormous', 'mcp.unreachable'],
    ['hangs', 'mcp.unreachable'],
    ['dies', 'mcp.unreachable'],
  ])('bounds the time and the size of an answer: %s', async (how, code) => {
    const { call, entries } = await openHostile(how, { callMs: how === 'hangs' ? 2000 : 60_000 })
    expect(await call('it', 'work')).toMatchObject({ ok: false, problem: { code } })
    expect(await entries('mcp.called')).toMatchObject([{ details: { success: false, problem: code } }])
  })

  it('starts one that died again when somebody asks for it', async () => {
    const { call, servers } = await openHostile('dies')
    expect(await call('it', 'work')).toMatchObject({ ok: false })
    expect((await servers.list(who))[0]?.health.state).toBe('waiting')
    must(await servers.restart(who, 'it'))
    expect((await servers.list(who))[0]?.health).toMatchObject({ state: 'up', failures: 0, problem: null })
  })

  it('asks again when a tool is not what was accepted, and shows what it was', async () => {
    const { servers, call, again, home, acceptAll } = await openServers()
    must(await servers.add(who, 'it', hostileConfig('changing', 'Reads a file')))
    expect(await call('it', 'work')).toMatchObject({ ok: false, problem: { code: 'mcp.unaccepted' } })
    const { tools } = await acceptAll('it')
    expect(await call('it', 'work')).toMatchObject({ ok: true })
    await servers.close()
    // The same program with another text, as an update of it would be.
    const file = join(home, 'mcp.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('Reads a file', 'Sends a file'))
    const later = await again()
    expect(await later.call(who, { server: 'it', tool: 'work', arguments: {} })).toMatchObject({
      ok: false,
      problem: { code: 'mcp.unaccepted' },
    })
    const changed = must(await later.tools(who, 'it'))
    expect(changed.tools).toMatchObject([{ standing: 'changed', before: { description: 'Reads a file' } }])
    // What was on the screen is not what is there now.
    expect(await later.accept(who, 'it', tools)).toMatchObject({ ok: false, problem: { code: 'conflict' } })
    must(await later.accept(who, 'it', changed.tools))
    expect(await later.call(who, { server: 'it', tool: 'work', arguments: {} })).toMatchObject({ ok: true })
  })

  it('sees tools that change while the server runs', async () => {
    const { call } = await openHostile('turning')
    expect(await call('it', 'work')).toMatchObject({ ok: true })
    // With that answer the server changed its tool, and said so.
    await expect.poll(async () => await call('it', 'work')).toMatchObject({ problem: { code: 'mcp.unaccepted' } })
  })

  it('ends what a server started, too', async () => {
    const { servers } = await openHostile('grandchild')
    const pid = Number(/grandchild (\d+)/.exec(must(servers.log(who, 'it')))?.[1])
    expect(process.kill(pid, 0)).toBe(true)
    await servers.close()
    await expect.poll(() => isZombieOrGone(pid)).toBe(true)
  })
})

/** Killed, though perhaps nobody has collected it yet. */
function isZombieOrGone(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

describe('a call', () => {
  it('has arguments that fit the schema', async () => {
    const { call, entries } = await openHostile('schema')
    expect(await call('it', 'work', { n: 'one' })).toMatchObject({ ok: false, problem: { code: 'mcp.arguments' } })
    // A regular expression that takes for ever is the server's own affair.
    expect(await call('it', 'work', { n: 1, text: `${'a'.repeat(60)}!` })).toMatchObject({ ok: true })
    expect(await entries('mcp.called')).toHaveLength(1)
  })

  it('is on the record with hashes and texts, without private values', async () => {
    const { call, entries, audit } = await openHostile('echoes')
    const answer = must(await call('it', 'work', { to: 'anna.keller@example.org' }))
    expect(JSON.stringify(answer)).not.toContain('anna.keller')
    const [entry] = await entries('mcp.called')
    expect(entry?.details).toMatchObject({ server: 'it', tool: 'work', success: true })
    const { bodies } = must(await audit.entry(entry?.seq ?? 0))
    expect(JSON.stringify(bodies)).toContain('EMAIL')
    expect(JSON.stringify(bodies)).not.toContain('anna.keller')
    const left = await audit.query({ filter: { actions: ['egress.passed'] } })
    expect(left.items.map(({ entry: { details } }) => details)).toMatchObject([{ to: 'MCP server it' }])
  })

  it('is refused where the policy says so, and where somebody else must approve', async () => {
    let policy = Policy.parse({ tools: { servers: ['other'] } })
    const { call } = await openHostile('works', { policy: async () => policy })
    expect(await call('it', 'work')).toMatchObject({ ok: false, problem: { code: 'policy.blocked' } })
    policy = Policy.parse({ tools: { destroying: 'four-eyes' } })
    expect(await call('it', 'work')).toMatchObject({ ok: false, problem: { code: 'approval.four-eyes' } })
    policy = Policy.parse({ tools: { destroying: 'block' } })
    expect(await call('it', 'work')).toMatchObject({ ok: false, problem: { code: 'policy.blocked' } })
  })

  it('is one of a hundred a minute, and of 32 at once', async () => {
    let now = 0
    const { call } = await openHostile('works', { clock: { ...systemClock, now: () => now } })
    const several = async (count: number) => Promise.all(Array.from({ length: count }, () => call('it', 'work')))
    const first = await several(33)
    expect(first.filter(({ ok }) => !ok)).toMatchObject([{ problem: { code: 'mcp.busy' } }])
    await several(32)
    await several(32)
    const last = await several(5)
    expect(last.filter(({ ok }) => ok)).toHaveLength(4)
    now += 60_000
    expect(await call('it', 'work')).toMatchObject({ ok: true })
  })

  it('belongs to its tenant, like all else here', async () => {
    const { servers, call } = await openHostile('works')
    const stranger = { tenant: TenantId.parse('01900000-0000-7000-8000-0000000000ff'), user: bea }
    const denied = { ok: false, problem: { code: 'access.denied' } }
    expect(await servers.call(stranger, { server: 'it', tool: 'work', arguments: {} })).toMatchObject(denied)
    expect(await servers.add(stranger, 'x', { command: 'node' })).toMatchObject(denied)
    expect(await servers.remove(stranger, 'it')).toMatchObject(denied)
    expect(await servers.accept(stranger, 'it', [])).toMatchObject(denied)
    expect([await servers.list(stranger), await servers.accepted(stranger)]).toEqual([[], []])
    expect(await call('it', 'work')).toMatchObject({ ok: true })
  })
})

describe('what was accepted', () => {
  it('counts only with its seal: a changed row is no acceptance', async () => {
    const { servers, call, storage } = await openHostile('works')
    expect(await servers.accepted(who)).toMatchObject([{ server: 'it', name: 'work', standing: 'accepted' }])
    const db = openToEdit(storage.file)
    try {
      const columns = allColumns(db).filter(({ table }) => table === 'mcp_tools')
      expect(columns).toHaveLength(7)
      for (const column of columns) {
        const found = async () => (await call('it', 'work')).ok === false
        expect(await mutate(db, column, { every: true, found })).toEqual({ changed: 1, missed: [] })
      }
    } finally {
      db.close()
    }
    expect(await call('it', 'work')).toMatchObject({ ok: true })
  })
})

describe('the list of servers', () => {
  it('takes the usual configuration, and keeps its secrets out of the file', async () => {
    const { home, servers, keys } = await openServers()
    const pasted = {
      mcpServers: {
        a: { command: 'node', args: ['x'], env: { API_KEY: 'xyzzy-1' } },
        b_c: { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer xyzzy-2' } },
      },
    }
    expect(await servers.addPasted(who, JSON.stringify(pasted))).toEqual({ ok: true, value: ['a', 'b_c'] })
    const listed = await servers.list(who)
    expect(listed.map(({ name, secrets }) => [name, secrets])).toEqual([
      ['a', ['API_KEY']],
      ['b_c', ['Authorization']],
    ])
    expect(JSON.stringify(listed)).not.toContain('xyzzy')
    const file = join(home, 'mcp.json')
    expect(readFileSync(file, 'utf8')).not.toContain('xyzzy')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Buffer.from((await keys.get('mcp-server.a')) ?? []).toString()).toContain('xyzzy-1')
    expect(await servers.addPasted(who, JSON.stringify(pasted))).toMatchObject({
      ok: false,
      problem: { code: 'conflict' },
    })
    must(await servers.remove(who, 'a'))
    expect(await keys.get('mcp-server.a')).toHaveLength(0)
  })

  it('moves a secret that somebody wrote into the file by hand', async () => {
    const { home, servers, call, acceptAll } = await openServers()
    const config = { ...hostileConfig('works'), env: { SECRET: 'xyzzy' } }
    writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers: { it: config } }))
    await acceptAll('it')
    expect(JSON.stringify(must(await call('it', 'work')))).toContain('xyzzy')
    expect(readFileSync(join(home, 'mcp.json'), 'utf8')).not.toContain('xyzzy')
    expect((await servers.list(who))[0]?.secrets).toEqual(['SECRET'])
  })

  it.each([
    ['a name with a slash', '../x', { command: 'node' }],
    ['a reserved name', '__proto__', { command: 'node' }],
    ['no command', 'x', {}],
    ['another protocol', 'x', { url: 'file:///etc/passwd' }],
    ['a header with a line break', 'x', { url: 'https://x.example', headers: { 'a\nb': 'c' } }],
    ['an unknown field', 'x', { command: 'node', shell: true }],
  ])('refuses %s', async (_what, name, config) => {
    const { servers } = await openServers()
    expect(await servers.add(who, name, config)).toMatchObject({ ok: false, problem: { code: 'request.invalid' } })
    expect(await servers.list(who)).toEqual([])
  })

  it('removes a server with what was accepted of it', async () => {
    const { servers, call } = await openHostile('works')
    expect(await call('it', 'work')).toMatchObject({ ok: true })
    must(await servers.remove(who, 'it'))
    expect(await servers.remove(who, 'it')).toMatchObject({ ok: false, problem: { code: 'not-found' } })
    must(await servers.add(who, 'it', hostileConfig('works')))
    expect(await call('it', 'work')).toMatchObject({ ok: false, problem: { code: 'mcp.unaccepted' } })
  })
})

describe('a search', () => {
  it('is on the record without private values, and finds the same again', async () => {
    const { servers, entries, acceptAll } = await openHostile('works')
    must(await servers.add(who, 'schema', hostileConfig('schema')))
    await acceptAll('schema')
    const found = must(await servers.search(who, 'do some work for anna.keller@example.org', { patienceMs: 60_000 }))
    expect(found).toMatchObject({ searched: 2, model: 'use-lite-0.2.0' })
    expect(found.found.map(({ server }) => server).sort()).toEqual(['it', 'schema'])
    const [entry] = await entries('mcp.searched')
    expect(JSON.stringify(entry)).not.toContain('anna.keller')
    // The tools of then, whatever became of them.
    must(await servers.remove(who, 'schema'))
    expect(await servers.searchAgain(who, entry?.seq ?? 0)).toMatchObject({ ok: true, value: { same: true } })
    expect(await servers.searchAgain(who, 0)).toMatchObject({ ok: false, problem: { code: 'not-found' } })
  })
})
