import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../storage/testing.ts'
import { must, openServers, program, who } from './testing.ts'
import { wallsOf } from './walls.ts'

const options = () => {
  const home = temporaryFolder()
  return { home, folder: join(home, 'mcp', 'it'), env: process.env, canJail: async () => true }
}

describe('the walls of a server', () => {
  it('show the folders that its arguments name, and never where keys are', async () => {
    const given = options()
    const data = temporaryFolder()
    const walls = await wallsOf(
      { command: 'node', args: [data, given.home, homedir(), '/', `--x=${data}`], env: {} },
      given,
    )
    expect(walls).toMatchObject({ kind: 'jail', detail: expect.stringContaining(data) })
    const binds = walls.wrap.filter((_, at) => walls.wrap[at - 1] === '--bind-try')
    expect(new Set(binds)).toEqual(new Set([data]))
    expect(walls.detail).toContain(`Not shown, since your keys are in it: ${given.home}, ${homedir()}, /`)
  })

  it('are those of its configuration where that has a list', async () => {
    const confined = { read: ['/srv/a'], write: [homedir()], network: false }
    const { wrap, detail } = await wallsOf({ command: 'node', args: [], env: {}, confined }, options())
    expect(wrap).toContain('--unshare-net')
    expect(wrap.join(' ')).toContain('--ro-bind-try /srv/a /srv/a')
    expect(wrap.join(' ')).not.toContain(`--bind-try ${homedir()} `)
    expect(detail).toContain('no network')
  })

  it('say where there are none', async () => {
    const given = options()
    const plain = { command: 'node', args: [], env: {} }
    expect(await wallsOf({ ...plain, confined: false }, given)).toMatchObject({ kind: 'none', wrap: [] })
    expect(await wallsOf(plain, { ...given, canJail: async () => false })).toMatchObject({ kind: 'none', wrap: [] })
    expect(await wallsOf({ url: 'https://x.example/mcp', headers: {} }, given)).toMatchObject({ kind: 'elsewhere' })
  })

  it('keep a server of npm from files that it was not shown', async () => {
    const { servers, call, acceptAll, home } = await openServers()
    const shared = temporaryFolder()
    const secret = temporaryFolder()
    writeFileSync(join(shared, 'a.txt'), 'shown')
    writeFileSync(join(secret, 'b.txt'), 'hidden')
    mkdirSync(join(home, 'mcp'), { recursive: true })
    // Told that it may read everything, it still finds nothing: the folder is not there for it.
    const args = [program('@modelcontextprotocol/server-filesystem'), shared, '/']
    must(await servers.add(who, 'files', { command: process.execPath, args }))
    expect((await servers.list(who))[0]?.walls).toMatchObject({ kind: 'jail', detail: expect.stringContaining(shared) })
    await acceptAll('files')
    const read = async (path: string) => JSON.stringify(await call('files', 'read_text_file', { path }))
    expect(await read(join(shared, 'a.txt'))).toContain('shown')
    expect(await read(join(secret, 'b.txt'))).toContain('ENOENT')
    expect(await read(join(home, 'countersign.db'))).toContain('ENOENT')
  })
})
