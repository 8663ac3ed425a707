import { connect, createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extension, hello, helloMessage, records } from './attack/tls.testing.ts'
import { HelloReader, type HelloState } from './client-hello.ts'
import { HeadGather } from './head-gather.ts'
import { bodyOf } from './http-body.ts'
import { endToEnd, framingOf, parseHead } from './http-head.ts'
import { RateLimit } from './rate.ts'

const readIn = (bytes: Buffer, step: number): HelloState => {
  const reader = new HelloReader()
  let state: HelloState = { kind: 'more' }
  for (let at = 0; at < bytes.length && state.kind === 'more'; at += step)
    state = reader.feed(bytes.subarray(at, at + step))
  return state
}

/** The greeting that this Node's own TLS sends. */
const realHello = (servername: string): Promise<Buffer> =>
  new Promise(resolve => {
    const server = createServer(socket =>
      socket.once('data', data => {
        resolve(data)
        socket.destroy()
        server.close()
      }),
    ).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      connectTls({ socket: connect(port, '127.0.0.1'), servername }).on('error', () => undefined)
    })
  })

describe('the reader of TLS greetings', () => {
  it('reads the name that a real client sends, however it is cut', async () => {
    const bytes = await realHello('api.example.org')
    for (const step of [1, 2, 7, 100, 10_000])
      expect(readIn(bytes, step)).toEqual({ kind: 'named', name: 'api.example.org' })
  })

  it('reads a greeting in records of any size and keeps every byte', () => {
    const message = helloMessage({ names: [[0, 'a.example.org']], before: [extension(0x0a0a, Buffer.alloc(3000))] })
    for (const size of [1, 3, 500, 16_384]) {
      const bytes = records(message, size)
      const reader = new HelloReader()
      expect(reader.feed(bytes)).toEqual({ kind: 'named', name: 'a.example.org' })
      expect(reader.bytes.equals(bytes)).toBe(true)
    }
  })

  it('never reads another name out of a damaged greeting, and never throws', () => {
    const good = hello('a.example.org')
    const change = fc.record({ at: fc.nat(good.length - 1), to: fc.nat(255) })
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 50 }),
        (changes, step) => {
          const bytes = Buffer.from(good)
          for (const { at, to } of changes) bytes[at] = to
          const state = readIn(bytes, step)
          if (state.kind === 'named' && state.name !== null)
            expect(bytes.includes(Buffer.from(state.name, 'latin1'))).toBe(true)
        },
      ),
      { numRuns: 3000 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        readIn(Buffer.from(bytes), 13)
      }),
      { numRuns: 1000 },
    )
  })

  it('gives up on one without an end', () => {
    const reader = new HelloReader()
    const piece = records(Buffer.concat([Buffer.from([1, 0, 255, 255]), Buffer.alloc(12_000)]), 1)
    let state: HelloState = { kind: 'more' }
    for (let turn = 0; turn < 20 && state.kind === 'more'; turn++) state = reader.feed(piece)
    expect(state.kind).toBe('refused')
  })
})

