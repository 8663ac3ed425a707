import { randomBytes } from 'node:crypto'
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type McpServerOptions,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** What the conformance suite calls by name, on our own factory and door: an application has none of it. */

/** The server checks states with this key, whoever made them. */
export const stateKey = randomBytes(32)
const state = createRequestStateCodec<{ round: number }>({ key: stateKey })

export const fixtureOptions: McpServerOptions = {
  capabilities: { logging: {}, prompts: {}, completions: {}, resources: { subscribe: true } },
}

const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: red, mimeType: 'image/png' }
const said = (...content: CallToolResult['content']): CallToolResult => ({ content })
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})
const pause = () => new Promise(resolve => setTimeout(resolve, 50))

type Answer = CallToolResult | InputRequiredResult
type Handler = (context: ServerContext, args: Record<string, string>) => Answer | Promise<Answer>

export function registerFixtures(server: McpServer): void {
  for (const [name, handler] of Object.entries(tools)) {
    const config = { description: `Fixture ${name}`, inputSchema: z.object({}) }
    server.registerTool(name, config, (_args, context) => handler(context, {}))
  }
  for (const [name, [argument, handler]] of Object.entries(toolsOfOne)) {
    const config = { description: `Fixture ${name}`, inputSchema: z.object({ [argument]: z.string() }) }
    server.registerTool(name, config, (args, context) => handler(context, args as Record<string, string>))
  }
  registerResources(server)
  registerPrompts(server)
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

const name = (message: string, field = 'name') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  })
const confirm = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})
const sample = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens })

const answered = ({ mcpReq }: ServerContext, key: string): unknown => mcpReq.inputResponses?.[key]
const ask = (inputRequests: Record<string, InputRequest>): InputRequiredResult => inputRequired({ inputRequests })
const askKeeping = async (round: number, inputRequests: Record<string, InputRequest>) =>
  inputRequired({ inputRequests, requestState: await state.mint({ round }) })
const roundOf = ({ mcpReq }: ServerContext): number => mcpReq.requestState<{ round: number }>()?.round ?? 0
const capabilitiesOf = ({ mcpReq }: ServerContext): Record<string, unknown> => {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<string, unknown>
}

/** Asks once and tells what came back. */
const echo =
  (key: string, request: InputRequest, words: string): Handler =>
  context => {
    const answer = answered(context, key)
    return answer ? said(text(`${words}${JSON.stringify(answer)}`)) : ask({ [key]: request })
  }

const primitives = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
} as const
const three = ['option1', 'option2', 'option3']
const titled = (word: string) => [1, 2, 3].map(n => ({ const: `value${n}`, title: `${word} ${n}` }))
const enums = {
  untitledSingle: { type: 'string', enum: three },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option 1', 'Option 2', 'Option 3'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: three } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
}
const form = (message: string, properties: object) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [] } as never })

