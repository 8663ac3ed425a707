import { Failure } from '../../contract/problem.ts'
import { version } from '../../version.ts'
import { analysesRouter } from './analyses.ts'
import { api, type DoorContext, type DoorWindows, unwrap } from './api.ts'
import { approvalRouter, identitiesRouter, policyRouter } from './approval.ts'
import { auditRouter, downloadsRouter } from './audit.ts'
import { chatRouter } from './chat.ts'
import { cloudRouter } from './cloud.ts'
import { conversationsRouter, pathsRouter } from './conversations.ts'
import { environmentsRouter } from './environments.ts'
import { figuresRouter } from './figures.ts'
import { foldersRouter } from './folders.ts'
import { mcpRouter } from './mcp.ts'
import { privacyRouter } from './privacy.ts'
import { runsRouter, sandboxRouter, uploadsRouter } from './runs.ts'
import { sandboxesRouter } from './sandboxes.ts'
import { seriesRouter } from './series.ts'
import { toolsRouter } from './tools.ts'
import { workflowRouter } from './workflow.ts'

/** The contract, answered by the engine. Nothing is decided here. */
export const router = api.router({
  app: {
    info: api.app.info.handler(({ context }) => ({
      version,
      door: context.door,
      home: context.engine.home,
      problems: [...context.engine.settings.problems],
    })),
    doctor: api.app.doctor.handler(({ context }) => context.engine.doctor()),
    events: api.app.events.handler(({ context, signal }) =>
      context.engine.events.stream(context.session.caller, signal),
    ),
    windows: api.app.windows.handler(({ context }) => context.windows?.list() ?? []),
    link: api.app.link.handler(({ context }) => ({ link: browserWindows(context).link() })),
    endWindows: api.app.endWindows.handler(({ context, input }) => ({
      ended: browserWindows(context).end(input.which),
    })),
  },
  settings: {
    get: api.settings.get.handler(({ context }) => context.engine.settings.view()),
    change: api.settings.change.handler(async ({ context, input }) => {
      await unwrap(context.engine.changeSettings(context.session.caller, input))
      return context.engine.settings.view()
    }),
    interpreter: api.settings.interpreter.handler(({ context, input }) =>
      unwrap(context.engine.inspectInterpreter(input.path)),
    ),
    chooseInterpreter: api.settings.chooseInterpreter.handler(async ({ context, input }) => {
      await unwrap(context.engine.chooseInterpreter(context.session.caller, input))
      return context.engine.settings.view()
    }),
  },
  conversations: conversationsRouter,
  paths: pathsRouter,
  figures: figuresRouter,
  runs: runsRouter,
  series: seriesRouter,
  analyses: analysesRouter,
  sandbox: sandboxRouter,
  environments: environmentsRouter,
  sandboxes: sandboxesRouter,
  uploads: uploadsRouter,
  downloads: downloadsRouter,
  folders: foldersRouter,
  approval: approvalRouter,
  identities: identitiesRouter,
  policy: policyRouter,
  audit: auditRouter,
  privacy: privacyRouter,
  chat: chatRouter,
  tools: toolsRouter,
  cloud: cloudRouter,
  mcp: mcpRouter,
  workflow: workflowRouter,
})

function browserWindows({ windows }: DoorContext): DoorWindows {
  if (windows) return windows
  throw new Failure('request.unknown', 'The desktop has no browser sessions.', 'Start `countersign serve` for one.')
}
