import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { PathId, WorkflowId } from '../../../contract/ids.ts'
import { Failure, type Outcome } from '../../../contract/problem.ts'
import { visible } from '../../../contract/visible.ts'
import {
  candidatesOf,
  type GraphFault,
  type TaskView,
  type Undoing,
  type WorkflowView,
} from '../../../contract/workflow.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Decision, parseGraph } from '../../../workflow/workflow.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine, withManySandboxes } from '../open.ts'
import { signingAs } from '../signing.ts'
import { Progress, taskLine } from './workflow-progress.ts'

export const command: Command = {
  help: `
Usage: countersign workflow check FILE [--path ID] [--json]
       countersign workflow run FILE [--path ID] [--put FILE…] [--json]
       countersign workflow resume|status|abort FILE|ID [--json]
       countersign workflow again FILE|ID --from TASK [--json]
       countersign workflow answer FILE|ID [--task TASK] [--json]
       countersign workflow answer FILE|ID [--task TASK] --as NAME [--passphrase-file FILE] [--comment TEXT]
                                   --approve [--candidate N] | --deny

  check      says what is wrong with the graph, line by line; with --path also what would be refused halfway there, such
             as a placement that cannot be had
  run        runs a graph of tasks (YAML or JSON) to its end, or until it waits for a person; where its tasks stand
             and what they print goes to standard error as it comes
  resume     goes on with one that failed or waits; what is over is not done again
  again      starts it anew from a task; what comes before keeps its results
  status     shows where its tasks stand
  abort      stops it; the files of its path stay as they were
  answer     shows what it asks, and what about; with --approve or --deny signs the answer and goes on. Whoever started
             it does not answer: it wants somebody with a passphrase for whom somebody else has vouched

  --path ID  the path whose files it works on (run: a new conversation, where none is named)
  --put FILE a file that is put into the path first; may be given several times
  --from TASK the task from which it runs again
  --task TASK the task whose question is meant, where several wait
  --as NAME  who answers; see countersign identities
  --approve, --deny  the answer; a no wants --comment
  --candidate N      which candidate is kept
  --comment TEXT     goes on the record with the answer
  --passphrase-file FILE  the passphrase is the first line of this file; without it you are asked
  --json     one JSON document

FILE finds the last workflow that was started from that file.
Exit: 0 completed, 1 failed or aborted, 2 wrong use, 3 waits for a person, or somebody may not answer.
`,
  options: {
    path: { type: 'string' },
    from: { type: 'string' },
    put: { type: 'string', multiple: true },
    task: { type: 'string' },
    as: { type: 'string' },
    approve: { type: 'boolean' },
    deny: { type: 'boolean' },
    candidate: { type: 'string' },
    comment: { type: 'string' },
    'passphrase-file': { type: 'string' },
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
    const text = await source(target, io)
    const parsed = parseGraph(text)
    const faults = 'faults' in parsed ? parsed.faults : await foreseen(text, values, io)
    if (values.json) io.stdout.write(`${JSON.stringify({ ok: faults.length === 0, faults })}\n`)
    else
      for (const { line, message } of faults)
        io.stdout.write(`${target}${line === null ? '' : `:${line}`}: ${visible(message)}\n`)
    if (!values.json && 'graph' in parsed && faults.length === 0)
      io.stdout.write(
        `${target}: ${Object.keys(parsed.graph.spec.tasks).length} tasks in ${parsed.graph.layers.length} layers\n`,
      )
    return faults.length === 0 ? exit.success : exit.failed
  },

  async run(target, values, io) {
    const text = await source(target, io)
    return withManySandboxes(io, async engine => {
      const path = await pathFor(engine, values.path as string | undefined, basename(target))
      for (const file of (values.put ?? []) as string[]) await put(engine, path, resolve(io.cwd, file))
      return follow(engine, io, values, must(await engine.workflows.start(engine.caller, path, text)))
    })
  },

  resume: (target, values, io) =>
    withManySandboxes(io, async engine => {
      const id = await find(engine, target, io)
      return follow(engine, io, values, must(await engine.workflows.resume(engine.caller, id)))
    }),

  again(target, values, io) {
    const task = values.from as string | undefined
    if (task === undefined) throw new UsageError('say --from which task')
    return withManySandboxes(io, async engine => {
      const id = await find(engine, target, io)
      return follow(engine, io, values, must(await engine.workflows.again(engine.caller, id, task)))
    })
  },

  answer,

  status: (target, values, io) =>
    withEngine(io, async engine => {
      const id = await find(engine, target, io)
      return report(io, values, must(await engine.workflows.get(engine.caller, id)))
    }),

  abort: (target, values, io) =>
    withEngine(io, async engine => {
      const id = await find(engine, target, io)
      const undoing = must(await engine.workflows.aborting(engine.caller, id))
      const view = must(await engine.workflows.abort(engine.caller, id))
      if (values.json) io.stdout.write(`${JSON.stringify({ ...view, undoing })}\n`)
      else {
        report(io, values, view)
        io.stdout.write(undone(undoing))
      }
      return exit.failed
    }),
}

