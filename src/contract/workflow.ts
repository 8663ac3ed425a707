import { z } from 'zod'
import { ConversationId, PathId, RequestId, RunId, UserId, WorkflowId } from './ids.ts'
import { WantedPlace } from './placement.ts'
import { plainName } from './plain-name.ts'
import { Problem } from './problem.ts'
import { Language, Output } from './run.ts'
import { Code, RunView } from './runs.ts'

const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/i, 'A name is a letter followed by up to 39 letters, digits or _.')

export const valueTypes = ['number', 'text', 'boolean', 'list', 'object', 'any'] as const
export const ValueType = z.enum(valueTypes)
export type ValueType = z.infer<typeof ValueType>

/** A value given here, or the result of an earlier task. Never a piece of text that is put into code. */
export const TaskInput = z.union(
  [
    z.strictObject({ value: z.json() }),
    z.strictObject({
      from: z.string().regex(/^[a-z]\w{0,39}\.[a-z]\w{0,39}$/i, 'Write TASK.OUTPUT.'),
      type: ValueType.default('any'),
    }),
  ],
  'Write { value: … }, or { from: TASK.OUTPUT, type: … }.',
)
export type TaskInput = z.infer<typeof TaskInput>

export const Retry = z.strictObject({
  attempts: z.number().int().min(1).max(10).default(1),
  delaySeconds: z.number().min(0).max(600).default(1),
})

/** Where a task runs: the weakest isolation that it accepts, a kind of sandbox by name, or both. */
export const TaskPlacement = WantedPlace.refine(
  ({ isolation, kind }) => isolation !== undefined || kind !== undefined,
  'Say an isolation, a kind of sandbox, or both.',
)

const common = {
  /** Tasks that must be over before this one, where no input says so. */
  needs: z.array(name).max(50).default([]),
  inputs: z.record(name, TaskInput).default({}),
}
const running = {
  ...common,
  retry: Retry.default({ attempts: 1, delaySeconds: 1 }),
  timeoutSeconds: z.number().int().min(1).max(600).default(60),
  placement: TaskPlacement.optional(),
}

/** Over the outputs of a task; what it may be made of is checked with the graph. */
const Expression = z
  .string()
  .min(1)
  .max(500)
  .describe('Outputs by name, numbers, "texts", true, false, + - * /, < <= > >= == !=, and, or, not, ( )')

export const CodeTask = z.strictObject({
  ...running,
  type: z.literal('code_execution'),
  language: Language,
  /** Finds its inputs in `inputs.json` of its working folder, and leaves its results in `outputs.json`. */
  code: Code,
  outputs: z.record(name, ValueType).default({}),
  /** `shared`: one sandbox for all such tasks of the workflow, which see each other's variables. */
  sandbox: z.enum(['own', 'shared']).default('own'),
  /**
   * Runs that many variants side by side, each told its number as the input `candidate`. Where the sandbox is shared, each
   * starts from a copy of it, with its variables; else from the files alone. What it hands on is outputs and files.
   */
  candidates: z.number().int().min(2).max(8).optional(),
  choose: z
    .union(
      [
        z.strictObject({ smallest: Expression, where: Expression.optional() }),
        z.strictObject({ largest: Expression, where: Expression.optional() }),
        z.strictObject({ where: Expression }),
        z.literal('reviewer'),
      ],
      'Write { smallest: … }, { largest: … } or { where: … }, or reviewer.',
    )
    .optional()
    .describe(
      'Which variant counts: { largest: "ratio - 2 * cost", where: "loss < 100 and ok" }, with smallest in place of largest, or the first that fulfils where; or a reviewer',
    ),
})

export const AnalysisTask = z.strictObject({ ...running, type: z.literal('analysis'), analysis: z.string().max(80) })

export const ToolTask = z.strictObject({
  ...running,
  type: z.literal('mcp_tool'),
  placement: TaskPlacement.refine(
    ({ kind }) => kind !== 'e2b',
    'A tool is called from this machine: a sandbox in the cloud cannot call it.',
  ).optional(),
  server: z.string().max(80),
  tool: z.string().max(128),
})

/** A question is not tried again and has no time limit: it waits for a person. */
export const ApprovalTask = z.strictObject({
  ...common,
  type: z.literal('approval'),
  question: z.string().min(1).max(2000),
})

export const Task = z.discriminatedUnion('type', [CodeTask, AnalysisTask, ToolTask, ApprovalTask])
export type Task = z.infer<typeof Task>

