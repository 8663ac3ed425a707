import { z } from 'zod'
import type { Analyses } from './analyses/analyses.ts'
import type { Approval } from './approval/approval.ts'
import type { Audit } from './audit/audit.ts'
import type { Contexts } from './contexts/contexts.ts'
import type { PathRef } from './contract/contexts.ts'
import type { PathId, RequestId, RunId, TenantId } from './contract/ids.ts'
import { fail, type Outcome, ok, problem } from './contract/problem.ts'
import { Language, type Output } from './contract/run.ts'
import type { ToolGrant } from './contract/tools.ts'
import type { LoggedRun } from './contract/workflow.ts'
import type { Caller, Conversations } from './conversations/conversations.ts'
import type { ManifestChanges, PathFiles } from './files/files.ts'
import type { Guard } from './guard/guard.ts'
import type { Runs } from './runs/runs.ts'
import type { Tools } from './tools/tools.ts'
import { type Attempt, type CellUse, graphFromCells, type RunStanding, type TaskEnd } from './workflow/workflow.ts'

interface Asked {
  readonly tenant: TenantId
  readonly run: RunId
  readonly request: RequestId | null
}

/** How a run stands by the record and by its request, for a workflow that goes on after a restart. */
export async function runStanding(
  audit: Pick<Audit, 'query'>,
  requests: Pick<Approval['requests'], 'get'>,
  { tenant, run, request }: Asked,
): Promise<RunStanding> {
  const { items } = await audit.query({ filter: { run, actions: ['run.finished', 'run.refused'] }, limit: 1 })
  const entry = items[0]?.entry
  if (entry?.tenant === tenant) {
    if (entry.action === 'run.refused') return 'refused'
    const details = entry.details as { success?: unknown } | null
    return details?.success === true ? 'succeeded' : 'failed'
  }
  const asked = request ? await requests.get(tenant, request) : null
  return asked?.ok && (asked.value.state === 'waiting' || asked.value.state === 'saved') ? 'waiting' : 'unknown'
}

const maxCells = 500

/** The cells of a path as a graph. */
export async function workflowFromPath(
  conversations: Pick<Conversations, 'open'>,
  use: (code: string, language: Language) => Promise<Omit<CellUse, 'code' | 'language'>>,
  who: Caller,
  path: PathId,
): Promise<Outcome<string>> {
  const cells: CellUse[] = []
  let opened = await conversations.open(who, { path })
  for (;;) {
    if (!opened.ok) return opened
    for (const item of opened.value.items) {
      const language = item.kind === 'cell' ? Language.safeParse(item.language) : null
      if (!language?.success || item.text.trim() === '') continue
      cells.push({ code: item.text, language: language.data, ...(await use(item.text, language.data)) })
    }
    if (!opened.value.next || cells.length >= maxCells) break
    opened = await conversations.open(who, { path, cursor: opened.value.next })
  }
  if (cells.length === 0)
    return fail('workflow.invalid', 'This path has no code.', 'Write a cell first, or write the graph by hand.')
  return ok(graphFromCells('Workflow of a path', cells.slice(0, maxCells)))
}

/** A sandbox that is already open has its own copy of the path's files. */
export async function intoOpenSandbox(
  contexts: Pick<Contexts, 'status' | 'files'>,
  files: Pick<PathFiles, 'restore'>,
  ref: PathRef,
  { written, removed }: ManifestChanges,
): Promise<void> {
  const { state } = await contexts.status(ref)
  if (state !== 'ready' && state !== 'running') return
  const folder = contexts.files(ref)
  for (const path of removed) await folder.remove(path)
  await files.restore([...written], folder)
}

/** What a cell takes and leaves, variables and files alike. */
export async function usedBy(
  guard: Pick<Guard, 'dependencies'>,
  code: string,
  language: Language,
): Promise<Omit<CellUse, 'code' | 'language'>> {
  const { reads, writes, filesRead, filesWritten, unknown } = await guard.dependencies(code, language)
  const files = (names: readonly string[]) => names.map(name => `file ${name}`)
  return { reads: [...reads, ...files(filesRead)], writes: [...writes, ...files(filesWritten)], unknown }
}

/** An analysis of the catalogue as a task: it runs beside the path and leaves figures, not files. */
export async function runAnalysis(analyses: Pick<Analyses, 'batch'>, attempt: Attempt): Promise<TaskEnd> {
  const { task, tenant, user, conversation, inputs, signal, placement } = attempt
  if (task.type !== 'analysis') return { type: 'failed', problem: notAnAnalysis, final: true }
  const batch = analyses.batch({ tenant, user }, { signal, conversation, placement })
  try {
    const [answer] = await batch.run([{ analysis: task.analysis, inputs: { ...inputs } }])
    if (answer && 'output' in answer)
      return { type: 'completed', outputs: Values.parse(answer.output), changes: { written: [], removed: [] } }
    const why = answer?.error ?? problem('internal.bug', 'The analysis gave no answer.', 'The log has the details.')
    return { type: 'failed', problem: why, final: true }
  } finally {
    await batch.close()
  }
}

const Values = z.record(z.string(), z.json())

/** An accepted tool by its server and its own name. */
export async function acceptedTool(
  tools: Pick<Tools, 'known'>,
  who: Caller,
  server: string,
  name: string,
): Promise<ToolGrant | null> {
  return (await tools.known(who)).find(each => each.server === server && each.tool === name) ?? null
}

/** What a run shows while it goes on, else what it printed as the record has it; nothing where that was not kept. */
export async function logOfRun(
  runs: Pick<Runs, 'liveRun'>,
  audit: Pick<Audit, 'query' | 'entry'>,
  who: Pick<Caller, 'tenant'>,
  run: RunId,
): Promise<LoggedRun> {
  const live = runs.liveRun(who, run)
  if (live) return { run, ...live }
  const { items } = await audit.query({ filter: { run, actions: ['run.finished'] }, limit: 1 })
  const [last] = items
  const found = last?.entry.tenant === who.tenant ? await audit.entry(last.entry.seq) : null
  const bodies = found?.ok ? found.value.bodies : {}
  const outputs = (['stdout', 'stderr'] as const).flatMap((name): Output[] => {
    const text = bodies[name]
    return text ? [{ type: 'stream', name, text }] : []
  })
  return { run, view: null, outputs }
}

/** Whether a run was handed to its sandbox: its intent is on the record before that. */
export async function wasBegun(audit: Pick<Audit, 'query'>, run: RunId): Promise<boolean> {
  return (await audit.query({ filter: { run, actions: ['run.intended'] }, limit: 1 })).items.length > 0
}

const notAnAnalysis = problem('internal.bug', 'This task is no analysis.', 'The log has the details.')