/** What would be refused on a path, where one is named. */
async function foreseen(text: string, values: Arguments['values'], io: Io): Promise<readonly GraphFault[]> {
  if (values.path === undefined) return []
  const path = pathIn(values.path as string)
  return withEngine(io, async engine => must(await engine.workflows.faults(engine.caller, path, text)))
}

/** Shows what a workflow asks; with a verdict signs the answer and sees the rest through. */
async function answer(target: string, values: Arguments['values'], io: Io): Promise<number> {
  const decision = decisionIn(values)
  return withManySandboxes(io, async engine => {
    const view = must(await engine.workflows.get(engine.caller, await find(engine, target, io)))
    const task = askingTask(view, values.task as string | undefined)
    if (!decision) {
      io.stdout.write(values.json ? `${JSON.stringify(task)}\n` : `${asked(task)}\n${howToAnswer(view, task)}\n`)
      return exit.refused
    }
    const decided = await signingAs(engine, values.as as string, { values, positionals: [] }, io, reviewer =>
      engine.workflows.decide(reviewer, view.id, task.name, decision),
    )
    if (decided.ok) return follow(engine, io, values, decided.value)
    if (decided.problem.code !== 'approval.four-eyes') must(decided)
    io.stderr.write(`countersign: ${decided.problem.message} ${decided.problem.hint}\n`)
    return exit.refused
  })
}

function decisionIn({ approve, deny, as, candidate, comment = '' }: Arguments['values']): Decision | null {
  if (!approve && !deny) {
    if (as !== undefined || candidate !== undefined) throw new UsageError('say --approve or --deny')
    return null
  }
  if (approve && deny) throw new UsageError('say --approve or --deny, and not both')
  if (as === undefined) throw new UsageError('say who answers: --as NAME')
  const number = candidate === undefined ? undefined : Number(candidate)
  if (number !== undefined && !/^[0-7]$/.test(String(candidate))) throw new UsageError('--candidate wants its number')
  return { approve: approve === true, comment: comment as string, candidate: number }
}

/** The task that asks a person, and not a reviewer of its code. */
function askingTask({ tasks, name }: WorkflowView, wanted: string | undefined): TaskView {
  const asking = tasks.filter(({ state, request }) => state === 'waiting' && request === null)
  const found = wanted === undefined ? asking : asking.filter(task => task.name === wanted)
  const [task, ...more] = found
  if (!task)
    throw new Failure('approval.decided', `${wanted ?? name} asks nothing.`, 'See countersign workflow status.')
  if (more.length > 0) throw new UsageError(`say --task: ${found.map(each => each.name).join(', ')} wait`)
  return task
}

function undone({ dropped, lasting }: Undoing): string {
  const files = dropped.length > 0 ? `Dropped: ${visible(dropped.join(', '))}. ` : ''
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
  return pathIn(given)
}

function pathIn(given: string): PathId {
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
    if (view.problem) io.stdout.write(`${visible(view.problem.message)}\n${visible(view.problem.hint)}\n`)
    for (const task of view.tasks) if (task.state === 'waiting') io.stdout.write(`${waitsFor(view, task)}\n`)
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

/** What a person is to do. */
function waitsFor(view: WorkflowView, task: TaskView): string {
  if (task.request) return `${task.name} waits for a reviewer of its code: see the queue of the application.`
  return `${asked(task)}\n${howToAnswer(view, task)}`
}

/** A question with what it is asked about: the figures that it was given, or the candidates. */
function asked(task: TaskView): string {
  const { name, question, given } = task
  const figures = Object.entries(given ?? {}).map(([key, value]) => `  ${key}: ${visible(JSON.stringify(value))}`)
  const candidates = candidatesOf(task).map(
    ({ number, outputs, written }) =>
      `  ${number}: ${visible(JSON.stringify(outputs))}${written.length > 0 ? ` writes ${visible(written.join(', '))}` : ''}`,
  )
  const asks = question === null ? 'which of its candidates is kept?' : paragraphs(question)
  return [`${name} asks somebody else: ${asks}`, ...figures, ...candidates].join('\n')
}

const paragraphs = (text: string): string => text.split('\n').map(visible).join('\n  ')

const howToAnswer = ({ id }: WorkflowView, { name, question }: TaskView): string =>
  `Answer by "countersign workflow answer ${id} --task ${name} --as NAME --approve${question === null ? ' --candidate N' : ''}", or on the page Workflows.`

function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  const { code, message, hint } = outcome.problem
  throw new Failure(code, message, hint)
}
