import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Clock, systemClock } from '../../clock.ts'
import { Failure } from '../../contract/problem.ts'
import { closeCodes } from '../../contract/rpc/app.ts'
import { maxMessageBytes } from '../../contract/rpc/base.ts'
import type { Log } from '../../log.ts'
import type { DoorWindows } from '../rpc/api.ts'
import type { Channel } from '../rpc/channel.ts'
import { Access, hashOf, isOurHost, isOurOrigin, newSecret, type Refusal, subprotocol } from './access.ts'
import { readRequest } from './request.ts'
import { sparing } from './sparing-log.ts'
import { resolveAsset, securityHeaders, sendFile } from './static.ts'
import { windowsOf } from './windows.ts'

export interface BrowserDoor {
  readonly port: number
  /** Whoever has this may ask for a link over the door itself. */
  readonly secret: string
  /** A link that opens the application once. */
  link(): string
  close(): Promise<void>
}

export interface BrowserDoorOptions {
  /** The built renderer; null when another server shows the page. */
  readonly root: string | null
  /** 0 means any that is free. */
  readonly port: number
  readonly log: Log
  readonly clock?: Clock
  /** Where links lead: another server may stand before this one while the page is being worked on. */
  readonly origin?: string
  /** Answers what comes over a line from a window that was let in. */
  readonly serve: (channel: Channel, windows: DoorWindows) => void
}

/**
 * Serves the application to browsers on this machine: loopback only, Host and Origin checked. The page itself is public
 * and holds nothing; whatever there is to see comes over the line, and only to a window that came by a one-time link.
 */
export async function openBrowserDoor(options: BrowserDoorOptions): Promise<BrowserDoor> {
  const { root, port, serve, clock = systemClock } = options
  const access = new Access(clock)
  const secret = newSecret()
  const log = sparing(options.log, clock)
  let actualPort = port
  const link = () => `${options.origin ?? `http://127.0.0.1:${actualPort}`}/#link=${access.issueLink()}`

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (!isOurHost(request, actualPort)) return refuse(response, turnedAway('host', request, log))
    const asked = readRequest(request)
    if (asked.kind === 'wrong') return refuse(response, asked)
    if (asked.kind === 'link') {
      if (hashOf(asked.secret) !== hashOf(secret)) return refuse(response, turnedAway('link', request, log))
      response.writeHead(200, { ...securityHeaders, 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' })
      return response.end(link())
    }
    const file = root === null ? null : resolveAsset(root, asked.path)
    if (!file) return refuse(response, { status: 404, text: 'There is nothing here.' })
    return sendFile(response, file)
  }

  const server = createServer((request, response) => {
    try {
      answer(request, response)
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a request could not be answered')
      if (response.headersSent) response.destroy()
      else refuse(response, { status: 500, text: 'This could not be answered.' })
    }
  })

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: offered => (offered.has(subprotocol) ? subprotocol : false),
  })
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isOurHost(request, actualPort)) return refuseUpgrade(socket, turnedAway('host', request, log))
    if (!isOurOrigin(request)) return refuseUpgrade(socket, turnedAway('origin', request, log))
    if (request.url !== '/rpc') return refuseUpgrade(socket, { status: 404, text: 'Not found' })
    const session = access.enter(offeredBy(request))
    sockets.handleUpgrade(request, socket, head, line => {
      const channel = channelOf(line, log)
      if (typeof session === 'string') {
        turnedAway(session, request, log)
        // A browser tells its page nothing of a refused handshake; a code after one it does tell.
        return line.close(closeCodes[session], refusals[session].text)
      }
      line.on('message', () => session.use())
      const forget = session.onEnd(() => line.close(closeCodes.session, refusals.session.text))
      line.on('close', forget)
      serve(channel, windowsOf(access, session, link))
    })
  }
  server.on('upgrade', (request, socket: Duplex, head) => {
    // Once upgraded, nobody else listens: a line that breaks now would end the process.
    socket.on('error', () => socket.destroy())
    try {
      upgrade(request, socket, head)
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a handshake could not be answered')
      socket.destroy()
    }
  })

  await listen(server, port)
  actualPort = (server.address() as AddressInfo).port
  return {
    port: actualPort,
    secret,
    link,
    close: () =>
      new Promise(resolve => {
        access.close()
        for (const socket of sockets.clients) socket.terminate()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

type Warn = Pick<Log, 'warn'>

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(cannotListen(error, port)))
    server.listen(port, '127.0.0.1', resolve)
  })
}

function offeredBy(request: IncomingMessage): ReadonlySet<string> {
  return new Set((request.headers['sec-websocket-protocol'] ?? '').split(',').map(each => each.trim()))
}

function channelOf(socket: WebSocket, log: Warn): Channel {
  socket.binaryType = 'arraybuffer'
  // An oversized or broken frame makes ws close the line by itself; without a listener it would end the process.
  socket.on('error', error => log.warn({ reason: error.message }, 'a line broke'))
  return {
    send: data => socket.send(data),
    onMessage: listener => socket.on('message', (data, binary) => listener(binary ? data : data.toString())),
    onClose: listener => socket.on('close', () => listener()),
    close: (code, reason) => socket.close(code, reason),
  }
}

const refusals: Record<Refusal, { status: number; text: string }> = {
  host: { status: 421, text: 'Countersign answers only to 127.0.0.1 and localhost.' },
  origin: { status: 403, text: 'Another site may not talk to Countersign.' },
  link: { status: 403, text: 'This link has been used, is too old or was never issued.' },
  session: { status: 401, text: 'This window has no session, or its session has ended.' },
}

function turnedAway(refusal: Refusal, request: IncomingMessage, log: Warn): { status: number; text: string } {
  log.warn({ refusal, host: request.headers.host, origin: request.headers.origin }, 'turned away')
  return refusals[refusal]
}

function refuse(response: ServerResponse, { status, text }: { status: number; text: string }): void {
  response.writeHead(status, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}

function refuseUpgrade(socket: Duplex, { status, text }: { status: number; text: string }): void {
  socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function cannotListen(error: Error & { code?: string }, port: number): Failure {
  const taken = error.code === 'EADDRINUSE'
  return new Failure(
    taken ? 'door.taken' : 'door.failed',
    taken ? `Port ${port} is in use.` : `Cannot listen on port ${port}: ${error.message}.`,
    'Choose another with --port, or --port 0 for any that is free.',
    { cause: error },
  )
}
