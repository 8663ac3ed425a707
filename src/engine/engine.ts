import type { Analyses } from '../analyses/analyses.ts'
import type { Approval } from '../approval/approval.ts'
import type { Audit, PrintPdf } from '../audit/audit.ts'
import { type ChangingSettings, createChangingSettings, notYours } from '../changing-settings.ts'
import type { Chat } from '../chat/chat.ts'
import type { Cloud } from '../cloud/cloud.ts'
import type { Contexts } from '../contexts/contexts.ts'
import type { ContextStatus, MovePath } from '../contract/contexts.ts'
import type { BranchPath, PathSummary } from '../contract/conversations.ts'
import type { PathId, RunId } from '../contract/ids.ts'
import { fail, type Outcome, ok, problemOf } from '../contract/problem.ts'
import type { ReplayProgress } from '../contract/rpc/runs.ts'
import { isAtRest, type RunTraces } from '../contract/runs.ts'
import type { Probe } from '../contract/sandbox.ts'
import type { Caller, Conversations } from '../conversations/conversations.ts'
import { examine, namesProbe, policyProbe } from '../doctor.ts'
import { createDownloading, type Downloading } from '../downloading.ts'
import type { Environments } from '../environments/environments.ts'
import type { Events } from '../events.ts'
import { createFeeds, type Feeds } from '../feeds.ts'
import type { Figures, PathReport } from '../figures/figures.ts'
import type { Log } from '../log.ts'
import type { McpServers } from '../mcp/mcp.ts'
import { createMoving, type Moving } from '../moving.ts'
import { createNarrowing, type Narrowing } from '../narrowing.ts'
import { fetchOnce } from '../network/network.ts'
import type { Privacy } from '../privacy/privacy.ts'
import { type Reading, readRecord } from '../reading.ts'
import { type CellSeries, type KeptResults, type Runs, replayPath, resumeApproved, tracesOf } from '../runs/runs.ts'
import { createSandboxes, type Sandboxes } from '../sandboxes.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { Tools } from '../tools/tools.ts'
import { version } from '../version.ts'
import type { Watching } from '../watching.ts'
import type { Workflows } from '../workflow/workflow.ts'
import { resumingIn, usedBy, workflowFromPath } from '../workflows.ts'
import { createBackEnds } from './back-ends.ts'
import { type EngineOptions, openFoundation } from './foundation.ts'
import { createKeeping, type Keeping } from './keeping.ts'
import { createPaths, notAgreed, type Paths } from './paths.ts'
import { createRunning, type Running } from './running.ts'
import { createTalking } from './talking.ts'

export type { EngineOptions } from './foundation.ts'

/** The application without a face: everything that a door can ask for. */
export interface Engine extends ChangingSettings, Downloading {
  readonly home: string
  /** The person at this machine, for doors that know no other. */
  readonly caller: Caller
  readonly settings: SettingsStore
  readonly conversations: Conversations
  readonly figures: Figures
  readonly contexts: Contexts
  readonly approval: Approval
  readonly runs: Runs
  readonly series: CellSeries
  readonly analyses: Analyses
  readonly workflows: Workflows
  readonly audit: Audit
  /** A whole path as a PDF: what was said, the code and what it showed. */
  printPath(who: Caller, path: PathId): Promise<Outcome<PathReport>>
  /** Turns a page into a PDF, by whatever this door has. */
  readonly printPdf: PrintPdf
  readonly privacy: Privacy
  readonly chat: Chat
  readonly environments: Environments
  readonly kept: KeptResults
  /** The user's own MCP servers and their tools. */
  readonly mcp: McpServers
  /** Their tools as code in cells calls them. */
  readonly tools: Tools
  readonly events: Events
  readonly log: Log
  /** Who lets which path go to the cloud, what that takes, and the key of the service. */
  readonly cloud: Cloud & { test(who: Caller): Promise<Outcome<Probe>> }
  /** Branches, with the parent's live variables and files where that was asked for. */
  branch(who: Caller, request: BranchPath): Promise<Outcome<PathSummary>>
  replay(who: Caller, path: PathId, signal?: AbortSignal): AsyncGenerator<ReplayProgress, void>
  /** A graph made from the cells of a path, to be looked at and changed before it is started. */
  workflowFromPath(who: Caller, path: PathId): Promise<Outcome<string>>
  /** What a run was expected to touch and touched, by the record. */
  runTraces(who: Caller, run: RunId): Promise<RunTraces | null>
  metrics: Watching['metrics']
  /** Kinds of sandboxes, and moving a path from one to another; its files and its record stay. */
  readonly sandboxes: Omit<Sandboxes, 'close'> & {
    choices: Moving['choices']
    move(who: Caller, request: MovePath): Promise<Outcome<ContextStatus>>
  }
  /** What a path may reach, and taking it back. */
  readonly network: Narrowing
  /** Official data for a path, kept by hash. */
  readonly feeds: Feeds
  /** The record, for somebody whose it is; that they read it is on it too. */
  readRecord(who: Caller): Outcome<Reading>
  doctor(): Promise<Probe[]>
  close(): Promise<void>
}

