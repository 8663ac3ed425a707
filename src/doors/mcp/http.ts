import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  type McpServerFactory,
} from '@modelcontextprotocol/server'
import { type Clock, systemClock } from '../../clock.ts'
import { Failure } from '../../contract/problem.ts'
import type { Log } from '../../log.ts'
import { deeperThan, mostLevels } from '../../mcp/mcp.ts'

export interface McpDoor {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

export interface McpDoorOptions {
  readonly factory: McpServerFactory
  /** 0 means any that is free. */
  readonly port: number
  /** Whoever has it acts as the person of this machine. */
  readonly token: string
  readonly log: Log
  readonly clock?: Clock
}

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport
  lastUsed: number
  open: number
}

const maxBodyBytes = 4 * 1024 * 1024
const mostSessions = 64
const idleMs = 60 * 60_000

/**
 * MCP over HTTP for programs of this machine: loopback only; Host, Origin and token are checked before anything is
 * read. Clients of the older generation have sessions, those of the newer one bring all they need in each request.
 */
export async function openMcpDoor({
  factory,
  port,
  token,
  log,
  clock = systemClock,
}: McpDoorOptions): Promise<McpDoor> {
  const onerror = (error: Error) => log.warn({ mcp: 'http' }, error.message)
  const modern = createMcpHandler(factory, { legacy: 'reject', onerror, maxRequestBodySize: maxBodyBytes })
  const answerModern = toNodeHandler(modern, { onerror, maxRequestBodySize: maxBodyBytes })
  const sessions = new Map<string, Session>()
  const isOurHost = localhostHostValidation()
  const isOurOrigin = localhostOriginValidation()

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isOurHost(request, response) || !isOurOrigin(request, response)) return
    if (!isBearer(request, token)) {
      response.setHeader('WWW-Authenticate', 'Bearer realm="countersign"')
      return refuse(response, 401, -32001, 'A bearer token is needed. `countersign mcp --http` prints it.')
    }
    if (!/^\/mcp(?:\?|$)/.test(request.url ?? '')) return refuse(response, 404, -32601, 'The address ends in /mcp.')
    if (request.method !== 'POST') return answerSession(request, response, undefined)
    if (!isJsonContentType(request.headers['content-type'] ?? ''))
      return refuse(response, 415, -32600, 'The body must be application/json.')
    const body = await bodyOf(request)
    if (body === 'too-large') response.setHeader('Connection', 'close')
    if (body === 'too-large') return refuse(response, 413, -32600, 'The body is longer than 4 MB.')
    if (body === 'not-json') return refuse(response, 400, -32700, 'The body is not JSON.')
    if (deeperThan(body, mostLevels))
      return refuse(response, 400, -32600, `The body is nested more than ${mostLevels} levels deep.`)
    const legacy = await isLegacyRequest(await toWebRequest(request, body), body)
    return legacy ? answerSession(request, response, body) : answerModern(request, response, body)
  }

  const answerSession = async (request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> => {
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string') {
      const session = sessions.get(id)
      if (!session) return refuse(response, 404, -32001, 'This session is over. Initialize again.')
      return within(session, request, response, body)
    }
    if (!isInitializeRequest(body)) return refuse(response, 400, -32000, 'A session id is needed: initialize first.')
    dropIdle()
    if (sessions.size >= mostSessions) dropOldest()
    if (sessions.size >= mostSessions) return refuse(response, 503, -32000, 'Too many sessions are open.')
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: made => void sessions.set(made, session),
      onsessionclosed: over => void sessions.delete(over),
    })
    const session: Session = { transport, lastUsed: clock.now(), open: 0 }
    const server = await factory({ era: 'legacy' })
    await server.connect(transport)
    return within(session, request, response, body)
  }

  const within = async (session: Session, request: IncomingMessage, response: ServerResponse, body: unknown) => {
    session.open += 1
    response.once('close', () => {
      session.open -= 1
      session.lastUsed = clock.now()
    })
    await session.transport.handleRequest(request, response, body)
  }

  const drop = (id: string, { transport }: Session) => {
    sessions.delete(id)
    void transport.close().catch(onerror)
  }
  /** Clients seldom say goodbye. */
  const dropIdle = () => {
    for (const [id, session] of sessions)
      if (session.open === 0 && clock.now() - session.lastUsed >= idleMs) drop(id, session)
  }
  /** One that starts again and again must not keep others out until its sessions are old. */
  const dropOldest = () => {
    const idle = [...sessions].filter(([, { open }]) => open === 0)
    const [oldest] = idle.sort(([, a], [, b]) => a.lastUsed - b.lastUsed)
    if (oldest) drop(...oldest)
  }

  const server = createServer((request, response) => {
    void answer(request, response).catch(error => {
      onerror(error instanceof Error ? error : new Error(String(error)))
      if (response.headersSent) response.destroy()
      else refuse(response, 500, -32603, 'This could not be answered.')
    })
  })
  // Clients use a connection again after minutes; one that is closed in that moment looks to them like a crash.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      const message = taken ? `Port ${port} is taken.` : error.message
      reject(new Failure(taken ? 'door.taken' : 'door.failed', message, 'Choose another with --port.'))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  const actual = (server.address() as AddressInfo).port
  return {
    port: actual,
    url: `http://127.0.0.1:${actual}/mcp`,
    async close() {
      for (const { transport } of sessions.values()) await transport.close().catch(onerror)
      sessions.clear()
      await modern.close()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest()

function isBearer(request: IncomingMessage, token: string): boolean {
  const given = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
  return given !== undefined && timingSafeEqual(hash(given), hash(token))
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > maxBodyBytes) return 'too-large'
    pieces.push(piece)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'))
    // A bare string is JSON, but no message.
    return typeof value === 'object' && value !== null ? value : 'not-json'
  } catch {
    return 'not-json'
  }
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
}
