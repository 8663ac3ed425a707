import type { ProviderKind } from '../contract/chat.ts'
import type { Reply } from './fake-provider.testing.ts'

interface Frame {
  readonly of: 'text' | 'arguments' | 'call-end' | 'other' | 'finish'
  readonly data: string
}

const split = (text: string, size = 7): string[] => {
  const signs = [...text]
  return Array.from({ length: Math.ceil(signs.length / size) }, (_, at) =>
    signs.slice(at * size, (at + 1) * size).join(''),
  )
}
const argumentsOf = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input))
const usageOf = (reply: Reply) => (reply.usage === undefined ? { input: 100, output: 20 } : reply.usage)
const versionOf = ({ version = 'fake-1-20260101' }: Reply) => version

/** An answer as each protocol sends it. */
export const protocols: Record<ProviderKind, (reply: Reply) => Generator<Frame>> = {
  *anthropic(reply) {
    const event = (of: Frame['of'], type: string, rest: object): Frame => ({
      of,
      data: `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`,
    })
    // This protocol always says.
    const { input, output } = usageOf(reply) ?? { input: 0, output: 0 }
    yield event('other', 'message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: versionOf(reply),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: 1 },
      },
    })
    let index = 0
    if (reply.reasoning !== undefined) {
      yield event('other', 'content_block_start', {
        index,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      })
      for (const thinking of split(reply.reasoning, reply.chunk))
        yield event('other', 'content_block_delta', { index, delta: { type: 'thinking_delta', thinking } })
      yield event('other', 'content_block_delta', { index, delta: { type: 'signature_delta', signature: 'c2lnbg==' } })
      yield event('other', 'content_block_stop', { index })
      index++
    }
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
    const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: versionOf(reply) }
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
    const used = usageOf(reply)
    const usage = used && {
      prompt_tokens: used.input,
      completion_tokens: used.output,
      total_tokens: used.input + used.output,
    }
    const last = usage ? `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n` : ''
    yield { of: 'finish', data: `${last}data: [DONE]\n\n` }
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
      model: versionOf(reply),
      status: 'in_progress',
      output: [],
    }
    yield event('other', 'response.created', { response })
    let output_index = 0
    if (reply.reasoning !== undefined) {
      const item_id = `rs_${output_index}`
      const summary = { type: 'summary_text', text: reply.reasoning }
      yield event('other', 'response.output_item.added', {
        output_index,
        item: { id: item_id, type: 'reasoning', summary: [] },
      })
      if (reply.reasoning !== '') {
        yield event('other', 'response.reasoning_summary_part.added', {
          ...{ item_id, output_index, summary_index: 0 },
          part: { type: 'summary_text', text: '' },
        })
        for (const delta of split(reply.reasoning, reply.chunk))
          yield event('other', 'response.reasoning_summary_text.delta', {
            ...{ item_id, output_index, summary_index: 0, delta },
          })
        yield event('other', 'response.reasoning_summary_part.done', {
          ...{ item_id, output_index, summary_index: 0, part: summary },
        })
      }
      yield event('other', 'response.output_item.done', {
        output_index,
        item: { id: item_id, type: 'reasoning', summary: reply.reasoning ? [summary] : [] },
      })
      output_index++
    }
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
    const { input, output } = usageOf(reply) ?? { input: 0, output: 0 }
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

export const errorEvent: Record<ProviderKind, string> = {
  anthropic: `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}\n\n`,
  compatible: `data: ${JSON.stringify({ error: { message: 'Overloaded', type: 'server_error', code: 500 } })}\n\n`,
  openai: `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: 9, error: { type: 'server_error', code: 'server_error', message: 'Overloaded', param: null } })}\n\n`,
}
