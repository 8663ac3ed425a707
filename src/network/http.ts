import { type Connection, judgeTunnel } from './connection.ts'
import { HeadGather } from './head-gather.ts'
import { canonicalHost, type Host, hostText } from './host.ts'
import { type Body, bodyOf } from './http-body.ts'
import { endToEnd, type Framing, framingFields, framingOf, type Head, valuesOf, writeHead } from './http-head.ts'
import { Refusal } from './refusal.ts'
import { judge } from './rules.ts'
import { openTunnel } from './tunnel.ts'

const requestLine = /^([A-Z]{1,20}) (\S{1,32768}) HTTP\/1\.([01])$/
const malformed = (why: string): Refusal => new Refusal('malformed', `The request cannot be read: ${why}.`)

/** One request of HTTP/1.x. Another one would need another connection, so none can hide behind the first. */
export async function serveHttp(connection: Connection, head: Head, rest: Buffer): Promise<void> {
  const match = requestLine.exec(head.start)
  if (!match) throw malformed('its first line is not one of HTTP/1.x')
  const [, method = '', target = '', minor] = match
  const isHttp11 = minor === '1'
  connection.note({ method })
  const framing = requestFraming(head, isHttp11)
  if (valuesOf(head, 'host').length > 1) throw malformed('it names two hosts')
  if (isHttp11 && valuesOf(head, 'host').length === 0) throw malformed('it names no host')
  if (method === 'CONNECT') return serveConnect(connection, target, framing, rest)
  connection.note({ protocol: 'http' })
  const { host, port, path } = readTarget(target)
  if (framing.kind !== 'none' && ['GET', 'HEAD', 'OPTIONS'].includes(method))
    throw malformed(`${method} has no body here`)

  const upstream = await connection.admit({ host, port }, rules => {
    const wanted = { host: host.text, port, protocol: 'http' as const, method }
    return { wanted, judgement: judge(rules, wanted) }
  })
  connection.established()
  receiveAnswer(connection, method, isHttp11)
  const fields = [
    { name: 'Host', value: port === 80 ? hostText(host.text) : `${hostText(host.text)}:${port}` },
    ...endToEnd(head).filter(field => field.name.toLowerCase() !== 'host'),
    ...(method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? [] : framingFields(framing)),
    { name: 'Connection', value: 'close' },
  ]
  connection.send(writeHead(`${method} ${path} HTTP/1.1`, fields))
  sendBody(connection, bodyOf(framing), rest)
  upstream.resume()
}

function requestFraming(head: Head, isHttp11: boolean): Framing {
  const framing = framingOf(head, isHttp11)
  if (!framing) throw malformed('the length of its body is not clear')
  // A request without a length has no body.
  return framing.kind === 'until-end' ? { kind: 'none' } : framing
}

async function serveConnect(connection: Connection, target: string, framing: Framing, rest: Buffer): Promise<void> {
  connection.note({ method: null, protocol: 'https' })
  if (framing.kind !== 'none') throw malformed('CONNECT has no body')
  const wanted = readAuthority(target, null)
  await openWay(connection, wanted, () => connection.client.write('HTTP/1.1 200 Connection established\r\n\r\n'), rest)
}

/** Dials, says so, and lets the tunnel begin. Also what SOCKS ends in. */
export async function openWay(
  connection: Connection,
  target: { host: Host; port: number },
  confirm: () => void,
  rest: Buffer,
): Promise<void> {
  let isTls = true
  await connection.admit(target, rules => {
    const chosen = judgeTunnel(rules, target)
    isTls = chosen.wanted.protocol === 'https'
    return chosen
  })
  confirm()
  openTunnel(connection, target.host, isTls, rest)
}

