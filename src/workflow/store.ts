import { z } from 'zod'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { AuditAction } from '../contract/audit.ts'
import { Manifest } from '../contract/files.ts'
import { ConversationId, PathId, RequestId, RunId, TenantId, UserId, WorkflowId } from '../contract/ids.ts'
import { Failure, Problem } from '../contract/problem.ts'
import { TaskState, WorkflowState, WorkflowSummary } from '../contract/workflow.ts'
import type { TableSeals } from '../row-seal.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { WorkflowGraphsTable, WorkflowsTable, WorkflowTasksTable } from '../storage/tables/workflow.ts'
import { version } from '../version.ts'
import type { Graph } from './graph.ts'
import { graphIn, graphText } from './graphs.ts'
import { Changes } from './task.ts'

/** Rows come from a file that anybody may have edited. */
const json = <T extends z.ZodType>(schema: T) =>
  z.string().transform((text, context) => {
    try {
      return schema.parse(JSON.parse(text)) as z.output<T>
    } catch {
      context.addIssue('not what was stored')
      return z.NEVER
    }
  })

const WorkflowRow = z.object({
  id: WorkflowId,
  tenant: TenantId,
  conversation: ConversationId,
  path: PathId,
  name: z.string(),
  source: z.string(),
  state: WorkflowState,
  layers_done: z.number().int().nonnegative(),
  base: json(Manifest),
  epoch: z.number().int(),
  owner: z.string().nullable(),
  problem: json(Problem).nullable(),
  started_by: UserId,
  created_at: z.number(),
  updated_at: z.number(),
  finished_at: z.number().nullable(),
})
export type WorkflowRow = z.infer<typeof WorkflowRow>

const TaskRow = z.object({
  task: z.string(),
  state: TaskState,
  attempt: z.number().int().nonnegative(),
  run: RunId.nullable(),
  /** Of attempts before that one: what they did outside is not undone by another attempt. */
  earlier: json(z.array(RunId)),
  request: RequestId.nullable(),
  outputs: json(z.record(z.string(), z.json())).nullable(),
  changes: json(Changes).nullable(),
  problem: json(Problem).nullable(),
  started_at: z.number().nullable(),
  finished_at: z.number().nullable(),
})
export type TaskRow = z.infer<typeof TaskRow>

/** In one statement, whose length is bounded. */
const rowsAtOnce = 100

/** Rows that are not as this application wrote them. */
export class Edited extends Failure {
  constructor(workflow: string) {
    super('workflow.edited', `The workflow ${workflow} was edited in the database.`, startAnew)
  }
}
export const startAnew = 'Start it again from its graph. The record says what it did.'

export type WorkflowSeals = Pick<TableSeals, 'workflows' | 'workflow_graphs' | 'workflow_tasks'>

export interface Stored {
  /** Whether all of it is as it was written here, by the seals of its rows. Nothing goes on from what is not. */
  readonly intact: boolean
  readonly workflow: WorkflowRow
  readonly tasks: ReadonlyMap<string, TaskRow>
}

/** With the graph that it was started from; an empty one where that cannot be read any more. */
export interface Loaded extends Stored {
  readonly graph: Graph
}

export type TaskChange = Partial<Omit<TaskRow, 'task'>>
export type WorkflowChange = Partial<Pick<WorkflowRow, 'state' | 'layers_done' | 'problem' | 'finished_at'>>

export class WorkflowStore {
  readonly #storage: Storage
  readonly #audit: Recorder
  readonly #clock: Clock
  readonly #seals: WorkflowSeals

  constructor(storage: Storage, audit: Recorder, clock: Clock, seals: WorkflowSeals) {
    this.#seals = seals
    this.#storage = storage
    this.#audit = audit
    this.#clock = clock
  }

  /** `kept`: tasks that are over already, by another workflow of the same graph. */
  async create(
    t: Transaction,
    row: Omit<WorkflowRow, 'epoch' | 'owner' | 'problem' | 'finished_at' | 'updated_at'>,
    graph: Graph,
    kept: ReadonlyMap<string, TaskRow>,
  ): Promise<void> {
    const { workflows, workflow_graphs, workflow_tasks } = this.#seals
    const tasks = Object.keys(graph.spec.tasks)
    const stored = {
      ...row,
      base: JSON.stringify(row.base),
      epoch: 0,
      owner: null,
      problem: null,
      finished_at: null,
      updated_at: row.created_at,
    }
    await t.insertInto('workflows').values(workflows.seal<WorkflowsTable>(stored)).execute()
    const read = { workflow: row.id, tenant: row.tenant, version, graph: graphText(graph) }
    await t.insertInto('workflow_graphs').values(workflow_graphs.seal<WorkflowGraphsTable>(read)).execute()
    for (let at = 0; at < tasks.length; at += rowsAtOnce) {
      const rows = tasks
        .slice(at, at + rowsAtOnce)
        .map(task => workflow_tasks.seal<WorkflowTasksTable>(emptyTask(row, task)))
      await t.insertInto('workflow_tasks').values(rows).execute()
    }
    for (const { task, state, outputs, changes, started_at, finished_at } of kept.values())
      await this.setTask(t, row, task, { state, outputs, changes, started_at, finished_at })
    const details = { name: row.name, tasks: tasks.length, ...(kept.size > 0 ? { kept: [...kept.keys()] } : {}) }
    await this.record(t, row, 'workflow.started', details, row.started_by)
  }

