import { z } from 'zod'
import { Alert } from './alerts.ts'
import { ApprovalEvent } from './approval.ts'
import { ChatEvent } from './chat.ts'
import { ContextStatus } from './contexts.ts'
import { ConversationChange } from './conversations.ts'
import { PathId, RunId } from './ids.ts'
import { BuildView } from './images.ts'
import { RunView } from './runs.ts'
import { Series } from './series.ts'
import { Settings } from './settings.ts'
import { Shown } from './shown.ts'
import { WorkflowView } from './workflow.ts'

/** Everything that a window may want to hear of, as it happens. */
export const EngineEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), run: RunView }),
  /** What a run showed since the last of these, in order. */
  z.object({ type: z.literal('run.output'), run: RunId, outputs: z.array(Shown) }),
  z.object({ type: z.literal('series'), path: PathId, series: Series.nullable() }),
  z.object({ type: z.literal('context'), status: ContextStatus }),
  z.object({ type: z.literal('conversation'), change: ConversationChange }),
  z.object({ type: z.literal('approval'), event: ApprovalEvent }),
  z.object({ type: z.literal('settings'), settings: Settings }),
  /** Entries were added to the record; `last` is the newest. */
  z.object({ type: z.literal('audit'), last: z.number().int() }),
  z.object({ type: z.literal('chat'), event: ChatEvent }),
  z.object({ type: z.literal('alert'), alert: Alert }),
  /** A server of the user's, or its tools, changed: ask for them again. */
  z.object({ type: z.literal('mcp') }),
  /** An image is being made, was made or could not be; without one, an image was removed. */
  z.object({ type: z.literal('images'), build: BuildView.nullable() }),
  z.object({ type: z.literal('workflow'), workflow: WorkflowView }),
])
export type EngineEvent = z.infer<typeof EngineEvent>