/** `http://host:port/path`, with nothing in it that another reader could cut elsewhere. */
function readTarget(target: string): { host: Host; port: number; path: string } {
  const match = /^http:\/\/([^/?#\\@]+)((?:[/?][^#\\]*)?)$/i.exec(target)
  if (!match) throw malformed('it does not name what it wants as http://host/path')
  const [, authority = '', rest = ''] = match
  return { ...readAuthority(authority, 80), path: rest.startsWith('/') ? rest : `/${rest}` }
}

function readAuthority(authority: string, usualPort: number | null): { host: Host; port: number } {
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority)
  if (!match) throw malformed('it does not name a host and a port')
  const [, name = '', digits] = match
  const host = canonicalHost(name)
  if (!host) throw new Refusal('name', 'The request does not name a host that could be one.')
  if (digits === undefined && usualPort !== null) return { host, port: usualPort }
  const port = /^[1-9]\d{0,4}$/.test(digits ?? '') ? Number(digits) : 0
  if (port < 1 || port > 65_535) throw malformed('its port is none')
  return { host, port }
}

function sendBody(connection: Connection, body: Body, rest: Buffer): void {
  connection.onClientEnd = () => {
    // A client that closes half-way has not asked for what it began to ask for.
    if (!body.isWhole) connection.end()
  }
  connection.onClient = data => {
    // Whatever follows the request was never asked for and goes nowhere.
    if (body.isWhole) return
    const pieces = body.feed(data)
    if (!pieces) return connection.fail('malformed', 'The body of the request cannot be read.')
    if (pieces.length > 0) connection.send(...pieces)
  }
  if (rest.length > 0) connection.onClient(rest)
  if (connection.isOver) return
  if (connection.client.readableEnded) connection.onClientEnd()
  else connection.client.resume()
}

/** Heads with a status of 1xx before the answer itself. */
const maxInterims = 20
const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: .*)?$/
const broken = Buffer.from(
  'HTTP/1.1 502 The answer of the host cannot be read\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
)

/** Reads the head of the answer, drops what is only for the hop, then lets the body through as far as it goes. */
function receiveAnswer(connection: Connection, method: string, isHttp11: boolean): void {
  let gather = new HeadGather()
  let interims = 0
  let body: Body | null = null
  const isWhole = (): boolean => body?.isWhole ?? false
  const refuse = (): null => {
    connection.fail('malformed', 'The answer of the host cannot be read.', body ? undefined : broken)
    return null
  }
  const pass = (data: Buffer): Buffer[] | null => {
    const pieces = body?.feed(data) ?? null
    if (!pieces) return refuse()
    if (isWhole()) setImmediate(() => connection.done())
    return pieces
  }
  connection.transform = data => {
    if (body) return pass(data)
    const heads: Buffer[] = []
    for (let rest = data; ; ) {
      const found = gather.feed(rest)
      if (found === 'more') return heads
      const answer = found && readAnswer(found.head, method, isHttp11)
      if (!found || !answer) return refuse()
      // A client of HTTP/1.0 takes the first head for the answer.
      if (isHttp11 || !answer.isInterim) heads.push(answer.head)
      if (!answer.isInterim) {
        body = bodyOf(answer.framing, isHttp11)
        const first = pass(found.rest)
        return first && [...heads, ...first]
      }
      // A server could otherwise send such heads for ever.
      if (++interims > maxInterims) return refuse()
      gather = new HeadGather()
      rest = found.rest
    }
  }
  connection.upstream?.on('end', () => {
    if (!body) return refuse()
    for (const piece of body.atEnd) connection.client.write(piece)
    connection.done()
  })
}

function readAnswer(head: Head, method: string, isHttp11: boolean) {
  const match = statusLine.exec(head.start)
  const status = Number(match?.[2])
  // 101 would turn the connection into something that nobody reads any more.
  if (!match || status === 101 || status < 100) return null
  if (status < 200) return { isInterim: true, head: writeHead(head.start, endToEnd(head)), framing: none } as const
  const isBodiless = method === 'HEAD' || status === 204 || status === 304
  const framing = framingOf(head, match[1] === '1')
  if (!framing) return null
  const toClient = isBodiless ? framing : framingFor(framing, isHttp11)
  const fields = [...endToEnd(head), ...framingFields(toClient), { name: 'Connection', value: 'close' }]
  const start = head.start.replace(/^HTTP\/1\.0/, 'HTTP/1.1')
  return { isInterim: false, head: writeHead(start, fields), framing: isBodiless ? none : framing } as const
}
const none: Framing = { kind: 'none' }

/** A body without a length goes to the client in chunks, if the client knows them. */
function framingFor(framing: Framing, knowsChunks: boolean): Framing {
  if (framing.kind !== 'chunked' && framing.kind !== 'until-end') return framing
  return { kind: knowsChunks ? 'chunked' : 'until-end' }
}
