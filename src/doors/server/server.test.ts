import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../clock.testing.ts'
import { closeCodes } from '../../contract/rpc/app.ts'
import { silentLog } from '../../log.ts'
import { newSecret } from './access.ts'
import { openBrowserDoor } from './server.ts'
import { ask, connect, enter, hello, type Line, linkOf, openDoor, type TestDoor } from './testing.ts'

const hour = 60 * 60_000

/** How a handshake ended: let in, or the code or status it was refused with. */
async function outcome(line: Line | number): Promise<'in' | number> {
  if (typeof line === 'number') return line
  return hello(line).then(
    () => 'in' as const,
    () => line.closed,
  )
}

describe('the page', () => {
  it('is served under a strict policy', async () => {
    const page = await ask(await openDoor(), '/')
    expect(page).toMatchObject({ status: 200, body: '<title>Countersign</title>' })
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  })

  it('gives the page for foreign HTML a sandbox in place of the application policy', async () => {
    const page = await ask(await openDoor(), '/frame-abc12345.html')
    expect(page.headers['content-security-policy']).toBe("frame-ancestors 'self'; sandbox allow-scripts")
  })

  it('sets no cookie, which a browser would send to every port of this machine', async () => {
    const door = await openDoor()
    const link = new URL(door.link())
    for (const path of ['/', link.pathname + link.search, '/frame-abc12345.html', '/nothing']) {
      expect((await ask(door, path)).headers['set-cookie']).toBeUndefined()
    }
  })

  it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/%00', '/%zz', `/${'a'.repeat(5000)}`])(
    'serves nothing outside its folder: %.40s',
    async path => {
      expect((await ask(await openDoor(), path)).status).toBe(404)
    },
  )

  it.each([
    ['a foreign host', 'GET', '/', { Host: 'evil.example' }, 421],
    ['two slashes', 'GET', '//', {}, 400],
    ['two slashes and a foreign host', 'GET', '//', { Host: 'evil.example' }, 421],
    ['another address', 'GET', 'http://evil.example:99999/', {}, 400],
    ['a star', 'OPTIONS', '*', {}, 400],
    ['a method that changes things', 'DELETE', '/', {}, 405],
  ])('turns away %s and stays up', async (_, method, path, headers, status) => {
    const door = await openDoor()
    expect((await ask(door, path, { method, headers })).status).toBe(status)
    expect((await ask(door, '/')).status).toBe(200)
  })
})

