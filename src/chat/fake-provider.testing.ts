import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ProviderKind } from '../contract/chat.ts'
import { errorEvent, protocols } from './fake-protocols.testing.ts'
import { refusedByRules } from './provider-rules.testing.ts'

/** What the fake says to one request. */
export interface Reply {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[]
  /** Characters in one chunk of the stream. */
  readonly chunk?: number
  /** Null for a provider that does not say. */
  readonly usage?: { readonly input: number; readonly output: number } | null
  /** What it says answered. */
  readonly version?: string
  /** Answers with this instead of a stream. */
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Where the connection is cut, what comes instead of a stream, or that nothing more comes. */
  readonly fault?: 'cut-text' | 'cut-arguments' | 'cut-between' | 'garbage' | 'silent' | 'error-event' | 'length'
  /** A stream that is cut comes to an orderly end all the same, as from a proxy that gives up. */
  readonly politely?: boolean
  /** The stream waits for this before its second piece of text, or of a call's arguments. */
  readonly gate?: Promise<unknown>
  readonly gateAt?: 'arguments'
}

export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
}

export interface FakeProvider {
  readonly baseUrl: string
  readonly kind: ProviderKind
  /** Requests in order, as they were parsed. */
  readonly asked: Asked[]
  /** All bytes that came over any socket, as text. */
  received(): string
  /** Connections that the other side closed before the answer was over. */
  readonly hungUp: string[]
  close(): Promise<void>
}

export type Script = readonly Reply[] | ((asked: Asked, number: number) => Reply | Promise<Reply>)

/**
 * A model server that speaks one of the three protocols on loopback, by a script, with the faults that real ones have.
 * A list is answered in order; its last reply is given again and again.
 */
export async function fakeProvider(kind: ProviderKind, script: Script): Promise<FakeProvider> {
  const asked: Asked[] = []
  const raw: string[] = []
  const hungUp: string[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', piece => pieces.push(piece))
    request.on('end', async () => {
      if (request.method === 'GET') return models(request, response)
      const text = Buffer.concat(pieces).toString('utf8')
      const body = JSON.parse(text) as Record<string, unknown>
      const each = { path: request.url ?? '', headers: request.headers, body }
      asked.push(each)
      const refused = refusedByRules(kind, text)
      if (refused) return void answer(kind, { status: 400, body: errorBody(refused) }, response)
      const reply =
        typeof script === 'function'
          ? await script(each, asked.length)
          : (script[asked.length - 1] ?? script.at(-1) ?? {})
      response.on('close', () => response.writableFinished || hungUp.push(each.path))
      void answer(kind, reply, response)
    })
  })
  server.on('connection', socket => socket.on('data', piece => raw.push(piece.toString('utf8'))))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    kind,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    hungUp,
    received: () => raw.join(''),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function models(request: IncomingMessage, response: ServerResponse): void {
  const key = request.headers['x-api-key'] ?? request.headers.authorization?.replace('Bearer ', '')
  if (key === 'wrong-key') {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'invalid x-api-key sk-secret-12345' } }))
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ object: 'list', data: [{ id: 'fake-1', object: 'model', max_model_len: 32_000 }] }))
}

async function answer(kind: ProviderKind, reply: Reply, response: ServerResponse): Promise<void> {
  if (reply.status) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(reply.body ?? JSON.stringify({ error: { type: 'error', message: `status ${reply.status}` } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (reply.fault === 'garbage') {
    response.end('data: {"never": closed\n\ndata: 12\n\nnothing like an event\n\n')
    return
  }
  const write = (data: string) => new Promise<void>(resolve => response.write(data, () => resolve()))
  let texts = 0
  let pieces = 0
  for (const frame of protocols[kind](reply)) {
    if (frame.of === 'text') texts++
    if (frame.of === 'arguments') pieces++
    const isGate = reply.gateAt ? frame.of === 'arguments' && pieces === 2 : frame.of === 'text' && texts === 2
    if (isGate && reply.gate) await reply.gate
    await write(frame.data)
    const isCut =
      (reply.fault === 'cut-text' && frame.of === 'text' && texts === 2) ||
      (reply.fault === 'cut-arguments' && frame.of === 'arguments' && pieces === 2) ||
      (reply.fault === 'cut-between' && frame.of === 'call-end')
    if (isCut && reply.politely) break
    if (isCut) {
      response.socket?.destroy()
      return
    }
    if (reply.fault === 'silent' && frame.of === 'text') return
    if (reply.fault === 'error-event' && frame.of === 'text') {
      await write(errorEvent[kind])
      break
    }
  }
  response.end()
}

const errorBody = (message: string) => JSON.stringify({ error: { type: 'invalid_request_error', message } })