  /** The graph as it was read; null where that was not kept, was edited, or is of another version and may lack something. */
  async graph(id: WorkflowId): Promise<Graph | null> {
    const query = this.#storage.read.selectFrom('workflow_graphs').selectAll().where('workflow', '=', id)
    const row = await query.executeTakeFirst()
    return row?.version === version && this.#seals.workflow_graphs.holds(row) ? graphIn(row.graph) : null
  }

  /** The workflow that a run belongs to, whether or not it is over. */
  async ofRun(tenant: TenantId, run: RunId): Promise<WorkflowId | null> {
    const row = await this.#storage.read
      .selectFrom('workflow_tasks')
      .select('workflow')
      .where('tenant', '=', tenant)
      .where('run', '=', run)
      .executeTakeFirst()
    return row ? WorkflowId.parse(row.workflow) : null
  }

  async load(id: WorkflowId): Promise<Stored | null> {
    const row = await this.#storage.read.selectFrom('workflows').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const rows = await this.#storage.read.selectFrom('workflow_tasks').selectAll().where('workflow', '=', id).execute()
    return this.#storedOf(row, rows)
  }

  #storedOf(row: WorkflowsTable, rows: readonly WorkflowTasksTable[]): Stored {
    const { workflows, workflow_tasks: tasks } = this.#seals
    // A row that cannot be read must not keep the others of its workflow, or the other workflows, from being shown.
    const readable = rows.flatMap(each => TaskRow.safeParse(each).data ?? [])
    const workflow =
      WorkflowRow.safeParse(row).data ?? WorkflowRow.safeParse({ ...row, base: '[]', problem: null }).data
    if (!workflow) throw new Edited(row.id)
    return {
      intact: workflows.holds(row) && rows.every(each => tasks.holds(each)),
      workflow,
      tasks: new Map(readable.map(each => [each.task, each])),
    }
  }

  /** Newest first, without their tasks. */
  async of(tenant: TenantId, path: PathId | null): Promise<WorkflowSummary[]> {
    let query = this.#storage.read.selectFrom('workflows').selectAll().where('tenant', '=', tenant)
    if (path) query = query.where('path', '=', path)
    const rows = await query.orderBy('id', 'desc').limit(200).execute()
    return rows.flatMap(row => {
      const goesOn = row.state === 'running' || row.state === 'waiting'
      const state = goesOn && !this.#seals.workflows.holds(row) ? 'failed' : row.state
      return WorkflowSummary.safeParse({ ...row, state, createdAt: row.created_at }).data ?? []
    })
  }

  async unfinished(): Promise<Pick<WorkflowRow, 'id' | 'state' | 'owner'>[]> {
    const rows = await this.#storage.read
      .selectFrom('workflows')
      .select(['id', 'state', 'owner'])
      .where('state', 'in', ['running', 'waiting'])
      .execute()
    return rows.map(row => WorkflowRow.pick({ id: true, state: true, owner: true }).parse(row))
  }

  /** Those of a conversation that are not over, each with the tasks that have begun and have not ended. */
  async begunIn(tenant: TenantId, conversation: ConversationId): Promise<Stored[]> {
    const rows = await this.#storage.read
      .selectFrom('workflows')
      .selectAll()
      .where('state', 'in', ['running', 'waiting'])
      .where('tenant', '=', tenant)
      .where('conversation', '=', conversation)
      .execute()
    return Promise.all(
      rows.map(async row => {
        const tasks = await this.#storage.read
          .selectFrom('workflow_tasks')
          .selectAll()
          .where('workflow', '=', row.id)
          .where('state', 'in', ['running', 'waiting'])
          .execute()
        return this.#storedOf(row, tasks)
      }),
    )
  }

  /** Those in which a task waits for a run. */
  async waitingFor(run: RunId): Promise<WorkflowId[]> {
    const rows = await this.#storage.read
      .selectFrom('workflow_tasks')
      .innerJoin('workflows', 'workflows.id', 'workflow_tasks.workflow')
      .select('workflows.id')
      .where('workflows.state', 'in', ['running', 'waiting'])
      .where('workflow_tasks.run', '=', run)
      .where('workflow_tasks.state', '=', 'waiting')
      .execute()
    return rows.map(({ id }) => WorkflowId.parse(id))
  }

  async isWaiting(t: Transaction, workflow: Pick<WorkflowRow, 'id'>, task: string): Promise<boolean> {
    const row = await t
      .selectFrom('workflow_tasks')
      .innerJoin('workflows', 'workflows.id', 'workflow_tasks.workflow')
      .select('workflow_tasks.task')
      .where('workflows.id', '=', workflow.id)
      .where('workflows.state', 'not in', ['completed', 'aborted'])
      .where('workflow_tasks.task', '=', task)
      .where('workflow_tasks.state', '=', 'waiting')
      .executeTakeFirst()
    return row !== undefined
  }

  async setTask(t: Transaction, workflow: Pick<WorkflowRow, 'id'>, task: string, change: TaskChange): Promise<void> {
    const text = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
    const { outputs, changes, problem, earlier, ...plain } = change
    const before = await t
      .selectFrom('workflow_tasks')
      .selectAll()
      .where('workflow', '=', workflow.id)
      .where('task', '=', task)
      .executeTakeFirst()
    // What was edited in the database is not made good by writing to it.
    if (!before || !this.#seals.workflow_tasks.holds(before)) throw new Edited(workflow.id)
    const row = this.#seals.workflow_tasks.seal<WorkflowTasksTable>({
      ...before,
      ...{
        ...plain,
        ...('outputs' in change ? { outputs: text(outputs) } : {}),
        ...('changes' in change ? { changes: text(changes) } : {}),
        ...('problem' in change ? { problem: text(problem) } : {}),
        ...(earlier ? { earlier: JSON.stringify(earlier) } : {}),
      },
    })
    await t
      .updateTable('workflow_tasks')
      .set(row)
      .where('workflow', '=', workflow.id)
      .where('task', '=', task)
      .execute()
  }

  async setWorkflow(t: Transaction, workflow: WorkflowRow, change: WorkflowChange): Promise<void> {
    const { problem, ...plain } = change
    const before = await t.selectFrom('workflows').selectAll().where('id', '=', workflow.id).executeTakeFirst()
    if (!before || !this.#seals.workflows.holds(before)) throw new Edited(workflow.id)
    const row = this.#seals.workflows.seal<WorkflowsTable>({
      ...before,
      ...plain,
      ...('problem' in change ? { problem: problem ? JSON.stringify(problem) : null } : {}),
      // At rest nobody has it, and whoever wants to may take it on.
      ...(change.state && change.state !== 'running' ? { owner: null } : {}),
      updated_at: this.#clock.now(),
    })
    await t.updateTable('workflows').set(row).where('id', '=', workflow.id).execute()
  }

  /** Ends it: what is not over by now is not run any more. */
  async abort(t: Transaction, workflow: WorkflowRow): Promise<void> {
    const left = await t
      .selectFrom('workflow_tasks')
      .select('task')
      .where('workflow', '=', workflow.id)
      .where('state', 'not in', ['completed', 'failed'])
      .execute()
    const at = this.#clock.now()
    for (const { task } of left) await this.setTask(t, workflow, task, { state: 'skipped', finished_at: at })
    await this.setWorkflow(t, workflow, { state: 'aborted', finished_at: at })
  }

  /** Of one that was edited in the database nothing goes on; it keeps no seal. */
  async abandon(t: Transaction, { id }: Pick<WorkflowRow, 'id'>): Promise<void> {
    const ended = { state: 'aborted', owner: null, finished_at: this.#clock.now() }
    await t.updateTable('workflows').set(ended).where('id', '=', id).execute()
  }

  async record(
    t: Transaction,
    workflow: Pick<WorkflowRow, 'id' | 'tenant' | 'conversation' | 'path'>,
    action: Extract<AuditAction, `workflow.${string}`>,
    details: Record<string, z.core.util.JSONType>,
    actor: UserId | null,
  ): Promise<void> {
    const { id, tenant, conversation, path } = workflow
    await this.#audit.append(t, { action, tenant, actor, conversation, path, details: { workflow: id, ...details } })
  }
}

const emptyTask = (
  { id, tenant }: Pick<WorkflowRow, 'id' | 'tenant'>,
  task: string,
): Omit<WorkflowTasksTable, 'seal'> => ({
  workflow: id,
  tenant,
  task,
  state: 'pending',
  attempt: 0,
  run: null,
  earlier: '[]',
  request: null,
  outputs: null,
  changes: null,
  problem: null,
  started_at: null,
  finished_at: null,
})