/** A graph of tasks, as its author writes it in YAML or JSON. */
export const WorkflowSpec = z.strictObject({
  name: z.string().overwrite(plainName).min(1).max(120),
  description: z.string().max(2000).optional(),
  tasks: z
    .record(name, Task)
    .refine(tasks => Object.keys(tasks).length > 0, 'A workflow has at least one task.')
    .refine(tasks => Object.keys(tasks).length <= 500, 'A workflow has at most 500 tasks.'),
})
export type WorkflowSpec = z.infer<typeof WorkflowSpec>

export const taskStates = ['pending', 'running', 'waiting', 'completed', 'failed', 'skipped'] as const
export const TaskState = z.enum(taskStates)
export type TaskState = z.infer<typeof TaskState>

export const workflowStates = ['running', 'waiting', 'completed', 'failed', 'aborted'] as const
export const WorkflowState = z.enum(workflowStates)
export type WorkflowState = z.infer<typeof WorkflowState>

export const TaskView = z.object({
  name: z.string(),
  type: z.enum(['code_execution', 'analysis', 'mcp_tool', 'approval']),
  layer: z.number().int().nonnegative(),
  needs: z.array(z.string()),
  /** What an approval asks. */
  question: z.string().nullable(),
  /** The figures that it asks about; null where they are not there yet, and for other tasks. */
  given: z.record(z.string(), z.json()).nullable(),
  /** How many candidates it runs, and what each starts from; null where it runs once. */
  candidates: z.object({ count: z.number().int(), from: z.enum(['files', 'variables']) }).nullable(),
  /** What it wants of its sandbox; null where the policy alone decides. */
  placement: WantedPlace.nullable(),
  state: TaskState,
  attempt: z.number().int().nonnegative(),
  run: RunId.nullable(),
  /** All runs of the last attempt: one, or one for each candidate. */
  runs: z.array(RunId),
  request: RequestId.nullable(),
  outputs: z.record(z.string(), z.json()).nullable(),
  /** Files that it would change, or has changed, by name. */
  written: z.array(z.string()),
  removed: z.array(z.string()),
  problem: Problem.nullable(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
})
export type TaskView = z.infer<typeof TaskView>

/** What a task with candidates leaves while it waits for somebody to choose. */
const Choice = z.object({
  candidates: z.array(
    z.object({
      /** Left out in older rows: there a candidate is known by its place. */
      number: z.number().int().optional(),
      outputs: z.record(z.string(), z.json()),
      changes: z.object({ written: z.array(z.object({ path: z.string() })) }),
    }),
  ),
})

export interface Candidate {
  readonly number: number
  readonly outputs: NonNullable<TaskView['outputs']>
  readonly written: readonly string[]
}

export function candidatesOf({ state, outputs }: TaskView): Candidate[] {
  const found = state === 'waiting' ? Choice.safeParse(outputs) : null
  if (!found?.success) return []
  return found.data.candidates.map(({ number, outputs: left, changes }, at) => ({
    ...{ number: number ?? at, outputs: left, written: changes.written.map(({ path }) => path) },
  }))
}

export const WorkflowView = z.object({
  id: WorkflowId,
  name: z.string(),
  conversation: ConversationId,
  path: PathId,
  state: WorkflowState,
  tasks: z.array(TaskView),
  problem: Problem.nullable(),
  /** Who answers none of its questions. */
  startedBy: UserId,
  createdAt: z.number(),
  updatedAt: z.number(),
  finishedAt: z.number().nullable(),
})
export type WorkflowView = z.infer<typeof WorkflowView>

/** A workflow in a list. */
export const WorkflowSummary = WorkflowView.pick({
  ...{ id: true, name: true, conversation: true, path: true, state: true, createdAt: true },
})
export type WorkflowSummary = z.infer<typeof WorkflowSummary>

/** What an abort drops of the files that were staged, and the tasks whose tools it cannot take back. */
export const Undoing = z.object({ dropped: z.array(z.string()), lasting: z.array(z.string()) })
export type Undoing = z.infer<typeof Undoing>

/** What one run of a task has shown: while it goes on, else as the record has it, where private values are tokens. */
export const LoggedRun = z.object({
  run: RunId,
  /** The run as it stands; null when it is over. */
  view: RunView.nullable(),
  outputs: z.array(Output),
})
export type LoggedRun = z.infer<typeof LoggedRun>

export const TaskLog = z.array(LoggedRun)
export type TaskLog = z.infer<typeof TaskLog>

/** What is wrong with a graph, on its line. */
export const GraphFault = z.object({ message: z.string(), line: z.number().int().positive().nullable() })
export type GraphFault = z.infer<typeof GraphFault>
