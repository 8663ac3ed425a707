import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { Failure } from '../../contract/problem.ts'
import { maxMessageBytes } from '../../contract/rpc/base.ts'
import type { Log } from '../../log.ts'
import type { Channel } from '../rpc/channel.ts'
import { Access, type Refusal } from './access.ts'
import { resolveAsset, securityHeaders, sendFile } from './static.ts'

export interface BrowserDoor {
  readonly port: number
  /** A link that opens the application once. */
  link(): string
  close(): Promise<void>
}

export interface BrowserDoorOptions {
  /** The built renderer. */
  readonly root: string
  /** 0 means any that is free. */
  readonly port: number
  readonly log: Log
  /** Answers what comes over a line from a page that was let in. */
  readonly serve: (channel: Channel) => void
}

/** Serves the renderer to browsers on this machine: loopback only, by one-time link, Host and Origin checked. */
export async function openBrowserDoor({ root, port, log, serve }: BrowserDoorOptions): Promise<BrowserDoor> {
  const access = new Access()
  let actualPort = port
  const turnAway = (refusal: Refusal, request: IncomingMessage) => {
    log.warn({ refusal, host: request.headers.host, origin: request.headers.origin }, 'turned away')
    return refusals[refusal]
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (access.checkHost(request, actualPort)) return refuse(response, turnAway('host', request))
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, { status: 405, text: 'Only GET.' })
    const token = url.searchParams.get('token')
    if (token !== null) {
      const cookie = access.exchange(token)
      if (!cookie) return refuse(response, turnAway('token', request))
      // The redirect takes the token out of the address bar and the history.
      response
        .writeHead(303, { ...securityHeaders, Location: '/', 'Set-Cookie': cookie, 'Cache-Control': 'no-store' })
        .end()
      return
    }
    if (access.checkCookie(request)) return refuse(response, turnAway('cookie', request))
    const file = resolveAsset(root, url.pathname)
    if (!file) return refuse(response, { status: 404, text: 'There is nothing here.' })
    sendFile(response, file)
  })

  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false })
  server.on('upgrade', (request, socket: Duplex, head) => {
    const refusal = access.checkHost(request, actualPort) ?? access.checkOrigin(request) ?? access.checkCookie(request)
    if (refusal || request.url !== '/rpc') {
      const { status, text } = refusal ? turnAway(refusal, request) : { status: 404, text: 'Not found' }
      socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    sockets.handleUpgrade(request, socket, head, socket => serve(channelOf(socket, log)))
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(cannotListen(error, port)))
    server.listen(port, '127.0.0.1', resolve)
  })
  actualPort = (server.address() as AddressInfo).port
  return {
    port: actualPort,
    link: () => `http://127.0.0.1:${actualPort}/?token=${access.issueToken()}`,
    close: () =>
      new Promise(resolve => {
        for (const socket of sockets.clients) socket.terminate()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function channelOf(socket: WebSocket, log: Log): Channel {
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
  token: {
    status: 403,
    text: 'This link has been used or was never issued. Ask for a new one where Countersign runs.',
  },
  cookie: { status: 401, text: 'Open Countersign by the link that it printed when it started.' },
}

function refuse(response: ServerResponse, { status, text }: { status: number; text: string }): void {
  response.writeHead(status, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}

function cannotListen(error: Error & { code?: string }, port: number): Failure {
  const taken = error.code === 'EADDRINUSE'
  return new Failure(
    taken ? 'door.taken' : 'door.failed',
    taken ? `Port ${port} is in use.` : `Cannot listen on port ${port}: ${error.message}.`,
    'Choose another with --port, or --port 0 for any that is free.',
    { cause: error },
  )
}