const tools: Record<string, Handler> = {
  test_simple_text: () => said(text('This is a simple text response for testing.')),
  test_image_content: () => said(image),
  test_audio_content: () => said({ type: 'audio', data: silence, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    said(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: () =>
    said(
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_error_handling: () => ({ ...said(text('This tool intentionally returns an error for testing')), isError: true }),
  async test_tool_with_logging({ mcpReq }) {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', words)
      await pause()
    }
    return said(text('It logged three times.'))
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log('info', 'Only for whoever asked for it')
    return said(text('It logged.'))
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await pause()
    }
    return said(text('It went on.'))
  },
  test_elicitation_sep1034_defaults: echo('form', form('Check these', primitives), 'Elicitation completed: '),
  test_elicitation_sep1330_enums: echo('form', form('Choose', enums), 'Elicitation completed: '),
  test_streaming_elicitation: echo('user_name', name('What is your name?'), 'Hello, '),
  // The library refuses to ask what a client has not declared.
  test_missing_capability: echo('greeting', sample('Generate a greeting', 50), 'It said: '),
  test_input_required_result_elicitation(context) {
    const given = acceptedContent(context.mcpReq.inputResponses, 'user_name', z.object({ name: z.string() }))
    return given ? said(text(`Hello, ${given.name}!`)) : ask({ user_name: name('What is your name?') })
  },
  test_input_required_result_sampling: echo(
    'capital_question',
    sample('What is the capital of France?', 100),
    'It said: ',
  ),
  test_input_required_result_list_roots: echo('client_roots', inputRequired.listRoots(), 'Roots: '),
  test_input_required_result_request_state: context =>
    roundOf(context) === 1 && answered(context, 'confirm') ? said(text('state-ok')) : askKeeping(1, { confirm }),
  test_input_required_result_tampered_state: context =>
    roundOf(context) === 1 && answered(context, 'confirm') ? said(text('state-ok')) : askKeeping(1, { confirm }),
  test_input_required_result_multiple_inputs(context) {
    const requests = {
      user_name: name('What is your name?'),
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    }
    const isWhole = Object.keys(requests).every(key => answered(context, key))
    return isWhole ? said(text('All three came.')) : askKeeping(1, requests)
  },
  test_input_required_result_multi_round(context) {
    if (roundOf(context) === 2 && answered(context, 'step2')) return said(text('Both steps are done.'))
    if (roundOf(context) === 1 && answered(context, 'step1'))
      return askKeeping(2, { step2: name('Step 2: What is your favorite color?', 'color') })
    return askKeeping(1, { step1: name('Step 1: What is your name?') })
  },
  test_input_required_result_capabilities(context) {
    const { sampling, elicitation } = capabilitiesOf(context)
    return ask({
      ...(sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
      ...(elicitation ? { user_name: name('What is your name?') } : {}),
    })
  },
}

const toolsOfOne: Record<string, readonly [argument: string, handler: Handler]> = {
  test_sampling: [
    'prompt',
    (context, { prompt = '' }) => echo('sample', sample(prompt, 100), 'LLM response: ')(context, {}),
  ],
  test_elicitation: [
    'message',
    (context, { message = '' }) => {
      const properties = { username: { type: 'string' }, email: { type: 'string' } }
      const request = inputRequired.elicit({
        message,
        requestedSchema: { type: 'object', properties, required: ['username', 'email'] } as never,
      })
      return echo('user', request, 'User response: ')(context, {})
    },
  ],
}

function registerResources(server: McpServer): void {
  const of = (uri: string, mimeType: string, body: { text: string } | { blob: string }) => {
    const read = async () => ({ contents: [{ uri, mimeType, ...body }] })
    server.registerResource(uri, uri, { mimeType }, read)
  }
  of('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' })
  of('test://static-binary', 'image/png', { blob: red })
  of('test://watched-resource', 'text/plain', { text: 'Watched.' })
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, async (uri, { id }) => {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` }
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(data) }] }
  })
}

function registerPrompts(server: McpServer): void {
  const user = (...content: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
    messages: content.map(each => ({ role: 'user' as const, content: each })),
  })
  server.registerPrompt('test_simple_prompt', { description: 'Fixture' }, async () =>
    user(text('This is a simple prompt for testing.')),
  )
  const argsSchema = z.object({ arg1: completable(z.string(), () => ['test value']), arg2: z.string() })
  server.registerPrompt('test_prompt_with_arguments', { description: 'Fixture', argsSchema }, async ({ arg1, arg2 }) =>
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  const embedding = { description: 'Fixture', argsSchema: z.object({ resourceUri: z.string() }) }
  server.registerPrompt('test_prompt_with_embedded_resource', embedding, async ({ resourceUri }) =>
    user(
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Fixture' }, async () =>
    user(image, text('Please analyze the image above.')),
  )
  const asking = { description: 'Fixture', argsSchema: z.object({}) }
  server.registerPrompt('test_input_required_result_prompt', asking, async (_args, context) =>
    answered(context, 'user_context')
      ? user(text(JSON.stringify(answered(context, 'user_context'))))
      : ask({ user_context: name('What context should the prompt use?', 'context') }),
  )
}
