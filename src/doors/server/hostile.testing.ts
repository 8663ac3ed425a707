import { connect as connectTo } from 'node:net'

/** Repeatable randomness: a failing run is found again by its seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const perLine = 25
const linesAtOnce = 40

export interface Fuzzed {
  sent: number
  /** How many answers had which status; `closed` counts lines that were closed without one. */
  statuses: Record<string, number>
  /** Answers that held what nobody may read, or a page nobody asked for. */
  leaks: string[]
}

/**
 * Sends malformed requests and handshakes. On each line some two dozen requests go out together that are HTTP and
 * hostile; last comes one that ends the line: a handshake, or bytes that are no HTTP at all.
 */
export async function fuzzDoor(port: number, count: number, seed: number): Promise<Fuzzed> {
  const random = randomFrom(seed)
  const result: Fuzzed = { sent: 0, statuses: {}, leaks: [] }
  const worker = async () => {
    while (result.sent < count) {
      const wanted = Math.min(perLine, count - result.sent)
      result.sent += wanted
      const requests = Array.from({ length: wanted - 1 }, () => hostileRequest(port, random))
      const last = random() < 0.6 ? hostileUpgrade(port, random) : brokenBytes(port, random)
      note(result, await exchange(port, requests, last))
    }
  }
  await Promise.all(Array.from({ length: linesAtOnce }, worker))
  return result
}

function note(result: Fuzzed, answer: string): void {
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status as string)
  for (const status of statuses.length > 0 ? statuses : ['closed']) {
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
  }
  if (answer.includes('a secret') || /#link=/.test(answer)) result.leaks.push(answer.slice(0, 500))
}

