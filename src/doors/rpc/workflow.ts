import { parseGraph } from '../../workflow/workflow.ts'
import { api, unwrap } from './api.ts'

const { workflow } = api

const needsOf = (graph: { needs: ReadonlyMap<string, readonly string[]> }) =>
  Object.fromEntries([...graph.needs].map(([name, needs]) => [name, [...needs]]))

export const workflowRouter = {
  check: workflow.check.handler(async ({ context: { engine, session }, input: { source, path } }) => {
    const parsed = parseGraph(source)
    if ('faults' in parsed) return { faults: [...parsed.faults], layers: [], needs: {} }
    const faults = path ? await unwrap(engine.workflows.faults(session.caller, path, source)) : []
    const { layers } = parsed.graph
    return { faults: [...faults], layers: layers.map(layer => [...layer]), needs: needsOf(parsed.graph) }
  }),
  start: workflow.start.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.workflows.start(session.caller, input.path, input.source)),
  ),
  get: workflow.get.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.workflows.get(session.caller, input.workflow)),
  ),
  source: workflow.source.handler(async ({ context: { engine, session }, input }) => ({
    source: await unwrap(engine.workflows.source(session.caller, input.workflow)),
  })),
  list: workflow.list.handler(({ context: { engine, session }, input }) =>
    engine.workflows.list(session.caller, input.path),
  ),
  resume: workflow.resume.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.workflows.resume(session.caller, input.workflow)),
  ),
  again: workflow.again.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.workflows.again(session.caller, input.workflow, input.task)),
  ),
  abort: workflow.abort.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.workflows.abort(session.caller, input.workflow)),
  ),
  aborting: workflow.aborting.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.workflows.aborting(session.caller, input.workflow)),
  ),
  log: workflow.log.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.workflows.log(session.caller, input.workflow, input.task)),
  ),
  decide: workflow.decide.handler(({ context: { engine, session }, input: { workflow: id, task, as, ...decision } }) =>
    unwrap(session.signing(as, reviewer => engine.workflows.decide(reviewer, id, task, decision))),
  ),
  fromPath: workflow.fromPath.handler(async ({ context: { engine, session }, input }) => ({
    source: await unwrap(engine.workflowFromPath(session.caller, input.path)),
  })),
}
