import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Passed } from '../privacy/privacy.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { createMcpServers, type McpServersOptions } from './mcp.ts'

/** As the egress guard hands it out. */
const passed = (value: Record<string, unknown>) => ({ value }) as Passed<Record<string, unknown>>

const hostile = join(import.meta.dirname, 'hostile.testing.ts')

function open(options: Partial<McpServersOptions> = {}) {
  const home = temporaryFolder()
  const env = { PATH: process.env.PATH, SECRET: 'of the parent' }
  const servers = createMcpServers({ home, env, clock: systemClock, ...options })
  onTestFinished(() => servers.close())
  return { home, servers }
}

/** A hostile server named `it`, with its tools accepted where it lists any. */
async function hostileServer(how: string, options: Partial<McpServersOptions> = {}) {
  const { home, servers } = open(options)
  expect(servers.add('it', { command: process.execPath, args: [hostile, how] }).ok).toBe(true)
  const listed = await servers.tools('it')
  if (listed.ok) servers.accept('it', listed.value.tools)
  return { home, servers, listed }
}

/** The program of a server from npm. */
function program(name: string): string {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`)
  const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin: Record<string, string> }
  return join(dirname(file), Object.values(bin)[0] ?? '')
}

describe('real servers', () => {
  it('lists and calls tools of everything, filesystem and memory', async () => {
    const { home, servers } = open()
    const folder = join(home, 'shared')
    mkdirSync(folder)
    writeFileSync(join(folder, 'a.txt'), 'from the file')
    const add = (name: string, args: string[], env = {}) =>
      expect(servers.add(name, { command: process.execPath, args, env }).ok).toBe(true)
    add('everything', [program('@modelcontextprotocol/server-everything')], { GIVEN: 'yes' })
    add('filesystem', [program('@modelcontextprotocol/server-filesystem'), folder])
    add('memory', [program('@modelcontextprotocol/server-memory')], { MEMORY_FILE_PATH: join(home, 'memory.json') })
    const found = await Promise.all(
      ['everything', 'filesystem', 'memory'].map(async name => {
        const listed = await servers.tools(name)
        if (!listed.ok) throw new Error(listed.problem.message)
        servers.accept(name, listed.value.tools)
        return listed.value
      }),
    )
    expect(found.map(({ tools }) => tools.length > 5)).toEqual([true, true, true])
    expect(found.flatMap(({ bad }) => bad)).toEqual([])
    const text = async (name: string, tool: string, args: Record<string, unknown>) =>
      JSON.stringify(await servers.call(name, tool, passed(args)))
    expect(await text('filesystem', 'read_text_file', { path: join(folder, 'a.txt') })).toContain('from the file')
    const env = await text('everything', 'get-env', {})
    expect(env).toContain('GIVEN')
    expect(env).not.toContain('of the parent')
    const entities = [{ name: 'Anna', entityType: 'person', observations: ['signs'] }]
    await servers.call('memory', 'create_entities', passed({ entities }))
    expect(await text('memory', 'read_graph', {})).toContain('signs')
  })
})

describe('hostile servers', () => {
  it('reads tools one by one and names the bad ones', async () => {
    const { listed } = await hostileServer('names')
    expect(listed.ok && listed.value.tools.map(({ name }) => name)).toEqual(['twice', 'good'])
    expect(listed.ok && listed.value.bad.map(({ name }) => name.slice(0, 9))).toEqual([
      '__proto__',
      '',
      'xxxxxxxxx',
      'twice',
      'text',
      'huge',
      '',
    ])
  })

  it('gives up on one that never answers', async () => {
    const { listed, servers } = await hostileServer('silent', { connectMs: 700 })
    expect(listed).toMatchObject({ ok: false, problem: { code: 'mcp.unreachable' } })
    // Asked again at once it is not started again: the pause grows with each failure.
    const again = await servers.tools('it')
    expect(!again.ok && again.problem.message).toMatch(/started again in \d+ s/)
  })

  it('stops reading a line without an end, and pages without an end', async () => {
    const flooding = await hostileServer('flood')
    expect(flooding.listed).toMatchObject({ ok: false, problem: { code: 'mcp.unreachable' } })
    const endless = await hostileServer('endless')
    expect(endless.listed).toEqual({ ok: true, value: { tools: [], bad: [] } })
  })

  it('bounds the time and the size of an answer, and says so when the server dies', async () => {
    const calling = async (how: string) =>
      (await hostileServer(how, { callMs: 2000 })).servers.call('it', 'work', passed({}))
    expect(await calling('large')).toMatchObject({ ok: false, problem: { code: 'mcp.failed' } })
    expect(await calling('hangs')).toMatchObject({ ok: false, problem: { code: 'mcp.unreachable' } })
    expect(await calling('dies')).toMatchObject({ ok: false, problem: { code: 'mcp.unreachable' } })
  })

  it('asks again when a tool is not what was accepted', async () => {
    const { home, servers } = open()
    const add = (text: string) => servers.add('it', { command: process.execPath, args: [hostile, 'changing', text] })
    add('Reads a file')
    expect(await servers.call('it', 'work', passed({}))).toMatchObject({
      ok: false,
      problem: { code: 'mcp.unaccepted' },
    })
    const listed = await servers.tools('it')
    if (listed.ok) servers.accept('it', listed.value.tools)
    expect(await servers.call('it', 'work', passed({}))).toMatchObject({ ok: true })
    // The same program with another text, as an update of it would be.
    const file = join(home, 'mcp.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('Reads a file', 'Sends a file'))
    const later = createMcpServers({ home, env: {}, clock: systemClock })
    onTestFinished(() => later.close())
    const changed = await later.tools('it')
    expect(changed.ok && changed.value.tools[0]?.standing).toBe('changed')
    expect(await later.call('it', 'work', passed({}))).toMatchObject({ ok: false, problem: { code: 'mcp.unaccepted' } })
  })

  it('ends what a server started, too', async () => {
    const { servers } = await hostileServer('grandchild')
    const pid = Number(/grandchild (\d+)/.exec(servers.log('it'))?.[1])
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

describe('the list of servers', () => {
  it('takes the usual configuration, for nobody else to read', () => {
    const { home, servers } = open()
    const pasted = {
      mcpServers: { a: { command: 'node', args: ['x'] }, b: { type: 'http', url: 'https://x.example/mcp' } },
    }
    expect(servers.addPasted(JSON.stringify(pasted))).toEqual({ ok: true, value: ['a', 'b'] })
    expect(Object.keys(servers.list())).toEqual(['a', 'b'])
    expect(statSync(join(home, 'mcp.json')).mode & 0o777).toBe(0o600)
    expect(servers.addPasted(JSON.stringify(pasted))).toMatchObject({ ok: false, problem: { code: 'conflict' } })
  })

  it.each([
    ['a name with a slash', '../x', { command: 'node' }],
    ['a reserved name', '__proto__', { command: 'node' }],
    ['no command', 'x', {}],
    ['another protocol', 'x', { url: 'file:///etc/passwd' }],
    ['a header with a line break', 'x', { url: 'https://x.example', headers: { 'a\nb': 'c' } }],
    ['an unknown field', 'x', { command: 'node', shell: true }],
  ])('refuses %s', (_what, name, config) => {
    const { servers } = open()
    expect(servers.add(name, config)).toMatchObject({ ok: false, problem: { code: 'request.invalid' } })
    expect(servers.list()).toEqual({})
  })

  it('removes a server with what was accepted of it', async () => {
    const { servers } = await hostileServer('works')
    expect(await servers.call('it', 'work', passed({}))).toMatchObject({ ok: true })
    expect((await servers.remove('it')).ok).toBe(true)
    expect(await servers.remove('it')).toMatchObject({ ok: false, problem: { code: 'not-found' } })
    servers.add('it', { command: process.execPath, args: [hostile, 'works'] })
    expect(await servers.call('it', 'work', passed({}))).toMatchObject({
      ok: false,
      problem: { code: 'mcp.unaccepted' },
    })
  })
})
