import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { PathId, WorkflowId } from '../../../contract/ids.ts'
import { Failure, type Outcome } from '../../../contract/problem.ts'
import type { Undoing, WorkflowView } from '../../../contract/workflow.ts'
import type { Engine } from '../../../engine.ts'
import { parseGraph } from '../../../workflow/workflow.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { Progress, taskLine } from './workflow-progress.ts'

export const command: Command = {
  help: `
Usage: countersign workflow check FILE
       countersign workflow run FILE [--path ID] [--put FILE…] [--json]
       countersign workflow resume|status|abort FILE|ID [--json]
       countersign workflow again FILE|ID --from TASK [--json]

  check      says whether the graph can run, and what is wrong with it, line by line
  run        runs a graph of tasks (YAML or JSON) to its end, or until it waits for a person; where its tasks stand
             and what they print goes to standard error as it comes
  resume     goes on with one that failed or waits; what is over is not done again
  again      starts it anew from a task; what comes before keeps its results
  status     shows where its tasks stand
  abort      stops it; the files of its path stay as they were

  --path ID  the path whose files it works on (default: a new conversation)
  --put FILE a file that is put into the path first; may be given several times
  --from TASK the task from which it runs again
  --json     one JSON document

FILE finds the last workflow that was started from that file.
Exit: 0 completed, 1 failed or aborted, 2 wrong use, 3 waits for a person.
`,
  options: {
    path: { type: 'string' },
    from: { type: 'string' },
    put: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
  async run({ positionals: [action, target, ...more], values }, io) {
    if (!action || !Object.hasOwn(actions, action)) throw new UsageError(`say ${Object.keys(actions).join(', ')}`)
    if (!target || more.length > 0) throw new UsageError('name one file')
    return (actions[action] as Action)(target, values, io)
  },
}

type Action = (target: string, values: Arguments['values'], io: Io) => Promise<number>

const actions: Record<string, Action> = {
  async check(target, values, io) {
    const parsed = parseGraph(await source(target, io))
    const faults = 'faults' in parsed ? parsed.faults : []
    if (values.json) io.stdout.write(`${JSON.stringify({ ok: faults.length === 0, faults })}\n`)
    else
      for (const { line, message } of faults)
        io.stdout.write(`${target}${line === null ? '' : `:${line}`}: ${message}\n`)
    if (!values.json && 'graph' in parsed)
      io.stdout.write(
        `${target}: ${Object.keys(parsed.graph.spec.tasks).length} tasks in ${parsed.graph.layers.length} layers\n`,
      )
    return faults.length === 0 ? exit.success : exit.failed
  },

  async run(target, values, io) {
    const text = await source(target, io)
    return withEngine(io, async engine => {
      const path = await pathFor(engine, values.path as string | undefined, basename(target))
      for (const file of (values.put ?? []) as string[]) await put(engine, path, resolve(io.cwd, file))
      return follow(engine, io, values, must(await engine.workflows.start(engine.caller, path, text)))
    })
  },

  resume: (target, values, io) =>
    withEngine(io, async engine => {
      const id = await find(engine, target, io)
      return follow(engine, io, values, must(await engine.workflows.resume(engine.caller, id)))
    }),

  again(target, values, io) {
    const task = values.from as string | undefined
    if (task === undefined) throw new UsageError('say --from which task')
    return withEngine(io, async engine => {
      const id = await find(engine, target, io)
      return follow(engine, io, values, must(await engine.workflows.again(engine.caller, id, task)))
    })
  },

  status: (target, values, io) =>
    withEngine(io, async engine => {
      const id = await find(engine, target, io)
      return report(io, values, must(await engine.workflows.get(engine.caller, id)))
    }),

  abort: (target, values, io) =>
    withEngine(io, async engine => {
      const id = await find(engine, target, io)
      const undoing = await engine.workflows.aborting(engine.caller, id)
      const code = report(io, values, must(await engine.workflows.abort(engine.caller, id)))
      if (undoing.ok && !values.json) io.stdout.write(undone(undoing.value))
      return code
    }),
}

function undone({ dropped, lasting }: Undoing): string {
  const files = dropped.length > 0 ? `Dropped: ${dropped.join(', ')}. ` : ''
  const tools = lasting.length > 0 ? `What these tools did elsewhere is not undone: ${lasting.join(', ')}.\n` : ''
  return `${files}The files of the path are as they were.\n${tools}`
}

async function source(target: string, io: Io): Promise<string> {
  return readFile(resolve(io.cwd, target), 'utf8').catch(error => {
    throw new UsageError(`cannot read ${target}: ${error instanceof Error ? error.message : String(error)}`)
  })
}

async function pathFor(engine: Engine, given: string | undefined, title: string): Promise<PathId> {
  if (given === undefined) return must(await engine.conversations.create(engine.caller, { title })).conversation.main
  const id = PathId.safeParse(given)
  if (!id.success) throw new UsageError('--path wants the id of a path')
  return id.data
}

async function put(engine: Engine, path: PathId, file: string): Promise<void> {
  const conversation = must(await engine.conversations.locate(engine.caller, path))
  const folder = engine.contexts.files({ tenant: engine.caller.tenant, conversation, path }, engine.caller.user)
  const bytes = await readFile(file).catch(error => {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
  })
  must(await folder.write(basename(file), bytes))
}

/** By its id, or the last one that was started from a file. */
async function find(engine: Engine, target: string, io: Io): Promise<WorkflowId> {
  const id = WorkflowId.safeParse(target)
  if (id.success) return id.data
  const text = await source(target, io)
  for (const view of await engine.workflows.list(engine.caller, null)) {
    const written = await engine.workflows.source(engine.caller, view.id)
    if (written.ok && written.value === text) return view.id
  }
  throw new UsageError(`no workflow was started from ${target} as it is now`)
}

async function follow(engine: Engine, io: Io, values: Arguments['values'], view: WorkflowView): Promise<number> {
  const progress = new Progress(view.id, line => io.stderr.write(`${line}\n`))
  const stop = values.json ? () => undefined : engine.events.listen(event => progress.hear(event))
  const abort = () => void engine.workflows.abort(engine.caller, view.id)
  io.signal.addEventListener('abort', abort, { once: true })
  try {
    await engine.workflows.rest(view.id)
    const end = must(await engine.workflows.get(engine.caller, view.id))
    if (!values.json) progress.stands(end)
    return report(io, values, end)
  } finally {
    stop()
    io.signal.removeEventListener('abort', abort)
  }
}

function report(io: Io, values: Arguments['values'], view: WorkflowView): number {
  if (values.json) io.stdout.write(`${JSON.stringify(view)}\n`)
  else {
    io.stdout.write(`${view.name}: ${view.state} (${view.id})\n`)
    for (const task of view.tasks) io.stdout.write(`  ${taskLine(task)}\n`)
    if (view.problem) io.stdout.write(`${view.problem.message}\n${view.problem.hint}\n`)
  }
  const codes = {
    completed: exit.success,
    waiting: exit.refused,
    running: exit.refused,
    failed: exit.failed,
    aborted: exit.failed,
  }
  return codes[view.state]
}

function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  const { code, message, hint } = outcome.problem
  throw new Failure(code, message, hint)
}
