import { execFileSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { createGate, type NetworkSession } from './gate.ts'

const gate = createGate()
afterAll(() => gate.close())

/** What the proxy says to a request for a host. */
async function ask(session: NetworkSession, host = 'api.example.org'): Promise<string> {
  const socket = await session.connect()
  socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  return text(socket)
}

describe('the way to the proxy', () => {
  it('tells whoever was granted nothing so in a sentence, also when the proxy runs for others already', async () => {
    for (const _turn of ['first', 'later']) {
      const session = gate.open()
      expect(await ask(session)).toMatch(/^HTTP\/1\.1 403 api\.example\.org is not granted; ask for it\r\n/)
      expect((await session.end()).requests).toMatchObject([{ host: 'api.example.org', refusal: 'not-granted' }])
      session.close()
    }
  })

  it('keeps what one session asked for apart from what another did, and tells each of it once', async () => {
    const [one, other] = [gate.open(), gate.open()]
    await Promise.all([ask(one, 'one.example.org'), ask(other, 'other.example.org')])
    expect((await other.end()).requests.map(each => each.host)).toEqual(['other.example.org'])
    expect((await one.end()).requests.map(each => each.host)).toEqual(['one.example.org'])
    expect(await one.end()).toEqual({ requests: [], dropped: 0 })
  })

  it('keeps names that were asked of the resolver, without signs that would act on whoever reads them', async () => {
    const session = gate.open()
    session.asked('c2vjcmv0.evil.net')
    session.asked(`\x1b[2J\r\ngood.example.org was reached\x9b${'x'.repeat(300)}`)
    const [plain, odd] = (await session.end()).requests
    expect(plain).toMatchObject({ host: 'c2vjcmv0.evil.net', protocol: 'dns', refusal: 'resolver', allowed: false })
    expect(odd?.host).toMatch(/^\?\[2J\?\?good\.example\.org\?was\?reached\?x+$/)
    expect(odd?.host).toHaveLength(253)
    session.close()
  })

  it('ends a grant with the run', async () => {
    const session = gate.open()
    await session.grant(['https://localhost:443'])
    expect(await ask(session, 'localhost')).toContain('localhost may not be reached: loopback.')
    await session.end()
    expect(await ask(session, 'localhost')).toContain('localhost is not granted; ask for it')
  })

  it('starts another proxy when the one there was ended, which knows what is granted', async () => {
    const session = gate.open()
    await session.grant(['https://localhost:443'])
    for (const pid of proxies()) process.kill(pid, 'SIGKILL')
    // Until the end of the process is known, connections to it fail.
    await expect
      .poll(() => ask(session, 'localhost').catch(() => ''), patience)
      .toContain('may not be reached: loopback.')
    expect((await session.end()).requests.at(-1)).toMatchObject({ host: 'localhost', refusal: 'address' })
    expect(await ask(session, 'localhost')).toContain('is not granted')
  })
})

const patience = { timeout: 30_000 }

/** The processes with a proxy that this one has started. */
function proxies(): number[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return listed.split('\n').flatMap(line => {
    const [pid, parent, ...args] = line.trim().split(/\s+/)
    return Number(parent) === process.pid && args.join(' ').includes('network/program') ? [Number(pid)] : []
  })
}
