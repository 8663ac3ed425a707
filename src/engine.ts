import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Analyses, createAnalyses, markOf, openCatalogue, textsOf } from './analyses/analyses.ts'
import { type Approval, createApproval } from './approval/approval.ts'
import {
  type Audit,
  chromiumPrinter,
  createAudit,
  keepBin,
  keepFiles,
  keepRetention,
  keepVerified,
  type PrintPdf,
} from './audit/audit.ts'
import { type ChangingSettings, createChangingSettings, notYours } from './changing-settings.ts'
import { type Chat, createChat, handOverValues } from './chat/chat.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Cloud, createCloud } from './cloud/cloud.ts'
import { type Contexts, createContexts, thisProcess } from './contexts/contexts.ts'
import type { Alert } from './contract/alerts.ts'
import type { ContextStatus, MovePath, PathRef } from './contract/contexts.ts'
import type { BranchPath, PathSummary } from './contract/conversations.ts'
import { PathId, type RunId } from './contract/ids.ts'
import type { BackEnd } from './contract/placement.ts'
import { Failure, fail, type Outcome, ok, type Problem, problemOf } from './contract/problem.ts'
import type { ReplayProgress } from './contract/rpc/runs.ts'
import { Limits } from './contract/run.ts'
import { isAtRest, type RunTraces } from './contract/runs.ts'
import type { Probe } from './contract/sandbox.ts'
import { retentionChosen, type Settings } from './contract/settings.ts'
import { type Caller, type Conversations, createConversations } from './conversations/conversations.ts'
import { examine, namesProbe, policyProbe } from './doctor.ts'
import { createDownloading, type Downloading } from './downloading.ts'
import { createEnvironments, type Environments } from './environments/environments.ts'
import { createEvents, type Events } from './events.ts'
import { createFeeds, type Feeds } from './feeds.ts'
import { createFigures, type Figures, type PathReport } from './figures/figures.ts'
import { createFiles } from './files/files.ts'
import { createGuard } from './guard/guard.ts'
import { localCaller, localName } from './identity.ts'
import { uuidV7 } from './ids.ts'
import { fileKeyStore, type KeyStore } from './keystore.ts'
import { type Log, openLog } from './log.ts'
import { createMcpServers, type McpServers } from './mcp/mcp.ts'
import { createMoving, type Moving } from './moving.ts'
import { createNarrowing, type Narrowing } from './narrowing.ts'
import { createGate, fetchOnce, withPolicy } from './network/network.ts'
import { machinesFolder } from './places.ts'
import { createPrivacy, logRedactor, type Privacy } from './privacy/privacy.ts'
import { type Reading, readRecord } from './reading.ts'
import {
  createKeptResults,
  createRuns,
  type KeptResults,
  placeForFiles,
  type Runs,
  replayPath,
  resumeApproved,
  type Surroundings,
  tidyOutputs,
  tracesOf,
  unplaceable,
  voidWhatChanged,
} from './runs/runs.ts'
import { dockerProvider } from './sandbox/docker/docker.ts'
import { cloudGuard, e2bProvider } from './sandbox/e2b/e2b.ts'
import { localProvider, type Python, trustedPython } from './sandbox/local/local.ts'
import { microvmProvider } from './sandbox/microvm/microvm.ts'
import { createRegistry } from './sandbox/registry.ts'
import type { SandboxProvider } from './sandbox/sandbox.ts'
import { createSandboxes, type Sandboxes } from './sandboxes.ts'
import { openSettings, type SettingsStore } from './settings/settings.ts'
import { openStorage } from './storage/storage.ts'
import { createTools, type Tools } from './tools/tools.ts'
import { version } from './version.ts'
import { type Watching, watchRecord } from './watching.ts'
import { createRunner, createWorkflows, type Workflows } from './workflow/workflow.ts'
import {
  acceptedTool,
  intoOpenSandbox,
  logOfRun,
  runAnalysis,
  runStanding,
  usedBy,
  wasBegun,
  workflowFromPath,
} from './workflows.ts'

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