/** Sends all requests at once and, when they are answered, the last one; reads until the other side closes. */
function exchange(port: number, requests: readonly string[], last: string): Promise<string> {
  return new Promise(resolve => {
    let answer = ''
    let answers = 0
    let isLastSent = false
    const socket = connectTo({ port, host: '127.0.0.1' })
    const send = (text: string) => Buffer.from(text, 'latin1')
    const sendLast = () => {
      if (isLastSent || answers < requests.length) return
      isLastSent = true
      socket.end(send(last))
    }
    // Some broken bytes are the beginning of something: what waits for the rest is closed from here.
    socket.setTimeout(2000, () => socket.destroy())
    socket.on('data', data => {
      const text = data.toString('latin1')
      answers += text.split('HTTP/1.1 ').length - 1
      answer += text
      sendLast()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
    socket.on('connect', () => {
      if (requests.length > 0) socket.write(send(requests.join('')))
      else sendLast()
    })
  })
}

const pick = <T>(random: () => number, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

/** What the parser of HTTP takes for a target; what it refuses ends the line and stands with the broken bytes. */
const targets = [
  '//',
  '///',
  '//evil.example/',
  '/\\',
  '/..',
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '/%',
  '/%zz',
  '/%00',
  '/%c0%ae%c0%ae/',
  '/?token=x',
  '/#link=x',
  '/rpc',
  '/link',
  '/index.html/',
  '/./index.html',
  '*',
  'http://',
  'http://[',
  'http://[::1',
  'http://:99999/',
  'http://a:b@c:d/',
  'https://127.0.0.1',
  'ws://x',
  'file:///etc/passwd',
  '/%F0%9F%92%A9',
  '/;a=b',
  '/con',
  '/index.html%00.js',
  '/%5c..%5c',
  '//[',
  '//%',
  '/.git/config',
  `/${'a'.repeat(4000)}`,
  `/${'%41'.repeat(900)}`,
  `/${'../'.repeat(300)}`,
  '/%ud800',
] as const
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'SEARCH', 'PURGE']
const oddHeaders = [
  'Accept: */*',
  'Cookie: countersign=x',
  'Cookie: ;;;=;',
  'Authorization: Bearer x',
  'Authorization: Basic ==',
  'Range: bytes=9-1',
  'Origin: null',
  'Origin: http://evil.example',
  'Content-Length: 0',
  'If-None-Match: *',
  'X-Forwarded-Host: x',
  'Referer: //',
  'Accept-Encoding: \xff',
  'Via: ,,,',
  'Expect: nothing',
  'TE: trailers',
  `X-Long: ${'y'.repeat(300)}`,
  'Sec-WebSocket-Protocol: ,,',
] as const

const hosts = (port: number) =>
  [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    'evil.example',
    '',
    '[',
    `127.0.0.1:${port}@x`,
    '\xff',
    '127.1',
    ':',
  ] as const

function headersFrom(port: number, random: () => number): string[] {
  // Half have the right Host, or nothing behind the check of it would ever be reached.
  const host = random() < 0.5 ? `127.0.0.1:${port}` : pick(random, hosts(port))
  const others = Array.from({ length: Math.floor(random() * 4) }, () => pick(random, oddHeaders))
  return [`Host: ${host}`, ...new Set(others)]
}

function target(random: () => number): string {
  if (random() < 0.7) return pick(random, targets)
  const length = 1 + Math.floor(random() * 12)
  return `/${Array.from({ length }, () => pick(random, [...'/%.:@[]?#\\a2e&=+~'])).join('')}`
}

function hostileRequest(port: number, random: () => number): string {
  return `${pick(random, methods)} ${target(random)} HTTP/1.1\r\n${headersFrom(port, random).join('\r\n')}\r\n\r\n`
}

const protocols = [
  'countersign',
  'countersign, window.x',
  `window.${'a'.repeat(43)}, link.${'b'.repeat(43)}`,
  'a, a',
  ',',
  '\xff',
  '',
]
const versions = ['8', '0', '99', 'x', '']
const keys = ['x', '', '='.repeat(24)]

/** Right for the most part: one wrong thing at a time reaches further than five. */
const mostly = <T>(random: () => number, right: T, wrong: readonly T[]): T =>
  random() < 0.8 ? right : pick(random, wrong)

function hostileUpgrade(port: number, random: () => number): string {
  const path = random() < 0.6 ? '/rpc' : target(random)
  const origin =
    random() < 0.6 ? `http://127.0.0.1:${port}` : pick(random, ['null', 'http://evil.example', '//', '\xff'])
  const headers = [
    ...headersFrom(port, random),
    `Upgrade: ${mostly(random, 'websocket', ['WebSocket', 'h2c', ''])}`,
    'Connection: Upgrade',
    `Origin: ${origin}`,
    `Sec-WebSocket-Key: ${mostly(random, 'dGhlIHNhbXBsZSBub25jZQ==', keys)}`,
    `Sec-WebSocket-Version: ${mostly(random, '13', versions)}`,
    `Sec-WebSocket-Protocol: ${pick(random, protocols)}`,
  ]
  const frames = random() < 0.5 ? '' : bytes(random, 1 + Math.floor(random() * 40))
  return `${mostly(random, 'GET', ['POST', 'CONNECT'])} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${frames}`
}

function brokenBytes(port: number, random: () => number): string {
  return pick(random, [
    () => `${bytes(random, 30)}\r\n\r\n`,
    () => `GET / HTTP/9.9\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    () => `GET /\r\n\r\n`,
    () =>
      `GET ${pick(random, ['?', '#', 'javascript:1', '/\xff\xfe', '/\x7f', '', 'x'])} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    () => `GET / HTTP/1.1\r\n\r\n`,
    () => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\n\r\n`,
    () => `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    () => `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: -1\r\n\r\n`,
    () => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${'z'.repeat(20_000)}\r\n\r\n`,
    () => `GET / HTTP/1.1\r\n Host: x\r\nHost\x00: y\r\n\r\n`,
    () => `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ])()
}

const bytes = (random: () => number, length: number) =>
  Array.from({ length }, () => String.fromCharCode(Math.floor(random() * 256))).join('')
