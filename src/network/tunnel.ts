import { HelloReader } from './client-hello.ts'
import type { Connection } from './connection.ts'
import type { Host } from './host.ts'
import { AnswerReader, type Passed, SecondHello } from './second-hello.ts'

/** TLS alert, fatal: unrecognised name. Clients then say so, instead of "connection reset". */
const unrecognised = Buffer.from([21, 3, 3, 0, 2, 2, 112])

/** Carries bytes both ways. Where TLS was granted, only after its greeting has named the granted host and no other. */
export function openTunnel(connection: Connection, host: Host, isTls: boolean, early: Buffer): void {
  if (!isTls) {
    flow(connection, early)
    if (connection.client.readableEnded) connection.onClientEnd()
    return
  }
  const hello = new HelloReader()
  connection.expectMore()
  connection.onClient = data => {
    const state = hello.feed(data)
    if (state.kind === 'more') return
    const why = state.kind === 'refused' ? state.why : wrongName(host, state.name)
    if (why) return refuse(connection, why)
    flow(connection, hello.greeting)
    if (!connection.isOver) watchHandshake(connection, host, hello.rest)
  }
  connection.onClientEnd = () => connection.end()
  if (early.length > 0) connection.onClient(early)
  if (connection.isOver) return
  if (connection.client.readableEnded) connection.onClientEnd()
  else connection.client.resume()
}

const refuse = (connection: Connection, why: string): void =>
  connection.fail('tls-name', `Refused: ${why}.`, unrecognised)

function wrongName(host: Host, name: string | null): string | null {
  // An address stands in no greeting (RFC 6066); a greeting with a name would ask for another host at that address.
  if (host.kind === 'address')
    return name === null ? null : 'the TLS greeting names a host where an address was granted'
  if (name === null) return 'the TLS greeting names no host'
  return name.toLowerCase() === host.text ? null : `the TLS greeting names another host than ${host.text}`
}

/** Until the server has taken the greeting, another one could follow with another name in it. */
function watchHandshake(connection: Connection, host: Host, rest: Buffer): void {
  const second = new SecondHello(name => wrongName(host, name))
  const answer = new AnswerReader()
  const { onClientEnd } = connection
  const release = (): void => {
    connection.transform = data => [data]
    connection.onClient = data => connection.send(data)
    connection.onClientEnd = onClientEnd
  }
  const take = (passed: Passed): void => {
    if ('refused' in passed) {
      refuse(connection, passed.refused)
      return
    }
    connection.send(...passed.pass.filter(piece => piece.length > 0))
    if (connection.isOver) return
    if (passed.next === 'free') release()
    if (passed.next === 'wait') connection.client.pause()
  }
  connection.onClient = data => take(second.feed(data))
  connection.onClientEnd = () => {
    if (second.isHolding) connection.end()
    else onClientEnd()
  }
  connection.transform = data => {
    const said = answer.feed(data)
    if (said === 'more') return [data]
    connection.transform = each => [each]
    take(second.answered(said))
    if (connection.isOver) return null
    connection.client.resume()
    return [data]
  }
  if (rest.length > 0) connection.onClient(rest)
}

function flow(connection: Connection, first: Buffer): void {
  const { client, upstream } = connection
  if (!upstream) return
  connection.established()
  connection.onClient = data => connection.send(data)
  // Each side may finish before the other: its end is passed on, and the rest still flows.
  connection.onClientEnd = () => upstream.end()
  upstream.on('end', () => client.end())
  upstream.on('close', () => (client.writableFinished ? connection.end() : connection.done()))
  client.on('finish', () => upstream.writableFinished && connection.done())
  if (first.length > 0) connection.send(first)
  client.resume()
  upstream.resume()
}
