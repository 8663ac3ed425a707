import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { ConversationChange } from '../../src/contract/conversations.ts'
import type { EngineEvent } from '../../src/contract/events.ts'
import { noteEntries, showAlert } from '../audit/state.ts'
import { noteChat } from '../chat/state.ts'
import { refreshPath } from '../notebook/path-data.ts'
import { noteSeries } from '../notebook/series.ts'
import { client, useConnection } from './connection.ts'
import { queryClient, rpc } from './queries.ts'
import { noteOutputs, noteRun } from './runs.ts'

/** Follows the engine for as long as the window lives, and brings the caches up to date with what it says. */
export async function followEvents(): Promise<never> {
  for (;;) {
    try {
      const events = await client.app.events()
      // What happened while the line was down was not heard: ask again.
      void queryClient.invalidateQueries()
      for await (const event of events) receive(event)
    } catch {
      await reopened()
    }
  }
}

function receive(event: EngineEvent): void {
  switch (event.type) {
    case 'run':
      noteRun(event.run)
      break
    case 'run.output':
      noteOutputs(event.run, event.outputs)
      break
    case 'series':
      noteSeries(event.path, event.series)
      break
    case 'context':
      noteStatus(event.status)
      break
    case 'conversation':
      refreshConversation(event.change)
      break
    case 'approval':
      void queryClient.invalidateQueries({ queryKey: rpc.approval.key() })
      void queryClient.invalidateQueries({ queryKey: rpc.sandbox.grants.key() })
      if (event.event.type === 'policy') void queryClient.invalidateQueries({ queryKey: rpc.policy.key() })
      break
    case 'settings':
      void queryClient.invalidateQueries({ queryKey: rpc.settings.key() })
      break
    case 'chat':
      noteChat(event.event)
      break
    case 'audit':
      noteEntries(event.last)
      break
    case 'images':
      queryClient.setQueryData(rpc.sandboxes.building.queryKey(), event.build)
      if (event.build?.state !== 'running') void queryClient.invalidateQueries({ queryKey: rpc.sandboxes.images.key() })
      break
    case 'mcp':
      void queryClient.invalidateQueries({ queryKey: rpc.mcp.key() })
      void queryClient.invalidateQueries({ queryKey: rpc.tools.key() })
      break
    case 'workflow': {
      const { workflow } = event
      queryClient.setQueryData(rpc.workflow.get.queryKey({ input: { workflow: workflow.id } }), workflow)
      void queryClient.invalidateQueries({ queryKey: rpc.workflow.list.key() })
      break
    }
    case 'alert':
      void showAlert(event.alert)
      break
  }
}

/** Every run moves a sandbox through several states: the news is put where it is shown, and nobody asks for the list again. */
function noteStatus(status: ContextStatus): void {
  queryClient.setQueryData(rpc.sandbox.status.queryKey({ input: status.path }), status)
  void queryClient.invalidateQueries({ queryKey: rpc.sandboxes.overview.key() })
  queryClient.setQueryData(
    rpc.sandbox.statuses.queryKey({ input: status.conversation }),
    known => known && [...known.filter(each => each.path !== status.path), status],
  )
}

function refreshConversation(change: ConversationChange): void {
  const { what, conversation, path } = change
  if (what === 'drafts') return
  void queryClient.invalidateQueries({ queryKey: rpc.conversations.list.key() })
  void queryClient.invalidateQueries({ queryKey: rpc.conversations.tree.queryKey({ input: conversation }) })
  void queryClient.invalidateQueries({ queryKey: rpc.figures.key() })
  if (what === 'items' && path) void refreshPath(path, change)
  // A merge, an archiving or a restoring changes what a path shows as well as the tree.
  if (what === 'paths') void queryClient.invalidateQueries({ queryKey: ['path'] })
}

function reopened(): Promise<void> {
  return new Promise(resolve => {
    const stop = useConnection.subscribe(({ state }) => {
      if (state !== 'open') return
      stop()
      resolve()
    })
    if (useConnection.getState().state === 'open') setTimeout(resolve, 250)
  })
}
