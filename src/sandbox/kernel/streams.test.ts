import { type Duplex, duplexPair } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { encodeFrame, type Frame, FrameDecoder } from './frames.ts'
import { Link } from './link.ts'
import { Streams } from './streams.ts'

const credit = 256 * 1024

/** A supervisor that says what it is told to, and a proxy at the other end of each stream. */
function kit() {
  const [host, guest] = duplexPair()
  const link = new Link(host)
  const asked: string[] = []
  const proxies: Duplex[] = []
  const target = {
    async connect() {
      const [ours, theirs] = duplexPair({ allowHalfOpen: true })
      proxies.push(theirs)
      return ours
    },
    asked: (name: string) => void asked.push(name),
  }
  const streams = new Streams(link, target)
  link.listen(frame => {
    streams.receive(frame)
    return undefined
  })
  const decoder = new FrameDecoder()
  const told: Frame[] = []
  let wake: () => void = () => undefined
  guest.on('data', data => {
    told.push(...decoder.feed(data))
    wake()
  })
  const say = (header: { type: string } & Record<string, unknown>, payload?: Uint8Array) =>
    void guest.write(encodeFrame(header, payload))
  const hear = async (what: (frames: Frame[]) => boolean): Promise<void> => {
    while (!what(told))
      await new Promise<void>(resolve => {
        wake = resolve
      })
  }
  const proxy = async (at: number): Promise<Duplex> => {
    while (!proxies[at]) await new Promise(resolve => setImmediate(resolve))
    return proxies[at]
  }
  return { link, say, hear, told, asked, proxy, streams }
}

const bytesTold = (frames: Frame[]) =>
  frames.filter(each => each.header.type === 'net-data').reduce((sum, each) => sum + each.payload.length, 0)

describe('streams out of a sandbox', () => {
  it('carry bytes both ways and end on each side by itself', async () => {
    const { say, hear, proxy, told } = kit()
    say({ type: 'net-open', s: 1, to: 'proxy' })
    say({ type: 'net-data', s: 1 }, Buffer.from('hello'))
    say({ type: 'net-end', s: 1 })
    const other = await proxy(0)
    const heard: Buffer[] = []
    for await (const data of other) heard.push(data)
    expect(Buffer.concat(heard).toString()).toBe('hello')
    other.end('back')
    await hear(frames => frames.some(each => each.header.type === 'net-end'))
    expect(told.map(each => each.header.type)).toEqual(expect.arrayContaining(['net-credit', 'net-data', 'net-end']))
  })

  it('send no more than the sandbox has credit for, and go on with more', async () => {
    const { say, hear, told, proxy } = kit()
    say({ type: 'net-open', s: 1, to: 'proxy' })
    ;(await proxy(0)).end(Buffer.alloc(credit + 100_000, 'x'))
    await hear(frames => bytesTold(frames) === credit)
    expect(told.some(each => each.header.type === 'net-end')).toBe(false)
    say({ type: 'net-credit', s: 1, n: 60_000 })
    await hear(frames => bytesTold(frames) === credit + 60_000)
    say({ type: 'net-credit', s: 1, n: 60_000 })
    await hear(frames => bytesTold(frames) === credit + 100_000 && frames.some(each => each.header.type === 'net-end'))
  })

  it('are cut off when their run is over', async () => {
    const { say, hear, proxy, streams } = kit()
    say({ type: 'net-open', s: 1, to: 'proxy' })
    const other = await proxy(0)
    other.resume()
    const closed = new Promise(resolve => other.once('end', resolve))
    streams.closeAll()
    await hear(frames => frames.some(each => each.header.type === 'net-close' && each.header.s === 1))
    await closed
  })

  it('report names', async () => {
    const { say, hear, asked, proxy } = kit()
    say({ type: 'net-name', name: 'a.example.org' })
    say({ type: 'net-open', s: 1, to: 'proxy' })
    await proxy(0)
    expect(asked).toEqual(['a.example.org'])
    say({ type: 'net-close', s: 1 })
    say({ type: 'net-data', s: 1 }, Buffer.from('too late'))
    say({ type: 'net-open', s: 2, to: 'proxy' })
    say({ type: 'net-data', s: 2 }, Buffer.from('x'))
    await hear(frames => frames.some(each => each.header.type === 'net-credit' && each.header.s === 2))
  })

  const forged: Record<string, (say: ReturnType<typeof kit>['say']) => void> = {
    'data of a stream that never was': say => say({ type: 'net-data', s: 7 }, Buffer.from('x')),
    'a number out of turn': say => say({ type: 'net-open', s: 2, to: 'proxy' }),
    'a number twice': say => {
      say({ type: 'net-open', s: 1, to: 'proxy' })
      say({ type: 'net-open', s: 1, to: 'proxy' })
    },
    'a service that nobody knows': say => say({ type: 'net-open', s: 1, to: 'files' }),
    'more bytes than it has credit for': say => {
      say({ type: 'net-open', s: 1, to: 'proxy' })
      say({ type: 'net-data', s: 1 }, Buffer.alloc(credit + 1))
    },
    'more credit than there can be': say => {
      say({ type: 'net-open', s: 1, to: 'proxy' })
      say({ type: 'net-credit', s: 1, n: 1 })
    },
    'credit that is no number': say => {
      say({ type: 'net-open', s: 1, to: 'proxy' })
      say({ type: 'net-credit', s: 1, n: -5 })
    },
    'bytes after the end': say => {
      say({ type: 'net-open', s: 1, to: 'proxy' })
      say({ type: 'net-end', s: 1 })
      say({ type: 'net-data', s: 1 }, Buffer.from('x'))
    },
    'more streams than there may be': say => {
      for (let s = 1; s <= 65; s++) say({ type: 'net-open', s, to: 'proxy' })
    },
    'a name of any length': say => say({ type: 'net-name', name: 'x'.repeat(2000) }),
    'a frame of another kind': say => say({ type: 'net-what', s: 1 }),
  }
  it.each(Object.entries(forged))('end the link over %s', async (_, forge) => {
    const { link, say } = kit()
    forge(say)
    await link.closed
  })
})
