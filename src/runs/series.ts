import type { Owner } from '../contexts/contexts.ts'
import { type CellId, type PathId, RunId, type TenantId, type UserId } from '../contract/ids.ts'
import { type Outcome, ok, type Problem, problemOf } from '../contract/problem.ts'
import { Language } from '../contract/run.ts'
import { isOver, type RunView } from '../contract/runs.ts'
import { Series, type StartSeries } from '../contract/series.ts'
import type { Caller, CellNow, Conversations } from '../conversations/conversations.ts'
import type { Events } from '../events.ts'
import type { Ids } from '../ids.ts'
import type { Storage } from '../storage/storage.ts'
import type { Runs } from './runs.ts'

/**
 * Runs cells of a path one after the other, each when the one before it has succeeded. One that waits for a reviewer
 * holds up those after it, which may need what it does; at the first that fails, is denied or is stopped it ends. It is
 * the engine's, so that it goes on while no window looks, and every window sees it and can end it.
 */
export interface CellSeries {
  /** One for each path: what is asked for while it runs comes after it. */
  start(who: Caller, request: StartSeries): Promise<Outcome<void>>
  of(who: Caller, path: PathId): Promise<Outcome<Series | null>>
  end(who: Caller, path: PathId): Promise<Outcome<void>>
  resume(who: Caller, path: PathId): Promise<Outcome<void>>
  /** Starts no further cell; the next start of the application finds what was left. */
  close(): void
}

interface Parts {
  readonly storage: Storage
  readonly runs: Pick<Runs, 'start'>
  readonly conversations: Pick<Conversations, 'locate' | 'cellNow'>
  readonly events: Events
  readonly ids: Ids
  readonly owner: Owner
  readonly onProblem: (problem: Problem) => void
}

/** A cell that is to run, and who asked for it: whoever asks for more is the requester of those. */
interface Turn {
  readonly cell: CellId
  readonly user: UserId
}

interface Going {
  readonly tenant: TenantId
  readonly path: PathId
  turn: Turn
  run: RunId | null
  done: number
  waiting: readonly Turn[]
  readonly ended: PromiseWithResolvers<null>
}

const Kept = Series.pick({ cell: true, run: true, done: true, waiting: true })