describe('a window', () => {
  it('comes in by a link and its own secret, and again by the secret alone', async () => {
    const door = await openDoor()
    const secret = newSecret()
    expect(await outcome(await enter(door, secret))).toBe('in')
    expect(await outcome(await connect(door, { secret }))).toBe('in')
  })

  it('is not let in by what another window is in by', async () => {
    const door = await openDoor()
    const secret = newSecret()
    expect(await outcome(await enter(door, secret))).toBe('in')
    const served = door.served.length
    for (const offer of [{}, { secret: newSecret() }, { headers: { Cookie: `countersign=${secret}` } }])
      expect(await outcome(await connect(door, offer))).toBe(closeCodes.session)
    expect(door.served).toHaveLength(served)
  })

  it('does not come in by a link that was used, and is told so', async () => {
    const door = await openDoor()
    const link = linkOf(door)
    expect(await outcome(await connect(door, { secret: newSecret(), link }))).toBe('in')
    expect(await outcome(await connect(door, { secret: newSecret(), link }))).toBe(closeCodes.link)
  })

  it('does not come in by a link that is an hour old', async () => {
    const clock = new ManualClock()
    const door = await openDoor(clock)
    const link = linkOf(door)
    clock.advance(hour)
    expect(await outcome(await connect(door, { secret: newSecret(), link }))).toBe(closeCodes.link)
  })

  it.each([
    ['a made-up secret', () => ({ secret: newSecret() }), closeCodes.session],
    ['a made-up link', () => ({ secret: newSecret(), link: newSecret() }), closeCodes.link],
    ['a link and no secret', (door: TestDoor) => ({ link: linkOf(door) }), closeCodes.session],
    ['a secret that is too short', (door: TestDoor) => ({ secret: 'x', link: linkOf(door) }), closeCodes.session],
    ['only a cookie', () => ({ headers: { Cookie: `countersign=${newSecret()}` } }), closeCodes.session],
    ['a foreign origin', (door: TestDoor) => fresh(door, { Origin: 'https://evil.example' }), 403],
    ['another port as its origin', (door: TestDoor) => fresh(door, { Origin: 'http://127.0.0.1:8888' }), 403],
    ['a foreign host', (door: TestDoor) => fresh(door, { Host: 'evil.example' }), 421],
  ])('is turned away with %s', async (_, offer, expected) => {
    const door = await openDoor()
    expect(await outcome(await connect(door, offer(door)))).toBe(expected)
    expect(door.served).toEqual([])
  })

  it('is put out after eight idle hours, and stays in while it is used', async () => {
    const clock = new ManualClock()
    const door = await openDoor(clock)
    const [idle, used] = [await enter(door), await enter(door)]
    clock.advance(7 * hour)
    await hello(used)
    clock.advance(hour)
    expect(await idle.closed).toBe(closeCodes.session)
    expect(await hello(used)).toBe('hello')
  })

  it('is put out after a week, however much it is used', async () => {
    const clock = new ManualClock()
    const door = await openDoor(clock)
    const secret = newSecret()
    const line = await enter(door, secret)
    for (let day = 0; day < 27; day++) {
      await hello(line)
      clock.advance(6 * hour)
    }
    await hello(line)
    clock.advance(6 * hour)
    expect(await line.closed).toBe(closeCodes.session)
    expect(await outcome(await connect(door, { secret }))).toBe(closeCodes.session)
  })

  it('ends its own session, or all others', async () => {
    const door = await openDoor()
    const lines = [await enter(door), await enter(door), await enter(door)]
    for (const line of lines) await hello(line)
    expect(door.served[0]?.list().map(each => each.own)).toEqual([true, false, false])
    expect(door.served[0]?.end('others')).toBe(2)
    expect(await Promise.all([lines[1]?.closed, lines[2]?.closed])).toEqual([closeCodes.session, closeCodes.session])
    expect(await hello(lines[0] as Line)).toBe('hello')
    expect(door.served[0]?.end('own')).toBe(1)
    expect(await lines[0]?.closed).toBe(closeCodes.session)
  })

  it('gets a link for another window', async () => {
    const door = await openDoor()
    await hello(await enter(door))
    const link = new URL(door.served[0]?.link() ?? '').hash.slice('#link='.length)
    expect(await outcome(await connect(door, { secret: newSecret(), link }))).toBe('in')
  })
})

const fresh = (door: TestDoor, headers: Record<string, string>) => ({
  secret: newSecret(),
  link: linkOf(door),
  headers,
})

describe('a link that is asked for over the door', () => {
  it('is given to whoever has the secret of the data folder, and to nobody else', async () => {
    const door = await openDoor()
    const post = (secret: string) =>
      ask(door, '/link', { method: 'POST', headers: { Authorization: `Bearer ${secret}` } })
    expect((await post(newSecret())).status).toBe(403)
    expect((await ask(door, '/link', { method: 'POST' })).status).toBe(403)
    const { status, body } = await post(door.secret)
    expect(status).toBe(200)
    const link = new URL(body).hash.slice('#link='.length)
    expect(await outcome(await connect(door, { secret: newSecret(), link }))).toBe('in')
  })
})

describe('a line', () => {
  it('answers an unknown call with an error and stays up', async () => {
    const socket = await enter(await openDoor())
    const client = createORPCClient<{ nothing(): Promise<string> }>(
      new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
    )
    await expect(client.nothing()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await hello(socket)).toBe('hello')
  })

  it.each(['{"id"', 'null', '[]', '{"i":{},"p":7}', ''])('is closed when it sends %j; others stay up', async text => {
    const door = await openDoor()
    const socket = await enter(door)
    socket.send(text)
    // Some broken messages carry no call at all: those are passed over. Either way the door goes on.
    await Promise.race([socket.closed, hello(socket)])
    expect(await hello(await enter(door))).toBe('hello')
  })

  it('is closed when it sends more than 8 MB; others stay up', async () => {
    const door = await openDoor()
    const socket = await enter(door)
    socket.send('x'.repeat(8 * 1024 * 1024 + 1))
    expect(await socket.closed).toBe(1009)
    expect(await hello(await enter(door))).toBe('hello')
  })
})

it('says which port is taken', async () => {
  const door = await openDoor()
  const again = openBrowserDoor({ root: '/', port: door.port, log: silentLog, serve: () => undefined })
  await expect(again).rejects.toMatchObject({ problem: { code: 'door.taken' } })
})
