import { createSocket } from 'node:dgram'
import { createServer, isIPv4, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * A small Internet in a network namespace in which every address is this machine: a name server whose answers are made
 * up, and listeners that write down at which address each connection arrived. Whoever is talked into dialling 10.0.0.5
 * really gets there, and is seen.
 */
export interface Arrival {
  /** The address that was dialled. */
  readonly address: string
  readonly port: number
  bytes: Buffer
  isEnded: boolean
}

export interface World {
  readonly arrivals: Arrival[]
  /** Names that the name server was asked for, in order. */
  readonly asked: string[]
  close(): void
}

export const ports = [80, 443, 5432, 22]
export const publicAddresses = ['93.184.216.34', '2606:2800:220:1::1']

/** The addresses of a name; called once a question. */
export type Zone = (
  name: string,
  family: 4 | 6,
) => readonly string[] | { readonly alias: string; readonly addresses: readonly string[] }

/** A name server whose answers are made up. */
export async function openNames(zone: Zone, onAsked: (name: string) => void): Promise<{ close(): void }> {
  const names = createSocket('udp4')
  names.on('message', (question, from) => {
    const { name, family, end } = readQuestion(question)
    onAsked(name)
    const answers = family === 0 ? [] : zone(name, family)
    names.send(answerTo(question, end, answers), from.port, from.address)
  })
  await new Promise<void>(resolve => names.bind(53, '127.0.0.1', () => resolve()))
  return { close: () => names.close() }
}

export async function openWorld(zone: Zone): Promise<World> {
  const arrivals: Arrival[] = []
  const asked: string[] = []
  const open = new Set<Socket>()
  const names = await openNames(zone, name => asked.push(name))
  const servers = await Promise.all(
    ports.map(port => {
      const server = createServer({ allowHalfOpen: true }, socket => {
        const address = (socket.localAddress ?? '').replace(/^::ffff:/, '')
        const arrival: Arrival = { address, port, bytes: Buffer.alloc(0), isEnded: false }
        arrivals.push(arrival)
        open.add(socket)
        socket.on('close', () => open.delete(socket))
        socket.on('error', () => undefined)
        socket.on('data', data => {
          arrival.bytes = Buffer.concat([arrival.bytes, data])
          if (port === 443 && arrival.bytes.includes('again.') && arrival.bytes.length === data.length)
            socket.write(arrival.bytes.includes('warns.') ? Buffer.concat([warning, retry]) : retry)
          if (port === 80 && arrival.bytes.includes('\r\n\r\n')) answer(socket, arrival.bytes)
        })
        socket.on('end', () => {
          arrival.isEnded = true
          socket.end()
        })
      })
      return new Promise<typeof server>(resolve =>
        server.listen({ port, host: '::', backlog: 1024 }, () => resolve(server)),
      )
    }),
  )
  return {
    arrivals,
    asked,
    close() {
      names.close()
      for (const server of servers) server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** Answers the first request; says where to go next when asked to, and nothing where it is told to be silent. */
function answer(socket: Socket, request: Buffer): void {
  const [, path = ''] = request.toString('latin1').split(' ')
  if (path.startsWith('/redirect/'))
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${path.slice(10)}\r\nContent-Length: 0\r\n\r\n`)
  else if (path.startsWith('/switch')) socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: raw\r\n\r\nraw')
  else if (path.startsWith('/flood')) flood(socket)
  else if (path.startsWith('/crumbs')) crumbs(socket)
  else if (path in oddAnswers) socket.end(oddAnswers[path] ?? '')
  else if (!path.startsWith('/silent'))
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok')
}

const fine = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'
const oddAnswers: Readonly<Record<string, string>> = {
  '/interim': `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${fine}`,
  '/interims': `${'HTTP/1.1 100 \r\n\r\n'.repeat(20_000)}${fine}`,
  '/endless-head': `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(50_000)}`,
  '/odd-head': 'HTTP/1.1 200 OK\r\nX: y\0\r\n folded\r\n\r\nok',
  '/odd-chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nok\r\n0\r\n\r\n',
  '/two-answers': `${fine}${fine}`,
  '/two-lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 60\r\n\r\nok',
}

/** Asks for another greeting: a ServerHello whose random says so. */
const retryRandom = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex')
const retry = Buffer.concat([
  Buffer.from([22, 3, 3, 0, 44, 2, 0, 0, 40, 3, 3]),
  retryRandom,
  Buffer.from([0, 0x13, 0x01, 0, 0, 0]),
])

const warning = Buffer.from([21, 3, 3, 0, 2, 1, 112])

/** Sends for ever, as fast as the other side takes it. */
function flood(socket: Socket): void {
  const piece = Buffer.alloc(64 * 1024, 'x')
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  socket.on('drain', more)
  more()
}

/** Eight million chunks of a byte. */
function crumbs(socket: Socket): void {
  const piece = Buffer.from('1\r\nx\r\n'.repeat(10_000))
  let left = 800
  const more = (): void => {
    while (left-- > 0 && !socket.destroyed) if (!socket.write(piece)) return
    if (left < 0) socket.end('0\r\n\r\n')
  }
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
  socket.on('drain', more)
  more()
}

function readQuestion(message: Buffer): { name: string; family: 4 | 6 | 0; end: number } {
  const labels: string[] = []
  let at = 12
  for (let size = message[at] ?? 0; size > 0; size = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + size))
    at += size + 1
  }
  const type = message.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), family: type === 1 ? 4 : type === 28 ? 6 : 0, end: at + 5 }
}

function answerTo(question: Buffer, end: number, given: ReturnType<Zone>): Buffer {
  const { alias, addresses } = 'alias' in given ? given : { alias: null, addresses: given }
  const header = Buffer.from(question.subarray(0, 12))
  header[2] = 0x81
  header[3] = 0x80
  header.writeUInt16BE(addresses.length + (alias === null ? 0 : 1), 6)
  header.writeUInt32BE(0, 8)
  const owner = alias === null ? Buffer.from([0xc0, 12]) : nameBytes(alias)
  const aliases = alias === null ? [] : [Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 0, 0, owner.length]), owner]
  const answers = addresses.map(address => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
    const head = Buffer.from([0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length])
    return Buffer.concat([owner, head, bytes])
  })
  return Buffer.concat([header, question.subarray(12, end), ...aliases, ...answers])
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map(part => Buffer.from(`${String.fromCharCode(part.length)}${part}`)),
    Buffer.of(0),
  ])