const warmUpMs = 1_000

/** Wires the modules together: only the files of this folder make one module know another. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const foundation = await openFoundation(options)
  const { home, settings, ids, log, storage, caller, tenant, clock, events, onProblem } = foundation
  const { audit, guard, privacy, approval, files, policy, limits } = foundation
  const backEnds = createBackEnds(
    foundation,
    options,
    () => paths,
    () => running.workflows,
  )
  const { network, local, e2b, cloud, registry } = backEnds
  const paths: Paths = createPaths(foundation, backEnds, options)
  const { contexts, conversations, environments, figures, printPdf, prune } = paths
  const running: Running = await createRunning(foundation, paths, (...figure) => watching.measuring.measure(...figure))
  const { mcp, tools, kept, runs, series, analyses, workflows } = running
  const changing = createChangingSettings({ settings, privacy, audit, tenant, home })
  const downloading = createDownloading({ conversations, contexts, registry, audit })
  const moving = createMoving({
    ...{ registry, contexts, conversations, runs, policy, limits },
    environment: ({ tenant: of, conversation }) => environments.of(of, conversation),
  })
  const { close: closeImages, ...sandboxes } = createSandboxes({
    ...{ registry, contexts, conversations, audit, clock, tenant },
    changed: build => events.publish(tenant, { type: 'images', build }),
  })
  const narrowing = createNarrowing({ approval, runs, audit })
  const feeds = createFeeds({
    get: (url, grant, signal) => fetchOnce(network, url, { ...grant, signal, mostBytes: 64 * 1024 * 1024 }),
    files: (path, who) => contexts.files(path, who.user),
    ...{ conversations, privacy, audit, clock, policy },
  })
  const stop = [
    events.listen(event => {
      if (event.type === 'run' && isAtRest(event.run.state)) workflows.runEnded(event.run.run)
    }),
    resumeApproved({ approval, conversations, runs: resumingIn(workflows, runs), log }),
    contexts.subscribe(status => events.publish(status.tenant, { type: 'context', status })),
    conversations.subscribe((change, of) => events.publish(of, { type: 'conversation', change })),
    approval.subscribe(event => {
      if (event.type === 'request' && event.request.state === 'approved') workflows.approved(event.request.run)
      events.publish(event.type === 'request' ? event.request.tenant : null, { type: 'approval', event })
    }),
    settings.onChange(changed => events.publish(null, { type: 'settings', settings: changed })),
  ]
  const lasting = options.pool !== 0
  // Not at once, when the first window needs the processor; but before anybody can have written a cell.
  const warmUp = () =>
    void Promise.all([local.warm('python'), mcp.warm(caller)]).catch(error => onProblem(problemOf(error)))
  if (lasting) stop.push(clock.after(warmUpMs, warmUp))
  const { daily, watching }: Keeping = createKeeping(foundation, paths, running, { ...options, lasting })
  const chat = createTalking(foundation, paths, running, watching)
  await audit.record({ action: 'application.started', tenant, actor: caller.user, details: { version } })
  const recovered = await contexts.recoverOrphans()
  if (lasting) await chat.recover(caller)
  if (lasting) void prune().catch(error => onProblem(problemOf(error)))
  if (lasting) void workflows.recover().catch(error => onProblem(problemOf(error)))
  if (recovered > 0) log.info({ recovered }, 'ended the sandboxes of an application that was killed')

  return {
    home,
    caller,
    settings,
    conversations,
    figures,
    contexts,
    approval,
    runs,
    series,
    analyses,
    workflows,
    audit,
    printPdf,
    privacy,
    chat,
    environments,
    kept,
    mcp,
    network: narrowing,
    tools,
    feeds,
    events,
    log,
    ...changing,
    ...downloading,
    cloud: {
      ...cloud,
      // Said to the service only at a person's click, and only by whom the installation belongs to.
      test: async who => (who.tenant === tenant ? ok(await e2b.test()) : notYours),
    },

    async branch(who, request) {
      const conversation = await conversations.locate(who, request.path)
      if (!conversation.ok) return conversation
      const at = (path: PathId) => ({ tenant: who.tenant, conversation: conversation.value, path })
      // A container hands on its files alone: its branch is one without variables, and says so.
      const withState = request.withState === true && !contexts.handsOnFilesOnly(at(request.path))
      const branched = await conversations.branch(who, { ...request, withState })
      if (!branched.ok) return branched
      await storage.write(t => files.branch(t, at(request.path), at(branched.value.id)))
      if (!withState) return branched
      await cloud.branched(who, at(request.path), at(branched.value.id))
      const forked = await contexts.fork({ from: at(request.path), to: at(branched.value.id), actor: who.user })
      // A branch that was to have the variables and has not would be a trap: it goes, and the person is told why.
      if (!forked.ok) await conversations.deletePath(who, branched.value.id)
      return forked.ok ? branched : forked
    },

    async printPath(who, path) {
      const page = await conversations.export(who, { path, format: 'html' })
      if (!page.ok) return page
      const { fileName, text } = page.value
      const bytes = await printPdf(text)
      return ok({ fileName: fileName.replace(/\.html$/, '.pdf'), mediaType: 'application/pdf', bytes })
    },

    replay: (who, path, signal) =>
      replayPath({ conversations, contexts, runs, audit, ids, files, storage }, who, path, signal),

    sandboxes: {
      ...sandboxes,
      choices: moving.choices,
      async move(who, { path, kind, template, replay }) {
        const conversation = await conversations.locate(who, path)
        if (!conversation.ok) return conversation
        const ref = { tenant: who.tenant, conversation: conversation.value, path }
        if (registry.isElsewhere(kind) && !(await cloud.isAgreed(ref)))
          return fail('cloud.not-allowed', notAgreed.detail, notAgreed.hint)
        const moved = await moving.move(who, ref, kind, template)
        if (moved.ok && replay) void moving.replay(who, ref).catch(error => onProblem(problemOf(error)))
        return moved
      },
    },

    readRecord: who => readRecord({ audit, identities: approval.identities, tenant }, who),

    runTraces: (who, run) => tracesOf(audit, who, run),
    workflowFromPath: (who, path) =>
      workflowFromPath(conversations, (code, language) => usedBy(guard, code, language), who, path),

    metrics: () => watching.metrics(),

    doctor: () =>
      examine(registry, async () => [policyProbe(await approval.policy.current()), await namesProbe(privacy)]),

    async close() {
      for (const each of stop) each()
      for (const each of daily) each.close()
      series.close()
      await chat.close()
      await mcp.close()
      await workflows.close()
      await closeImages()
      await contexts.close()
      await runs.idle()
      await approval.close()
      await registry.close()
      await network.close()
      await guard.close()
      await watching.close()
      await privacy.close()
      await audit.record({ action: 'application.stopped', tenant, actor: caller.user, details: {} })
      await audit.close()
      await storage.close()
      log.close()
    },
  }
}
