import type { ProviderKind } from '../contract/chat.ts'

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
}

/** Why a real provider would refuse a request, in its words as users report them; null where it would not. */
export function refusedByRules(kind: ProviderKind, body: string): string | null {
  const asked = JSON.parse(body) as Record<string, unknown>
  if (!isWellFormed(asked)) return 'The request body is not valid JSON: no low surrogate in string'
  return rules[kind](asked)
}

const isWellFormed = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.isWellFormed()
    : typeof value !== 'object' || value === null || Object.entries(value).flat().every(isWellFormed)

const rules: Record<ProviderKind, (body: Record<string, unknown>) => string | null> = {
  anthropic({ messages }) {
    const list = messages as { role: string; content: string | Block[] }[]
    if (list[0]?.role !== 'user') return 'messages: first message must use the "user" role'
    if (list.at(-1)?.role !== 'user') return 'This model does not support assistant message prefill.'
    const ids = new Set<string>()
    for (const [at, { content }] of list.entries()) {
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      if (blocks.length === 0) return `messages.${at}: content must not be empty`
      for (const block of blocks) {
        if (block.type === 'text' && !block.text?.trim())
          return `messages.${at}: text content blocks must contain non-whitespace text`
        if (block.type !== 'tool_use') continue
        const { id = '', name = '', input } = block as Block
        if (ids.has(id)) return `messages.${at}: \`tool_use\` ids must be unique`
        ids.add(id)
        if (!/^[\w-]+$/.test(id) || !/^[\w-]{1,128}$/.test(name)) return `messages.${at}: String should match pattern`
        if (!input || typeof input !== 'object' || Array.isArray(input))
          return `messages.${at}: tool_use.input: Input should be a valid dictionary`
      }
      const used = blocks.flatMap(block => (block.type === 'tool_use' ? [(block as Block).id] : []))
      const next = list[at + 1]?.content ?? []
      const answered = typeof next === 'string' ? [] : next.slice(0, used.length).map(block => block.tool_use_id)
      if (used.some(id => !answered.includes(id)))
        return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`
    }
    return null
  },

  compatible({ messages }) {
    const list = messages as {
      role: string
      content: unknown
      tool_calls?: { id: string; function: { name: string; arguments: string } }[]
      tool_call_id?: string
    }[]
    let open = new Set<string>()
    let before = ''
    for (const { role, tool_calls: calls = [], tool_call_id: answers } of list) {
      if (role === 'tool') {
        if (!answers || !open.delete(answers)) return 'messages with role "tool" must follow their tool_calls'
      } else if (open.size > 0) return 'An assistant message with "tool_calls" must be followed by tool messages'
      else if (role === before && role !== 'tool') return 'Conversation roles must alternate user/assistant'
      else if (before === 'system' && role !== 'user') return 'The first message must be of the user'
      if (calls.some(call => !/^[\w-]{1,64}$/.test(call.function.name))) return 'Invalid function name'
      if (calls.length > 0) open = new Set(calls.map(({ id }) => id))
      if (open.size < calls.length) return 'Duplicate tool_call ids'
      before = role
    }
    return before === 'assistant' ? 'Cannot have 2 or more assistant messages at the end of the list.' : null
  },

  openai({ input }) {
    const list = input as { type?: string; call_id?: string }[]
    const made = list.flatMap(each => (each.type === 'function_call' ? [each.call_id] : []))
    const answered = list.flatMap(each => (each.type === 'function_call_output' ? [each.call_id] : []))
    if (new Set(made).size < made.length) return 'Duplicate function call ids'
    const open = made.find(id => !answered.includes(id))
    if (open !== undefined) return `No tool output found for function call ${open}.`
    const stray = answered.find(id => !made.includes(id))
    return stray === undefined ? null : `No tool call found for function call output with call_id ${stray}.`
  },
}