export function createSeries({ storage, runs, conversations, events, ids, owner, onProblem }: Parts): CellSeries {
  const going = new Map<PathId, Going>()
  const stopped = new Map<PathId, Series>()

  const isGoing = (one: Going) => going.get(one.path) === one
  const tell = ({ tenant, path }: Pick<Going, 'tenant' | 'path'>, series: Series | null) =>
    events.publish(tenant, { type: 'series', path, series })

  /** Written in the order in which it happens: what the row says is what stood when its turn to be written came. */
  async function note(one: Going): Promise<void> {
    tell(one, seriesOf(one))
    await storage.write(async t => {
      if (!isGoing(one)) return
      const { path: _, state: __, end: ___, ...kept } = seriesOf(one)
      const row = { tenant: one.tenant, owner: owner.name, state: JSON.stringify(kept) }
      await t
        .insertInto('series')
        .values({ path: one.path, ...row })
        .onConflict(conflict => conflict.column('path').doUpdateSet(row))
        .execute()
    })
  }

  const forget = (path: PathId) => storage.write(t => t.deleteFrom('series').where('path', '=', path).execute())

  /** What another process left here that is certain to be gone. */
  async function leftOn(tenant: TenantId, path: PathId): Promise<Series | null> {
    const row = await storage.read
      .selectFrom('series')
      .selectAll()
      .where('path', '=', path)
      .where('tenant', '=', tenant)
      .executeTakeFirst()
    if (!row || owner.isAlive(row.owner)) return null
    const kept = Kept.safeParse(parsed(row.state))
    return kept.success ? { path, state: 'left', end: null, ...kept.data } : null
  }

  async function begin(who: Caller, path: PathId, cells: readonly CellId[], done: number): Promise<void> {
    const [turn, ...waiting] = cells.map(cell => ({ cell, user: who.user }))
    if (!turn) return
    const { tenant } = who
    const one: Going = { tenant, path, turn, run: null, done, waiting, ended: Promise.withResolvers<null>() }
    stopped.delete(path)
    going.set(path, one)
    await note(one)
    void drive(one).catch(error => onProblem(problemOf(error)))
  }

  async function drive(one: Going): Promise<void> {
    const end = await untilOne(one).catch(error => ({ error: null, problem: problemOf(error) }))
    if (!isGoing(one)) return
    going.delete(one.path)
    const series: Series | null = end && one.waiting.length > 0 ? { ...seriesOf(one), state: 'stopped', end } : null
    if (series) stopped.set(one.path, series)
    tell(one, series)
    await forget(one.path)
  }

  /** How the first cell ended that did not succeed; null when there was none, or somebody ended the series. */
  async function untilOne(one: Going): Promise<Series['end']> {
    for (;;) {
      const { cell, user } = one.turn
      const who = { tenant: one.tenant, user }
      const now = await conversations.cellNow(who, one.path, cell)
      if (!isGoing(one)) return null
      // Deleted or emptied since the series began: then there is nothing to run.
      if (isRunnable(now)) {
        one.run = ids.make(RunId)
        // Before the run is told of: the window that asked is the one that opens its dialogs.
        await note(one)
        if (!isGoing(one)) return null
        const end = await runOne(one, who, now.revision)
        if (!isGoing(one) || end) return end
      }
      const [turn, ...waiting] = one.waiting
      if (!turn) return null
      Object.assign(one, { turn, waiting, run: null, done: one.done + 1 })
      await note(one)
    }
  }

  async function runOne(one: Going, who: Caller, revision: number): Promise<Series['end']> {
    const { path, turn, run } = one
    const over = Promise.withResolvers<RunView>()
    // Of the cell and not of the run: one that was held is started again with another way on.
    const stop = events.listen((event, tenant) => {
      if (tenant !== one.tenant || event.type !== 'run') return
      if (event.run.path === path && event.run.cell === turn.cell && isOver(event.run.state)) over.resolve(event.run)
    })
    try {
      const started = await runs.start(who, { path, cell: turn.cell, revision }, run ? { id: run } : {})
      if (!started.ok) return { error: null, problem: started.problem }
      const rest = await started.value.rest
      return endOf(isOver(rest.state) ? rest : await Promise.race([over.promise, one.ended.promise]))
    } finally {
      stop()
    }
  }

  async function succeeded({ path, cell, run }: Series): Promise<boolean> {
    const row = await storage.read
      .selectFrom('executions')
      .select('success')
      .where('path', '=', path)
      .where('item', '=', cell)
      .where('run', '=', run)
      .executeTakeFirst()
    return row?.success === 1
  }

  return {
    async start(who, { path, cells }) {
      const located = await conversations.locate(who, path)
      if (!located.ok) return located
      const one = going.get(path)
      if (!one) await begin(who, path, cells, 0)
      else {
        one.waiting = [...one.waiting, ...cells.map(cell => ({ cell, user: who.user }))]
        await note(one)
      }
      return ok(undefined)
    },

    async of(who, path) {
      const located = await conversations.locate(who, path)
      if (!located.ok) return located
      const one = going.get(path)
      return ok(one ? seriesOf(one) : (stopped.get(path) ?? (await leftOn(who.tenant, path))))
    },

    async end(who, path) {
      const located = await conversations.locate(who, path)
      if (!located.ok) return located
      going.get(path)?.ended.resolve(null)
      going.delete(path)
      stopped.delete(path)
      tell({ tenant: who.tenant, path }, null)
      await forget(path)
      return ok(undefined)
    },

    async resume(who, path) {
      const located = await conversations.locate(who, path)
      if (!located.ok) return located
      const left = going.has(path) ? null : await leftOn(who.tenant, path)
      if (!left) return ok(undefined)
      // One that was killed, or waits for a reviewer, is asked for again: the request that waits is found by that.
      const isDone = await succeeded(left)
      await begin(who, path, isDone ? left.waiting : [left.cell, ...left.waiting], left.done + (isDone ? 1 : 0))
      return ok(undefined)
    },

    close() {
      for (const one of going.values()) one.ended.resolve(null)
      going.clear()
    },
  }
}

const seriesOf = ({ path, turn, run, done, waiting }: Going): Series => ({
  ...{ path, state: 'running', cell: turn.cell, run, done, end: null },
  waiting: waiting.map(({ cell }) => cell),
})

const isRunnable = (now: CellNow): now is Extract<CellNow, { kind: 'cell' }> =>
  now.kind === 'cell' && Language.safeParse(now.language).success && now.text.trim() !== ''

function endOf(view: RunView | null): Series['end'] {
  if (!view || view.outcome?.success) return null
  const error = view.outcome?.error ?? null
  return { error: error && { kind: error.kind, name: error.name }, problem: view.problem }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