describe('the reader of heads', () => {
  it('finds the same head however it is cut', () => {
    const text = 'GET http://a.org/ HTTP/1.1\r\nHost: a.org\r\nX: y\r\n\r\nrest'
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), step => {
        const gather = new HeadGather()
        for (let at = 0; at < text.length; at += step) {
          const found = gather.feed(Buffer.from(text.slice(at, at + step)))
          if (found === 'more') continue
          expect(found?.head.fields).toEqual([
            { name: 'Host', value: 'a.org' },
            { name: 'X', value: 'y' },
          ])
          return
        }
        expect.unreachable()
      }),
    )
  })

  it('takes nothing that holds a control character, and never throws', () => {
    const part = fc.constantFrom(
      '\r\n',
      '\r',
      '\n',
      ':',
      ' ',
      '\t',
      '\0',
      'Host',
      'a',
      '\x7f',
      '\xff',
      'Content-Length',
      '5',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), parts => {
        const head = parseHead(`GET / HTTP/1.1\r\n${parts.join('')}\r\n\r\n`)
        for (const { name, value } of head?.fields ?? []) {
          expect(name).toMatch(/^[\x21-\x7e]+$/)
          expect(value).not.toMatch(/[\r\n\0\x7f]/)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('is not held up by blanks within a value', () => {
    const values = Array.from({ length: 40 }, () => `X: \t a${' '.repeat(60_000)}b \t`)
    const began = process.threadCpuUsage()
    const head = parseHead(`GET / HTTP/1.1\r\n${values.join('\r\n')}\r\n\r\n`)
    expect(head?.fields[0]?.value).toBe(`a${' '.repeat(60_000)}b`)
    // A pattern took a second and more for each of them.
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(10_000)
  })

  it('bounds a body in one way or not at all', () => {
    const framing = (fields: string) => {
      const head = parseHead(`POST / HTTP/1.1\r\n${fields}\r\n`)
      return head && framingOf(head, true)?.kind
    }
    expect(framing('Content-Length: 5\r\n')).toBe('length')
    expect(framing('Transfer-Encoding: chunked\r\n')).toBe('chunked')
    expect(framing('')).toBe('until-end')
    for (const fields of [
      'Content-Length: 5\r\nContent-Length: 5\r\n',
      'Content-Length: 5, 5\r\n',
      'Content-Length: -1\r\n',
      'Content-Length: 1e3\r\n',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding: gzip, chunked\r\n',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
    ])
      expect(framing(fields)).toBeUndefined()
  })

  it('drops what is only for the hop', () => {
    const head = parseHead(
      'GET / HTTP/1.1\r\nConnection: X-Mine, close\r\nX-Mine: 1\r\nProxy-Foo: 1\r\nTE: trailers\r\nAccept: */*\r\nX-HTTP-Method-Override: PUT\r\n\r\n',
    )
    expect(head && endToEnd(head)).toEqual([{ name: 'Accept', value: '*/*' }])
  })
})

describe('chunked bodies', () => {
  const chunk = (data: Uint8Array, more = '') =>
    Buffer.concat([Buffer.from(`${data.length.toString(16)}${more}\r\n`), data, Buffer.from('\r\n')])
  const end = Buffer.from('0\r\n\r\n')

  it('are taken apart and put together again, however they are cut, and end where they end', () => {
    const data = fc.uint8Array({ minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(fc.array(data, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), (pieces, step) => {
        const bytes = Buffer.concat([...pieces.map(piece => chunk(piece, ';x=y')), end, Buffer.from('GET /hidden')])
        const body = bodyOf({ kind: 'chunked' })
        const out: Buffer[] = []
        for (let at = 0; at < bytes.length; at += step)
          out.push(...(body.feed(bytes.subarray(at, at + step)) ?? [Buffer.from('?')]))
        expect(body.isWhole).toBe(true)
        const again = bodyOf({ kind: 'chunked' }, false)
        expect(Buffer.concat(again.feed(Buffer.concat(out)) ?? [])).toEqual(Buffer.concat(pieces))
        expect(again.isWhole).toBe(true)
        expect(body.feed(Buffer.from('more'))).toEqual([])
      }),
    )
  })

  it('are sent on with three writes a read, however small they are', () => {
    const crumbs = Buffer.from('1\r\nx\r\n'.repeat(10_000))
    const [size, data, ...rest] = bodyOf({ kind: 'chunked' }).feed(crumbs) ?? []
    expect([size?.toString(), data?.toString(), rest.join()]).toEqual(['2710\r\n', 'x'.repeat(10_000), '\r\n'])
  })

  it('may have fields behind them, which do not travel on', () => {
    const body = bodyOf({ kind: 'chunked' })
    expect(Buffer.concat(body.feed(Buffer.from('0;a=b\r\nHost: evil.net\r\nX:\ty\r\n\r\n')) ?? [])).toEqual(end)
    expect(body.isWhole).toBe(true)
  })

  it.each([
    '-1\r\n',
    ' 5\r\nhello\r\n',
    '5\nhello\r\n',
    '5\r\nhello!\r\n',
    '0x5\r\nhello\r\n',
    '\r\n',
    'fffffffff\r\n',
    '5\r\nhelloX',
    '1;'.padEnd(1100, 'x'),
    '5;x\ny\r\nhello\r\n',
    '5 \r\nhello\r\n',
    '5\rhello\r\n',
    '000000005\r\nhello\r\n',
    '0\r\nX: y\n\r\n',
    '0\r\nX: y\rZ: w\r\n\r\n',
    '0\r\nX: \0\r\n\r\n',
    `0\r\n${'x'.repeat(1100)}\r\n\r\n`,
    `0\r\n${`${'x'.repeat(1000)}\r\n`.repeat(70)}\r\n`,
  ])('are refused when they are %j', text => {
    expect(bodyOf({ kind: 'chunked' }).feed(Buffer.from(text))).toBeNull()
  })
})

describe('the limit of requests', () => {
  it('lets a hundred through in any minute and says how long to wait', () => {
    const limit = new RateLimit()
    for (let n = 0; n < 100; n++) expect(limit.take('a.org', 1000 + n)).toBeNull()
    expect(limit.take('a.org', 31_000)).toBe(30_000)
    expect(limit.take('b.org', 31_000)).toBeNull()
    expect(limit.take('a.org', 61_000)).toBeNull()
    expect(limit.take('a.org', 61_000)).toBe(1)
  })
})
