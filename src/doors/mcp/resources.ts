import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Item } from '../../contract/conversations.ts'
import { ConversationId } from '../../contract/ids.ts'
import type { Engine } from '../../engine/engine.ts'
import { clipped } from './answer.ts'
import type { Client } from './calls.ts'

const mimeType = 'application/json'
const mostEntries = 100

/** What a client may read: titles and cells of conversations, the catalogue, the newest entries of the record. */
export function registerResources(
  server: McpServer,
  engine: Engine,
  clientOf: (context: ServerContext) => Client,
): void {
  const { caller } = engine
  /** The text of a resource, by the same way out as the answer of a call. */
  const leave = async (uri: URL, context: ServerContext, value: unknown, conversation: ConversationId | null) => {
    const journey = { to: `MCP client ${clientOf(context).name}`, conversation, knowsTokens: conversation !== null }
    const passed = await engine.privacy.egress.pass('model', value, journey)
    if (!passed.ok) throw new Error(`${passed.problem.message} ${passed.problem.hint}`)
    return { contents: [{ uri: uri.href, mimeType, text: JSON.stringify(clipped(passed.value.value)) }] }
  }

  server.registerResource(
    'conversations',
    'countersign://conversations',
    { title: 'Conversations', description: 'All conversations, newest first', mimeType },
    async (uri, context) => {
      const list = await engine.conversations.list(caller)
      const shown = list.map(({ id, title, lastActivityAt }) => ({
        id,
        title,
        changed: new Date(lastActivityAt).toISOString(),
      }))
      return leave(uri, context, shown, null)
    },
  )
  server.registerResource(
    'conversation',
    new ResourceTemplate('countersign://conversations/{id}', { list: undefined }),
    { title: 'One conversation', description: 'Messages and cells of its main path', mimeType },
    async (uri, { id }, context) => {
      const conversation = ConversationId.safeParse(id)
      const tree = conversation.success ? await engine.conversations.tree(caller, conversation.data) : null
      if (!conversation.success || !tree?.ok) throw new ResourceNotFoundError(uri.href)
      const opened = await engine.conversations.open(caller, { path: tree.value.conversation.main })
      if (!opened.ok) throw new ResourceNotFoundError(uri.href)
      const { title, main } = tree.value.conversation
      return leave(uri, context, { title, context: main, items: opened.value.items.map(shownItem) }, conversation.data)
    },
  )
  server.registerResource(
    'analyses',
    'countersign://analyses',
    { title: 'Analyses', description: 'Regulated calculations that run_analysis takes', mimeType },
    async (uri, context) => leave(uri, context, (await engine.analyses.list()).entries, null),
  )
  server.registerResource(
    'record',
    'countersign://record',
    { title: 'Record', description: `The newest ${mostEntries} entries of the audit record`, mimeType },
    async (uri, context) => {
      const page = await engine.audit.query({ filter: {}, limit: mostEntries })
      const shown = page.items.map(({ entry: { seq, at, action, details } }) => ({ seq, at, action, details }))
      return leave(uri, context, shown, null)
    },
  )
}

const shownItem = (item: Item) => ({
  id: item.id,
  kind: item.kind,
  author: item.author,
  text: item.text,
  ...(item.kind === 'cell' ? { language: item.language, succeeded: item.lastRun?.success ?? null } : {}),
})
