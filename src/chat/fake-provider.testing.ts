import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ProviderKind } from '../contract/chat.ts'

/** What the fake says to one request. */
export interface Reply {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[]
  /** Characters in one chunk of the stream. */
  readonly chunk?: number
  readonly usage?: { readonly input: number; readonly output: number }
  /** Answers with this instead of a stream. */
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Where the connection is cut, what comes instead of a stream, or that nothing more comes. */
  readonly fault?: 'cut-text' | 'cut-arguments' | 'cut-between' | 'garbage' | 'silent' | 'error-event' | 'length'
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

export type Script = readonly Reply[] | ((asked: Asked, number: number) => Reply)

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
    request.on('end', () => {
      if (request.method === 'GET') return models(request, response)
      const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Record<string, unknown>
      const each = { path: request.url ?? '', headers: request.headers, body }
      asked.push(each)
      const reply =
        typeof script === 'function' ? script(each, asked.length) : (script[asked.length - 1] ?? script.at(-1) ?? {})
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

interface Frame {
  readonly of: 'text' | 'arguments' | 'call-end' | 'other' | 'finish'
  readonly data: string
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

const split = (text: string, size = 7): string[] => {
  const signs = [...text]
  return Array.from({ length: Math.ceil(signs.length / size) }, (_, at) =>
    signs.slice(at * size, (at + 1) * size).join(''),
  )
}
const argumentsOf = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input))
const usageOf = (reply: Reply) => reply.usage ?? { input: 100, output: 20 }

const protocols: Record<ProviderKind, (reply: Reply) => Generator<Frame>> = {
  *anthropic(reply) {
    const event = (of: Frame['of'], type: string, rest: object): Frame => ({
      of,
      data: `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`,
    })
    const { input, output } = usageOf(reply)
    yield event('other', 'message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'fake-1-20260101',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: 1 },
      },
    })
    let index = 0
    if (reply.text) {
      yield event('other', 'content_block_start', { index, content_block: { type: 'text', text: '' } })
      for (const text of split(reply.text, reply.chunk))
        yield event('text', 'content_block_delta', { index, delta: { type: 'text_delta', text } })
      yield event('other', 'content_block_stop', { index })
      index++
    }
    for (const { name, input: given } of reply.calls ?? []) {
      yield event('other', 'content_block_start', {
        index,
        content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
      })
      for (const partial_json of split(argumentsOf(given), reply.chunk))
        yield event('arguments', 'content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } })
      yield event('call-end', 'content_block_stop', { index })
      index++
    }
    const stop = reply.fault === 'length' ? 'max_tokens' : reply.calls?.length ? 'tool_use' : 'end_turn'
    yield event('finish', 'message_delta', {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: output },
    })
    yield event('finish', 'message_stop', {})
  },

  *compatible(reply) {
    const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'fake-1-20260101' }
    const chunk = (of: Frame['of'], delta: object, finish: string | null = null, more: object = {}): Frame => ({
      of,
      data: `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`,
    })
    yield chunk('other', { role: 'assistant', content: '' })
    if (reply.reasoning) yield chunk('other', { reasoning_content: reply.reasoning })
    for (const content of split(reply.text ?? '', reply.chunk)) yield chunk('text', { content })
    for (const [index, { name, input }] of (reply.calls ?? []).entries()) {
      yield chunk('other', {
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
      })
      const pieces = split(argumentsOf(input), reply.chunk)
      for (const [at, piece] of pieces.entries())
        yield chunk(at === pieces.length - 1 ? 'call-end' : 'arguments', {
          tool_calls: [{ index, function: { arguments: piece } }],
        })
    }
    const finish = reply.fault === 'length' ? 'length' : reply.calls?.length ? 'tool_calls' : 'stop'
    yield chunk('finish', {}, finish)
    const { input, output } = usageOf(reply)
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
    yield { of: 'finish', data: `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\ndata: [DONE]\n\n` }
  },

  *openai(reply) {
    let sequence_number = 0
    const event = (of: Frame['of'], type: string, rest: object): Frame => ({
      of,
      data: `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...rest })}\n\n`,
    })
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'fake-1-20260101',
      status: 'in_progress',
      output: [],
    }
    yield event('other', 'response.created', { response })
    let output_index = 0
    if (reply.text) {
      const item_id = `msg_${output_index}`
      const item = { id: item_id, type: 'message', role: 'assistant', status: 'in_progress', content: [] }
      yield event('other', 'response.output_item.added', { output_index, item })
      yield event('other', 'response.content_part.added', {
        item_id,
        output_index,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      })
      for (const delta of split(reply.text, reply.chunk))
        yield event('text', 'response.output_text.delta', { item_id, output_index, content_index: 0, delta })
      yield event('other', 'response.output_item.done', {
        output_index,
        item: { ...item, status: 'completed', content: [{ type: 'output_text', text: reply.text, annotations: [] }] },
      })
      output_index++
    }
    for (const { name, input } of reply.calls ?? []) {
      const item_id = `fc_${output_index}`
      const item = { id: item_id, type: 'function_call', call_id: `call_${output_index}`, name, arguments: '' }
      yield event('other', 'response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } })
      for (const delta of split(argumentsOf(input), reply.chunk))
        yield event('arguments', 'response.function_call_arguments.delta', { item_id, output_index, delta })
      yield event('call-end', 'response.output_item.done', {
        output_index,
        item: { ...item, arguments: argumentsOf(input), status: 'completed' },
      })
      output_index++
    }
    const { input, output } = usageOf(reply)
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output }
    const isCut = reply.fault === 'length'
    yield event('finish', isCut ? 'response.incomplete' : 'response.completed', {
      response: {
        ...response,
        status: isCut ? 'incomplete' : 'completed',
        incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
        usage,
      },
    })
  },
}

const errorEvent: Record<ProviderKind, string> = {
  anthropic: `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}\n\n`,
  compatible: `data: ${JSON.stringify({ error: { message: 'Overloaded', type: 'server_error', code: 500 } })}\n\n`,
  openai: `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: 9, error: { type: 'server_error', code: 'server_error', message: 'Overloaded', param: null } })}\n\n`,
}
