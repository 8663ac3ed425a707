import { type Analyses, createAnalyses, markOf } from '../analyses/analyses.ts'
import { handOverValues } from '../chat/chat.ts'
import { PathId } from '../contract/ids.ts'
import type { WantedPlace } from '../contract/placement.ts'
import type { RiskLevel } from '../contract/run.ts'
import { obstaclesOf } from '../foreseeing.ts'
import { createMcpServers } from '../mcp/mcp.ts'
import { createKeptResults, createRuns, createSeries, type Runs, unplaceable } from '../runs/runs.ts'
import { createTools, type Tools } from '../tools/tools.ts'
import type { Watching } from '../watching.ts'
import { createRunner, createWorkflows } from '../workflow/workflow.ts'
import { acceptedTool, calculationOf, logOfRun, runStanding, wasBegun } from '../workflows.ts'
import type { Foundation } from './foundation.ts'
import type { Paths } from './paths.ts'

export type Running = Awaited<ReturnType<typeof createRunning>>

/** All that runs code: the spine, the tools that code may call, and what is made of runs. */
export async function createRunning(foundation: Foundation, paths: Paths, measure: Watching['measuring']['measure']) {
  const { home, env, clock, ids, keys, log, settings, storage, audit, tenant, catalogue } = foundation
  const { approval, events, files, guard, limits, onProblem, policy, privacy } = foundation
  const { contexts, conversations, environments, surroundings } = paths
  const mcp = await createMcpServers({
    ...{ home, env, clock, storage, audit, keys, privacy, tenant, policy },
    searchModel: () => settings.current.mcp.searchModel,
    changed: () => events.publish(tenant, { type: 'mcp' }),
  })
  const tools = createTools({ servers: mcp, storage, files, audit, clock })
  const kept = await createKeptResults({
    ...{ storage, keys, clock, files, conversations },
    dependencies: (code, language) => guard.dependencies(code, language),
  })
  const runs = createRuns({
    ...{ storage, audit, files, guard, approval, conversations, surroundings, tools, limits, kept, events, clock, ids },
    log,
    contexts: {
      ...handOverValues(contexts, privacy),
      move: contexts.move.bind(contexts),
      end: contexts.end.bind(contexts),
      narrow: contexts.narrow.bind(contexts),
    },
    redact: (conversation, text) => privacy.forRecord(conversation, text),
    analysisOf: code => markOf(catalogue, code),
    whereIs: environments.whereIs,
    keepCode: () => settings.current.audit.keepCode,
  })
  const series = createSeries({ storage, runs, conversations, events, ids, owner: paths.self, onProblem })
  const analyses = createAnalyses({ catalogue, runs, contexts, conversations, ids })
  const workflows = graphsOf(foundation, paths, { tools, runs, analyses, measure })
  return { mcp, tools, kept, runs, series, analyses, workflows }
}

interface GraphParts {
  readonly tools: Tools
  readonly runs: Runs
  readonly analyses: Analyses
  readonly measure: Watching['measuring']['measure']
}

/** Graphs of tasks, each of which goes through the spine. */
function graphsOf(
  { approval, audit, clock, events, files, guard, ids, limits, onProblem, seals, storage }: Foundation,
  { contexts, conversations, self, surroundings }: Paths,
  { tools, runs, analyses, measure }: GraphParts,
) {
  return createWorkflows({
    ...{ storage, audit, files, clock, ids, onProblem, seals },
    runner: createRunner({
      ...{ runs, contexts, files, storage },
      standing: asked => runStanding(audit, approval.requests, files, asked),
      withdraw: async ({ tenant: of, path }, by) => {
        if (by) await approval.requests.pathEnded({ tenant: of, by, path, how: 'belonged to a workflow that is over' })
      },
      calculation: attempt => calculationOf(analyses, attempt),
      tool: (who, server, name) => acceptedTool(tools, who, server, name),
      wasBegun: run => wasBegun(audit, run),
    }),
    wasBegun: run => wasBegun(audit, run),
    answering: approval.answering,
    logOf: (who, run) => logOfRun(runs, audit, who, run),
    hasEffects: async (who, { server, tool }) => (await acceptedTool(tools, who, server, tool))?.effect !== 'reads',
    locate: (who, path) => conversations.locate(who, path),
    obstacles: async (who, path, planned) => {
      // A task's sandbox is a new one, which may go to the cloud where its path may.
      const around = await surroundings({ ...path, path: ids.make(PathId) }, path)
      const whyNowhere = (wishes: { risk: RiskLevel; placement: WantedPlace | undefined }) =>
        unplaceable({ ...wishes, limits: limits() }, around)
      return obstaclesOf({ guard, tools, analyses, whyNowhere }, who, planned)
    },
    committed: (ref, changes) => contexts.bring(ref, changes),
    saved: ms => measure('checkpoint_save_ms', ms),
    // A database that several machines share would be asked for a lock here.
    owner: { name: self.name, isAlive: name => self.isAliveHere(name) },
    changed: (workflow, { tenant: of }) => events.publish(of, { type: 'workflow', workflow }),
  })
}
