import { beforeAll, describe, expect, it } from 'vitest'
import { grantForRefused, type NetworkRequest } from '../../contract/network.ts'
import { noNamespace, runInside } from './namespace.testing.ts'
import { expectOnlyGranted, type Reached, type Seen } from './reached.testing.ts'

interface Inside extends Reached {
  readonly fetched: Record<string, { code?: string; message?: string; text?: string; requests?: NetworkRequest[] }>
  readonly cli: { allowed: { stdout: string; network: NetworkRequest[] }; unasked: number; record: string }
}

const missing = noNamespace() ?? (process.getuid?.() === 0 ? null : 'a jail in a namespace wants the super-user')
const inside =
  missing || process.env.COUNTERSIGN_TEST_ENGINE
    ? null
    : runInside<Inside>('src/network/attack/granted.testing.ts', [], 150_000)
inside?.catch(() => undefined)

const engine = process.env.COUNTERSIGN_TEST_ENGINE

describe.skipIf(missing !== null || !engine)('code in a docker container that was granted a host', () => {
  it('reaches it with what people use, and nothing else, through the same proxy', async () => {
    expectOnlyGranted(await runInside<Reached>('src/network/attack/granted.testing.ts', [engine ?? ''], 90_000))
  })
})

describe.skipIf(inside === null)('code in a jail that was granted a host', () => {
  // Servers, a proxy, a jail and a terminal start first: on a busy machine that takes a while.
  beforeAll(async () => void (await inside), 180_000)

  const of = async (name: string): Promise<Seen> => {
    const found = (await inside)?.seen[name]
    if (!found) throw new Error(`nothing is known of ${name}`)
    return found
  }
  const to = (host: string, port: number, protocol: string) =>
    expect.objectContaining({ host, port, protocol, allowed: true, refusal: null, address: '93.184.216.34' })

  it.each([
    ['urllib', '{"path":"/a","method":"GET"}', 443, 'https'],
    ['requests', '{"path":"/b","method":"GET"}', 443, 'https'],
    ['pandas', '1.9392999999999998', 443, 'https'],
    ['plain', '{"path":"/c","method":"GET"}', 80, 'http'],
    ['curl', '{"path":"/d","method":"GET"}', 443, 'https'],
    ['fetch', '{"path":"/e","method":"GET"}', 80, 'http'],
    ['fetch tls', '{"path":"/f","method":"GET"}', 443, 'https'],
    ['pip', 'tiny_feed-1.0-py3-none-any.whl', 443, 'https'],
  ])('reaches it with %s, and the result says so', async (name, expected, port, protocol) => {
    const { stdout, error, network } = await of(name)
    expect(error).toBeNull()
    expect(stdout.trim()).toBe(expected)
    expect(network).toContainEqual(to('data.example.org', port, protocol))
    expect(network.every(each => each.host === 'data.example.org')).toBe(true)
  })

  it('receives a large file whole', async () => {
    const { stdout, network } = await of('download')
    expect(stdout.trim()).toBe((await inside)?.bigHash)
    expect(network[0]?.bytesReceived).toBeGreaterThan(20 * 1024 * 1024)
  })

  it('is told in a sentence what was not granted', async () => {
    const { error, network } = await of('not granted')
    expect(error).toContain('other.example.org is not granted; ask for it')
    expect(network).toMatchObject([{ host: 'other.example.org', port: 443, allowed: false, refusal: 'not-granted' }])
    expect((await of('nothing granted')).stdout.trim()).toBe('data.example.org is not granted; ask for it')
  })

  it.each([
    ['requests', 'other.example.org is not granted; ask for it.'],
    ['pandas', 'other.example.org is not granted; ask for it.'],
    ['fetch', 'other.example.org is not granted; ask for it.'],
    ['curl', 'The last command ended with exit status 56. other.example.org is not granted; ask for it.'],
    ['pip', 'The last command ended with exit status 1. other.example.org is not granted; ask for it.'],
  ])('is told so by %s too, without a stack trace, and can ask for it', async (name, sentence) => {
    const { error, traceback, network } = await of(`${name} not granted`)
    expect(error).toBe(sentence)
    expect(traceback).toEqual([])
    expect(network.map(grantForRefused)).toContain('https://other.example.org:443')
  })

  it.each([
    ['no address', 'nowhere.example.org has no address.'],
    ['no address, curl', 'The last command ended with exit status 56. nowhere.example.org has no address.'],
    ['a private address', '10.0.0.5 may not be reached: private.'],
  ])('is told in a sentence of a granted host that cannot be reached: %s', async (name, sentence) => {
    expect(await of(name)).toMatchObject({ error: sentence, traceback: [] })
  })

  it('is told so of a method that was not granted, and can ask for that', async () => {
    const { error, traceback, network } = await of('writing')
    expect(error).toBe('POST to data.example.org is not granted; ask for it.')
    expect(traceback).toEqual([])
    expect(network.map(grantForRefused)).toEqual(['http://data.example.org:80 POST'])
  })

  it('is not told of a host when it fails for another reason', async () => {
    expect((await of('another failure')).error).toBe('bad figure')
  })

  it('cannot get round the proxy, by address or by name', async () => {
    expect((await of('around the proxy')).stdout.trim().split('\n')).toEqual(['101', '101', '101'])
    const { error, network } = await of('name asked')
    expect(error).not.toBeNull()
    expect(network).toMatchObject([{ host: 'c2vjcmv0.evil.net', protocol: 'dns', allowed: false }])
  })

  it('still reaches servers of its own', async () => {
    expect(await of('own server')).toMatchObject({ stdout: '200\n', error: null, network: [] })
  })

  it('loses the connection with the run that it was granted for', async () => {
    expect(await of('kept')).toMatchObject({ stdout: "b'HTTP/1.1 200 OK'\n", error: null })
    expect(await of('kept, later')).toMatchObject({ stdout: 'True\n', error: null, network: [] })
  })

  it('loses what is taken back while it runs, in the middle of a transfer and for what follows', async () => {
    const { stdout, error, network } = await of('taken back')
    expect(stdout).toContain('cut off')
    expect(error).toContain('data.example.org is not granted')
    expect(network.map(({ allowed }) => allowed)).toEqual([true, false])
  })

  it('has a network of its own in a fork, and keeps it in the original', async () => {
    for (const [name, path] of [
      ['in the fork', 'g'],
      ['in the original', 'h'],
    ] as const)
      expect((await of(name)).stdout.trim()).toBe(`{"path":"/${path}","method":"GET"}`)
    expect((await of('fork without a grant')).error).toContain('is not granted')
  })

  it('is granted it from the terminal too, by a signed approval or not at all, and the record says so', async () => {
    const { cli } = (await inside) ?? {}
    expect(cli?.allowed.stdout.trim()).toBe('{"path":"/j","method":"GET"}')
    expect(cli?.allowed.network).toContainEqual(to('data.example.org', 80, 'http'))
    expect(cli?.unasked).toBe(3)
    for (const action of ['approval.requested', 'run.intended', 'run.finished']) expect(cli?.record).toContain(action)
  })

  it('is no more bound than the application itself when it fetches official data', async () => {
    const { fetched } = (await inside) ?? {}
    expect(fetched?.whole?.text).toContain('USD,1.0832')
    expect(fetched?.whole?.requests).toContainEqual(to('data.example.org', 443, 'https'))
    expect(fetched?.moved?.message).toBe('data.example.org answered 302 and points to https://10.0.0.5/.')
    expect(fetched?.['too large']?.code).toBe('request.too-large')
    expect(fetched?.['not granted']?.message).toContain('data.example.org is not granted')
    expect(fetched?.['unknown authority']?.code).toBe('network.unreachable')
  })

  it('may open more connections than there are streams', async () => {
    const { stdout, network } = await of('many')
    expect(stdout.trim()).toBe(String(60 * 200))
    expect(network.filter(each => each.allowed)).toHaveLength(60)
  })
})
