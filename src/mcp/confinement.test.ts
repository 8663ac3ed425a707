import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../storage/testing.ts'
import { confinementOf } from './confinement.ts'
import { must, openServers, program, who } from './testing.ts'

const options = () => {
  const home = temporaryFolder()
  return { home, folder: join(home, 'mcp', 'it'), env: process.env, canJail: async () => true }
}

describe('the confinement of a server', () => {
  it('show the folders that its arguments name, and never where keys are', async () => {
    const given = options()
    const data = temporaryFolder()
    const confinement = await confinementOf(
      { command: 'node', args: [data, given.home, homedir(), '/', `--x=${data}`], env: {} },
      given,
    )
    expect(confinement).toMatchObject({ kind: 'jail', detail: expect.stringContaining(data) })
    const binds = confinement.wrap.filter((_, at) => confinement.wrap[at - 1] === '--bind-try')
    expect(new Set(binds)).toEqual(new Set([data]))
    expect(confinement.detail).toContain(`Not shown, since your keys are in it: ${given.home}, ${homedir()}, /`)
  })

  it('are those of its configuration where that has a list', async () => {
    const confined = { read: ['/srv/a'], write: [homedir()], network: false }
    const { wrap, detail } = await confinementOf({ command: 'node', args: [], env: {}, confined }, options())
    expect(wrap).toContain('--unshare-net')
    expect(wrap.join(' ')).toContain('--ro-bind-try /srv/a /srv/a')
    expect(wrap.join(' ')).not.toContain(`--bind-try ${homedir()} `)
    expect(detail).toContain('no network')
  })

  it('say where there are none', async () => {
    const given = options()
    const plain = { command: 'node', args: [], env: {} }
    expect(await confinementOf({ ...plain, confined: false }, given)).toMatchObject({ kind: 'none', wrap: [] })
    expect(await confinementOf(plain, { ...given, canJail: async () => false })).toMatchObject({
      kind: 'none',
      wrap: [],
    })
    expect(await confinementOf({ url: 'https://x.example/mcp', headers: {} }, given)).toMatchObject({
      kind: 'elsewhere',
    })
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
    expect((await servers.list(who))[0]?.confinement).toMatchObject({
      kind: 'jail',
      detail: expect.stringContaining(shared),
    })
    await acceptAll('files')
    const read = async (path: string) => JSON.stringify(await call('files', 'read_text_file', { path }))
    expect(await read(join(shared, 'a.txt'))).toContain('shown')
    expect(await read(join(secret, 'b.txt'))).toContain('ENOENT')
    expect(await read(join(home, 'countersign.db'))).toContain('ENOENT')
  })
})