export interface EngineOptions {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly keys?: KeyStore
  readonly clock?: Clock
  /** Further back ends; one of a kind that is built in takes its place. */
  readonly backEnds?: readonly SandboxProvider[]
  /** Sandboxes kept warm; a command that runs once wants none. */
  readonly pool?: number
  /** Prints a page; without it a Chromium of this machine does. */
  readonly printPdf?: PrintPdf
  /** Shows an alert as the system does; only a desktop has that. */
  readonly notify?: (alert: Alert) => void
}

const warmUpMs = 1_000
const minute = 60_000

/** Wires the modules together: the one place where `new` meets `new`. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { home, env, clock = systemClock } = options
  makeHome(home)
  const settings = openSettings(home, env, clock)
  const ids = uuidV7(clock)
  const keys = options.keys ?? fileKeyStore(join(home, 'keys'))
  const logLines = logRedactor(() => settings.current.privacy.log)
  const log = openLog(join(home, 'logs'), settings.current.log.level, logLines)
  const storage = await openStorage({ file: join(home, 'countersign.db'), clock })
  const caller = await localCaller(storage, ids)
  const { tenant } = caller
  const events = createEvents()
  const troubled = (problem: Problem) => log.warn({ code: problem.code }, problem.message)

  const catalogue = openCatalogue(home)
  const audit = await createAudit({
    ...{ storage, keys, clock, ids, folder: home, tenant, onProblem: troubled },
    textsOf: named => textsOf(catalogue, named),
  })
  const ownPython = interpreters(home, () => settings.current.sandbox.python)
  const guard = createGuard({ clock, python: async () => (await ownPython())?.executable ?? null })
  const privacy = await createPrivacy({
    storage,
    audit,
    keys,
    clock,
    ids,
    tenant,
    settings: () => settings.current.privacy,
    log: logLines,
  })
  const approval = createApproval({
    storage,
    audit,
    keys,
    clock,
    ids,
    tenant,
    inspect: (code, language) => guard.inspect(code, language),
    policyFile: join(home, 'policy.yaml'),
    onProblem: troubled,
  })
  await approval.identities.ensure({ id: caller.user, tenant, name: localName() })

  const { python, pool = 0 } = {
    ...settings.current.sandbox,
    ...(options.pool === undefined ? {} : { pool: options.pool }),
  }
  const network = createGate({ log: message => log.warn({ network: 'proxy' }, message) })
  const local = localProvider({
    home,
    clock,
    ids,
    ...(python ? { python } : {}),
    interpreter: (name, of) => environments.interpreter(of.tenant, name),
    pool: { size: pool, limits: Limits.parse({ memoryBytes: limitsOf(settings.current).memoryBytes }) },
    log: message => log.warn({ sandbox: 'local' }, message),
    network,
  })
  const docker = dockerProvider({
    ...{ home, env, clock, ids, network },
    // Containers are kept ready only where they are what every path is given.
    template: () => settings.current.sandbox.template,
    pool: { size: settings.current.sandbox.type === 'docker' ? pool : 0, limits: limitsOf(settings.current) },
    onImages: () => void gvisor.probe(),
    log: message => log.warn({ sandbox: 'docker' }, message),
  })
  const gvisor = dockerProvider({
    ...{ home, env, clock, ids, network, runtime: 'runsc' },
    template: () => settings.current.sandbox.template,
    pool: { size: settings.current.sandbox.type === 'gvisor' ? pool : 0, limits: limitsOf(settings.current) },
    log: message => log.warn({ sandbox: 'gvisor' }, message),
  })
  const policy = async () => (await approval.policy.current()).policy
  const limitBytes = () => settings.current.sandbox.keepMegabytes * 1024 * 1024
  const files = createFiles({ storage, clock, home, limitBytes })
  const cloud = createCloud({
    ...{ storage, audit, keys, clock, ids, env, tenant, privacy, files, policy },
    settings: () => settings.current,
    conversations: () => conversations,
    endSandbox: (ref, who) => contexts.end(ref, 'manual', who.user),
    onProblem: troubled,
  })
  const e2b = e2bProvider({
    ...{ home, env, clock, ids, guard: cloudGuard(privacy) },
    domain: () => settings.current.cloud.domain,
    awakeMs: cloud.awakeMs,
    storedKey: cloud.storedKey,
    isAllowed: async () => (await policy()).cloud,
    mayLeave: cloud.isAgreed,
    meter: cloud.meter,
    log: message => log.warn({ sandbox: 'e2b' }, message),
  })
  const microvm = microvmProvider({
    ...{ home, env, clock, ids, network },
    machines: machinesFolder(env),
    template: () => settings.current.sandbox.template,
    limits: () => limitsOf(settings.current),
    log: message => log.warn({ sandbox: 'microvm' }, message),
  })
  const own = options.backEnds?.map(each => each.kind) ?? []
  const builtIn = [local, docker, gvisor, microvm, e2b].filter(each => !own.includes(each.kind))
  const registry = createRegistry([...builtIn, ...(options.backEnds ?? [])])
  const limits = () => limitsOf(settings.current)
  const surroundings = async (path: PathRef): Promise<Surroundings> => {
    // Side by side: an assistant's first word waits for this.
    const [now, grants, environment, backEnds, isAgreed, before, image] = await Promise.all([
      policy(),
      approval.pathGrants(path),
      environments.of(path.tenant, path.conversation),
      registry.backEnds(),
      cloud.isAgreed(path),
      contexts.last(path),
      contexts.imageUsed(path),
    ])
    return {
      policy: now,
      type: settings.current.sandbox.type,
      granted: grants.map(({ rule }) => rule),
      environment,
      backEnds: withConsent(backEnds, isAgreed),
      current: contexts.facts(path),
      before,
      image,
    }
  }
  const self = thisProcess()
  const contexts = createContexts({
    owner: self,
    storage,
    audit,
    files,
    keys,
    clock,
    ids,
    provider: kind => registry.provider(kind) ?? null,
    placeForFiles: async path => placeForFiles(limits(), await surroundings(path)),
    limits: {
      sweepEveryMs: settings.current.cloud.cleanupMinutes * minute,
      timesOf: kind =>
        kind === 'e2b'
          ? {
              idleMs: settings.current.cloud.ttlMinutes * minute,
              pausedMs: settings.current.cloud.pausedDays * 24 * 60 * minute,
            }
          : {},
    },
    troubled,
    tidy: () => tidy(),
  })
  const conversations = createConversations({
    storage,
    audit,
    clock,
    ids,
    templates: join(home, 'templates'),
    pathErased: (transaction, path) => files.drop(transaction, path),
    dependencies: (code, language) => guard.dependencies(code, language),
    redact: (_who, conversation, texts, to) => privacy.forExport(conversation, texts, to),
    pathChanged: (who, change) => voiding.pathChanged(who, change),
    pathEnded: (who, conversation, path, why) => {
      void contexts
        .end({ tenant: who.tenant, conversation, path }, why === 'merged' ? 'merged' : 'manual', who.user)
        .catch(error => troubled(problemOf(error)))
      return voiding.pathEnded(who, conversation, path, why)
    },
  })
  const environments = createEnvironments({
    ...{ storage, audit, clock, home, env, tenant, conversations },
    own: async () => {
      const found = await ownPython()
      return found && { executable: found.executable, release: found.release, folders: found.packages }
    },
    usual: () => settings.current.sandbox.environment,
    endSandboxes: (who, of) => contexts.endConversation(who.tenant, of, 'moved', who.user),
  })
  const printPdf = options.printPdf ?? chromiumPrinter(env)
  const figures = createFigures({
    ...{ conversations, audit, files, storage, printPdf, identities: approval.identities },
    now: () => clock.now(),
    passEgress: (conversation, texts, to) => privacy.forExport(conversation, texts, to),
  })
  const voiding = voidWhatChanged({ requests: approval.requests, cellNow: conversations.cellNow, troubled })
  const tidy = () => tidyOutputs({ folder: join(home, 'outputs'), clock, shown: conversations.shownRuns })
  const mcp = await createMcpServers({
    ...{ home, env, clock, storage, audit, keys, privacy, tenant },
    policy: async () => (await approval.policy.current()).policy,
    searchModel: () => settings.current.mcp.searchModel,
    changed: () => events.publish(tenant, { type: 'mcp' }),
  })
  const tools = createTools({ servers: mcp, storage, files, audit, clock })
  const kept = await createKeptResults({
    ...{ storage, keys, clock, files, conversations },
    dependencies: (code, language) => guard.dependencies(code, language),
  })
  const runs = createRuns({
    storage,
    audit,
    files,
    guard,
    approval,
    contexts: {
      ...handOverValues(contexts, privacy),
      move: contexts.move.bind(contexts),
      end: contexts.end.bind(contexts),
      narrow: contexts.narrow.bind(contexts),
    },
    conversations,
    surroundings,
    tools,
    limits,
    redact: (conversation, text) => privacy.forRecord(conversation, text),
    analysisOf: code => markOf(catalogue, code),
    kept,
    whereIs: environments.whereIs,
    keepCode: () => settings.current.audit.keepCode,
    events,
    clock,
    ids,
    log,
  })
  const changing = createChangingSettings({ settings, privacy, audit, tenant, home })
  const analyses = createAnalyses({ catalogue, runs, contexts, conversations, ids })
  const downloading = createDownloading({ conversations, contexts, registry, audit })
  const workflows = createWorkflows({
    storage,
    audit,
    files,
    runner: createRunner({
      ...{ runs, contexts, files, storage },
      standing: asked => runStanding(audit, approval.requests, asked),
      withdraw: async ({ tenant: of, path }, by) => {
        if (by) await approval.requests.pathEnded({ tenant: of, by, path, how: 'belonged to a workflow that is over' })
      },
      others: { analysis: attempt => runAnalysis(analyses, attempt) },
      tool: (who, server, name) => acceptedTool(tools, who, server, name),
      wasBegun: run => wasBegun(audit, run),
    }),
    wasBegun: run => wasBegun(audit, run),
    logOf: (who, run) => logOfRun(runs, audit, who, run),
    hasEffects: async (who, { server, tool }) => (await acceptedTool(tools, who, server, tool))?.effect !== 'reads',
    locate: (who, path) => conversations.locate(who, path),
    unplaceable: async (path, wanted) => {
      // A task's sandbox is a new one, of a path that nobody let go to the cloud.
      const around = await surroundings({ ...path, path: ids.make(PathId) })
      return wanted.map(each => unplaceable(each, limits(), around))
    },
    committed: (ref, changes) => intoOpenSandbox(contexts, files, ref, changes),
    // A database that several machines share would be asked for a lock here.
    owner: { name: self.name, isAlive: name => self.isAliveHere(name) },
    clock,
    ids,
    changed: (workflow, { tenant: of }) => events.publish(of, { type: 'workflow', workflow }),
    onProblem: troubled,
  })
  const moving = createMoving({
    registry,
    contexts,
    conversations,
    runs,
    policy,
    limits,
    environment: ({ tenant: of, conversation }) => environments.of(of, conversation),
  })
  const { close: closeImages, ...sandboxes } = createSandboxes({
    ...{ registry, contexts, conversations, audit, clock, tenant },
    changed: build => events.publish(tenant, { type: 'images', build }),
  })
  const narrowing = createNarrowing({ approval, runs, audit })
  const feeds = createFeeds({
    get: (url, grant, signal) => fetchOnce(network, url, { ...grant, signal, mostBytes: 64 * 1024 * 1024 }),
    policy: async () => (await approval.policy.current()).policy,
    files: (path, who) => contexts.files(path, who.user),
    ...{ conversations, privacy, audit, clock },
  })
  const stop = [
    events.listen(event => {
      if (event.type === 'run' && isAtRest(event.run.state)) workflows.runEnded(event.run.run)
    }),
    resumeApproved({ approval, conversations, runs, log }),
    contexts.subscribe(status => events.publish(status.tenant, { type: 'context', status })),
    conversations.subscribe((change, of) => events.publish(of, { type: 'conversation', change })),
    approval.subscribe(event =>
      events.publish(event.type === 'request' ? event.request.tenant : null, { type: 'approval', event }),
    ),
    settings.onChange(changed => events.publish(null, { type: 'settings', settings: changed })),
  ]
  const lasting = options.pool !== 0
  // Not at once, when the first window needs the processor; but before anybody can have written a cell.
  if (lasting)
    stop.push(clock.after(warmUpMs, () => void local.warm('python').catch(error => troubled(problemOf(error)))))
  // A command that runs once leaves these to the application that stays.
  const retention = () => retentionChosen(settings.view())
  const daily = lasting
    ? [
        keepRetention({ audit, clock, days: retention, onProblem: troubled }),
        keepVerified({ audit, clock, onProblem: troubled }),
        keepBin({ clock, empty: () => conversations.emptyBin(caller), onProblem: troubled }),
        keepFiles({ files, tools, clock, days: retention, onProblem: troubled }),
      ]
    : []
  const watching = watchRecord({
    audit,
    events,
    privacy,
    settings,
    tenant,
    clock,
    log,
    lasting,
    ...(options.notify ? { notify: options.notify } : {}),
  })
  const chat = createChat({
    storage,
    audit,
    keys,
    privacy,
    conversations,
    contexts,
    runs,
    request: (who, id) => approval.requests.get(who.tenant, id),
    policy,
    settings: () => settings.current.chat,
    sandboxFor: async path => {
      const around = await surroundings(path)
      const placed = placeForFiles(limits(), around)
      if (!placed.ok) return placed
      return ok({ isolation: placed.value.isolation, network: withPolicy(around.granted, around.policy.network) })
    },
    analyses,
    measuring: watching.measuring,
    events,
    clock,
    ids,
    log,
  })
  await audit.record({ action: 'application.started', tenant, actor: caller.user, details: { version } })
  const recovered = await contexts.recoverOrphans()
  if (lasting) await chat.recover(caller)
  if (lasting) void tidy().catch(error => troubled(problemOf(error)))
  if (lasting) void workflows.recover().catch(error => troubled(problemOf(error)))
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
        if (moved.ok && replay) void moving.replay(who, ref).catch(error => troubled(problemOf(error)))
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

const notAgreed = {
  detail: 'Nobody has let this path go to the cloud.',
  hint: 'Choose the cloud at the path’s sandbox badge, which shows what would leave.',
}

/** A path that nobody let go to the cloud has none, whatever settings and policy say. */
const withConsent = (backEnds: readonly BackEnd[], isAgreed: boolean): BackEnd[] =>
  backEnds.map(each => (each.isolation === 'cloud' && !isAgreed ? { ...each, available: false, ...notAgreed } : each))

function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure(
      'storage.read-only',
      `The data folder cannot be made: ${reason}`,
      'Set COUNTERSIGN_HOME to a folder that you can write to.',
      { cause: error },
    )
  }
}

/** The interpreter for the setting as it is now, looked for once. */
function interpreters(home: string, wanted: () => string): () => Promise<Python | null> {
  let known: { readonly wanted: string; readonly found: Promise<Python | null> } | null = null
  return () => {
    const now = wanted()
    if (known?.wanted !== now) known = { wanted: now, found: trustedPython(home, now) }
    return known.found
  }
}

const limitsOf = ({ sandbox }: Settings): Limits =>
  Limits.parse({ timeoutMs: sandbox.timeoutSeconds * 1000, memoryBytes: sandbox.memoryMegabytes * 1024 * 1024 })
