import { connect, createServer, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from './attack/certificates.testing.ts'
import { hello } from './attack/tls.testing.ts'
import { HelloReader } from './client-hello.ts'
import { type Answer, AnswerReader, SecondHello } from './second-hello.ts'

const host = 'api.example.org'
const wrongName = (name: string | null) => (name === host ? null : `names ${name}`)

/** A real client and a real server with a relay between them that sees what both say. */
async function relayed(curve: string, onClient: (data: Buffer, on: Socket) => void, onServer: (data: Buffer) => void) {
  const { authority, certificate: cert, key } = makeCertificate(host)
  const server = createTls({ cert, key, ecdhCurve: curve, minVersion: 'TLSv1.3' }, socket => socket.end('hello'))
  const port = await listening(server)
  const relay = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    client.on('data', data => onClient(data, upstream))
    upstream.on('data', data => {
      onServer(data)
      client.write(data)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.end())
      one.on('error', () => other.destroy())
    }
  })
  const socket = connect(await listening(relay), '127.0.0.1')
  const tls = connectTls({ socket, servername: host, ca: authority, ecdhCurve: 'X25519:P-521' })
  let heard = ''
  for await (const piece of tls) heard += piece
  return heard
}

function listening(server: ReturnType<typeof createServer>): Promise<number> {
  onTestFinished(() => void server.close())
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
}

describe('what follows a TLS greeting', () => {
  it.each([
    ['X25519', 'other'],
    ['P-521', 'retry'],
  ])('is a handshake with a server of %s, which goes through as it came', async (curve, expected) => {
    const first = new HelloReader()
    const answer = new AnswerReader()
    const second = new SecondHello(wrongName)
    let said: Answer = 'more'
    let isGreeted = false
    let isFree = false
    const pass = (passed: ReturnType<SecondHello['feed']>, on: Socket) => {
      if ('refused' in passed) throw new Error(passed.refused)
      for (const piece of passed.pass) on.write(piece)
      isFree ||= passed.next === 'free'
    }
    const heard = await relayed(
      curve,
      (data, on) => {
        if (isFree) return void on.write(data)
        if (isGreeted) return pass(second.feed(data), on)
        if (first.feed(data).kind === 'more') return
        isGreeted = true
        on.write(first.greeting)
        pass(second.feed(first.rest), on)
      },
      data => {
        if (said !== 'more') return
        said = answer.feed(data)
        if (said !== 'more') second.answered(said)
      },
    )
    expect({ heard, said, isFree }).toEqual({ heard: 'hello', said: expected, isFree: true })
  })

  it('waits for the answer of the server when it is a handshake, and is free when the server asks for no other', () => {
    const second = new SecondHello(wrongName)
    const changeOfCipher = Buffer.from([20, 3, 3, 0, 1, 1])
    const key = Buffer.from([22, 3, 3, 0, 2, 16, 0])
    expect(second.feed(Buffer.concat([changeOfCipher, key]))).toEqual({ pass: [changeOfCipher], next: 'wait' })
    expect(second.isHolding).toBe(true)
    expect(second.answered('other')).toEqual({ pass: [key], next: 'free' })
  })

  it('is a second greeting with the same name, or nothing, when the server asks for one', () => {
    for (const [name, step] of [
      [host, 1],
      [host, 1000],
      ['evil.example', 1],
      ['evil.example', 1000],
    ] as const) {
      const second = new SecondHello(wrongName)
      second.answered('retry')
      const bytes = hello(name)
      const passed: Buffer[] = []
      let why: string | null = null
      for (let at = 0; at < bytes.length && why === null; at += step) {
        const next = second.feed(bytes.subarray(at, at + step))
        if ('refused' in next) why = next.refused
        else passed.push(...next.pass)
      }
      expect(why).toBe(wrongName(name))
      expect(Buffer.concat(passed).length).toBe(why ? 0 : bytes.length)
    }
  })

  it('is looked at also when the server warns before it asks for another greeting', () => {
    const warning = Buffer.from([21, 3, 3, 0, 2, 1, 112])
    const random = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex')
    const retry = Buffer.concat([Buffer.from([22, 3, 3, 0, 44, 2, 0, 0, 40, 3, 3]), random, Buffer.alloc(6)])
    const bytes = Buffer.concat([warning, warning, retry])
    expect(new AnswerReader().feed(bytes)).toBe('retry')
    const bytewise = new AnswerReader()
    const answers = Array.from(bytes, byte => bytewise.feed(Buffer.from([byte])))
    expect(answers.find(answer => answer !== 'more')).toBe('retry')
    expect(new AnswerReader().feed(Buffer.from([21, 3, 3, 0, 2, 2, 40]))).toBe('other')
    expect(new AnswerReader().feed(Buffer.from([21, 3, 3, 0, 1, 1, 21, 3]))).toBe('odd')
  })

  it('is nothing else, and a server whose first message is in crumbs is not waited for', () => {
    expect(new SecondHello(wrongName).feed(Buffer.from('GET / HTTP/1.1'))).toHaveProperty('refused')
    const crumbs = Buffer.concat([Buffer.from([22, 3, 3, 0, 1, 2]), Buffer.alloc(60, 22)])
    expect(new AnswerReader().feed(crumbs)).toBe('odd')
    expect(new SecondHello(wrongName).answered('odd')).toHaveProperty('refused')
  })
})
