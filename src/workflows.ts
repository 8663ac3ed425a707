import { z } from 'zod'
import type { Analyses } from './analyses/analyses.ts'
import type { Approval } from './approval/approval.ts'
import type { Audit } from './audit/audit.ts'
import type { PathId, RequestId, RunId, TenantId } from './contract/ids.ts'
import { fail, type Outcome, ok, problem } from './contract/problem.ts'
import { Language, type Output } from './contract/run.ts'
import type { ToolGrant } from './contract/tools.ts'
import type { LoggedRun } from './contract/workflow.ts'
import type { Caller, Conversations } from './conversations/conversations.ts'
import type { PathFiles } from './files/files.ts'
import type { Guard } from './guard/guard.ts'
import type { Runs } from './runs/runs.ts'
import type { Tools } from './tools/tools.ts'
import {
  type Attempt,
  type Calculation,
  type CellUse,
  graphFromCells,
  type RunStanding,
  type Workflows,
} from './workflow/workflow.ts'

interface Asked {
  readonly tenant: TenantId
  readonly run: RunId
  readonly request: RequestId | null
}

/** How a run stands by the record and by its request, for a workflow that goes on after a restart. */
export async function runStanding(
  audit: Pick<Audit, 'query'>,
  requests: Pick<Approval['requests'], 'get'>,
  files: Pick<PathFiles, 'ofRun'>,
  { tenant, run, request }: Asked,
): Promise<RunStanding> {
  const { items } = await audit.query({ filter: { run, actions: ['run.finished', 'run.refused'] }, limit: 1 })
  const entry = items[0]?.entry
  if (entry?.tenant === tenant) {
    if (entry.action === 'run.refused') return 'refused'
    const details = entry.details as { success?: unknown; manifests?: { after?: unknown } | null } | null
    if (details?.success !== true) return 'failed'
    // What it left is what the record says; other files in their place would become the task's result.
    const left = await files.ofRun(run)
    return !left || left.after === details.manifests?.after ? 'succeeded' : 'unknown'
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

/** An analysis of the catalogue as a task: its program runs beside the path and leaves figures, not files. */
export async function calculationOf(
  analyses: Pick<Analyses, 'programFor'>,
  { task, inputs }: Pick<Attempt, 'task' | 'inputs'>,
): Promise<Outcome<Calculation>> {
  if (task.type !== 'analysis') return { ok: false, problem: notAnAnalysis }
  const made = await analyses.programFor({ analysis: task.analysis, inputs: { ...inputs } })
  if (!made.ok) return made
  const { answerIn, ...program } = made.value
  return ok({
    ...program,
    read(text) {
      const answer = answerIn(text)
      return 'output' in answer ? ok(Values.parse(answer.output)) : { ok: false, problem: answer.error }
    },
  })
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

/** Runs that a reviewer approved. One of a sandbox that tasks share waits for its turn there. */
export const resumingIn = (
  workflows: Pick<Workflows, 'resuming'>,
  runs: Pick<Runs, 'resume' | 'giveUp'>,
): Pick<Runs, 'resume' | 'giveUp'> => ({
  giveUp: runs.giveUp,
  async resume(request, options) {
    const resumed = await workflows.resuming(request, signal =>
      runs.resume(request, { ...options, ...(signal ? { signal } : {}) }),
    )
    if (!resumed.ok) await runs.giveUp(request, resumed.problem)
    return resumed
  },
})

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
