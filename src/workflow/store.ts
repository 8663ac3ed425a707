import { z } from 'zod'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { AuditAction } from '../contract/audit.ts'
import { Manifest } from '../contract/files.ts'
import { ConversationId, PathId, RequestId, RunId, TenantId, UserId, WorkflowId } from '../contract/ids.ts'
import { Problem } from '../contract/problem.ts'
import { TaskState, WorkflowState } from '../contract/workflow.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
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

/** Said to a process whose workflow another carries out. */
export class Superseded extends Error {}

/** Tells processes that share a database apart. */
export interface Owner {
  readonly name: string
  /** Whether the process of that name still runs, as far as can be told. */
  isAlive(name: string): boolean
}

export interface Stored {
  readonly workflow: WorkflowRow
  readonly tasks: ReadonlyMap<string, TaskRow>
}

export type TaskChange = Partial<Omit<TaskRow, 'task'>>
export type WorkflowChange = Partial<Pick<WorkflowRow, 'state' | 'layers_done' | 'problem' | 'finished_at'>>

export class WorkflowStore {
  readonly #storage: Storage
  readonly #audit: Recorder
  readonly #clock: Clock
  readonly #owner: Owner

  constructor(storage: Storage, audit: Recorder, clock: Clock, owner: Owner) {
    this.#storage = storage
    this.#audit = audit
    this.#clock = clock
    this.#owner = owner
  }

  /** `kept`: tasks that are over already, by another workflow of the same graph. */
  async create(
    row: Omit<WorkflowRow, 'epoch' | 'owner' | 'problem' | 'finished_at' | 'updated_at'>,
    tasks: readonly string[],
    kept: ReadonlyMap<string, TaskRow> = new Map(),
  ) {
    await this.#storage.write(async t => {
      const stored = {
        ...row,
        base: JSON.stringify(row.base),
        epoch: 0,
        owner: null,
        problem: null,
        finished_at: null,
        updated_at: row.created_at,
      }
      await t.insertInto('workflows').values(stored).execute()
      for (let at = 0; at < tasks.length; at += rowsAtOnce) {
        const rows = tasks.slice(at, at + rowsAtOnce).map(task => emptyTask(row, task))
        await t.insertInto('workflow_tasks').values(rows).execute()
      }
      for (const { task, state, outputs, changes, started_at, finished_at } of kept.values())
        await this.setTask(t, row, task, { state, outputs, changes, started_at, finished_at })
      const details = { name: row.name, tasks: tasks.length, ...(kept.size > 0 ? { kept: [...kept.keys()] } : {}) }
      await this.record(t, row, 'workflow.started', details, row.started_by)
    })
  }

  async load(id: WorkflowId): Promise<Stored | null> {
    const row = await this.#storage.read.selectFrom('workflows').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const rows = await this.#storage.read.selectFrom('workflow_tasks').selectAll().where('workflow', '=', id).execute()
    return {
      workflow: WorkflowRow.parse(row),
      tasks: new Map(rows.map(each => [each.task, TaskRow.parse(each)])),
    }
  }

  async of(tenant: TenantId, path: PathId | null): Promise<WorkflowId[]> {
    let query = this.#storage.read.selectFrom('workflows').select('id').where('tenant', '=', tenant)
    if (path) query = query.where('path', '=', path)
    const rows = await query.orderBy('id', 'desc').limit(200).execute()
    return rows.map(({ id }) => WorkflowId.parse(id))
  }

  async unfinished(): Promise<WorkflowId[]> {
    const rows = await this.#storage.read
      .selectFrom('workflows')
      .select('id')
      .where('state', 'in', ['running', 'waiting'])
      .execute()
    return rows.map(({ id }) => WorkflowId.parse(id))
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

  /** Takes a workflow on; whoever had it before is fenced off. From a process that still runs it is not taken. */
  async take(id: WorkflowId): Promise<number> {
    return this.#storage.write(async t => {
      const row = await t
        .selectFrom('workflows')
        .select(['epoch', 'owner'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      if (this.isElsewhere(row)) throw new Superseded(`workflow ${id} is carried out by another process`)
      const epoch = row.epoch + 1
      await t.updateTable('workflows').set({ epoch, owner: this.#owner.name }).where('id', '=', id).execute()
      return epoch
    })
  }

  /** Whether another process that still runs carries it out. */
  isElsewhere({ owner }: Pick<WorkflowRow, 'owner'>): boolean {
    return owner !== null && owner !== this.#owner.name && this.#owner.isAlive(owner)
  }

  async isHeld({ id }: Pick<WorkflowRow, 'id'>, epoch: number): Promise<boolean> {
    const row = await this.#storage.read.selectFrom('workflows').select('epoch').where('id', '=', id).executeTakeFirst()
    return row?.epoch === epoch
  }

  /** One transaction, which only the process that holds the workflow may make. */
  async change<T>(workflow: WorkflowRow, epoch: number, work: (t: Transaction) => Promise<T>): Promise<T> {
    return this.#storage.write(async t => {
      const row = await t.selectFrom('workflows').select('epoch').where('id', '=', workflow.id).executeTakeFirst()
      if (row?.epoch !== epoch) throw new Superseded(`workflow ${workflow.id} was taken on by another process`)
      return work(t)
    })
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
    await t
      .updateTable('workflow_tasks')
      .set({
        ...plain,
        ...('outputs' in change ? { outputs: text(outputs) } : {}),
        ...('changes' in change ? { changes: text(changes) } : {}),
        ...('problem' in change ? { problem: text(problem) } : {}),
        ...(earlier ? { earlier: JSON.stringify(earlier) } : {}),
      })
      .where('workflow', '=', workflow.id)
      .where('task', '=', task)
      .execute()
  }

  async setWorkflow(t: Transaction, workflow: WorkflowRow, change: WorkflowChange): Promise<void> {
    const { problem, ...plain } = change
    await t
      .updateTable('workflows')
      .set({
        ...plain,
        ...('problem' in change ? { problem: problem ? JSON.stringify(problem) : null } : {}),
        // At rest nobody has it, and whoever wants to may take it on.
        ...(change.state && change.state !== 'running' ? { owner: null } : {}),
        updated_at: this.#clock.now(),
      })
      .where('id', '=', workflow.id)
      .execute()
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

const emptyTask = ({ id, tenant }: Pick<WorkflowRow, 'id' | 'tenant'>, task: string) => ({
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
