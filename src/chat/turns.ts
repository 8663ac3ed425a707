import { isUnderWay, type Turn, type TurnId, Turn as TurnSchema } from '../contract/chat.ts'
import type { PathId, RunId } from '../contract/ids.ts'
import { problem, problemOf } from '../contract/problem.ts'
import { isOver, type RunView } from '../contract/runs.ts'
import type { Caller } from '../conversations/conversations.ts'
import { type Active, type Asked, change, end, isOrphan, over, owner, tellOnceWritten } from './active.ts'
import { askModel } from './asking.ts'
import { resultOf } from './calls.ts'
import { type Desk, Refused } from './desk.ts'
import { finishCalls } from './finish-calls.ts'
import { interrupted } from './interrupted.ts'
import { LiveText } from './live.ts'
import { type TurnRow, turnOf } from './store.ts'

export interface Beginning {
  /** How many requests this answer may still take; the setting unless said otherwise. */
  readonly moreSteps?: number
  readonly asked?: Asked
  /** For an answer whose row is being written. */
  readonly written?: Promise<void>
}

const WaitingFor = TurnSchema.shape.waiting.unwrap()

/** Carries answers from question to end: asks, runs what was asked for, asks again; rests while a reviewer decides. */
export class Turns {
  readonly #desk: Desk
  readonly #active = new Map<TurnId, Active>()
  readonly #carried = new Map<TurnId, Promise<void>>()
  readonly #working = new Set<Promise<void>>()
  /** Runs that a resting answer waits for. */
  readonly #awaited = new Map<RunId, { turn: TurnId; who: Caller }>()
  readonly #unlisten: () => void

  constructor(desk: Desk) {
    this.#desk = desk
    this.#unlisten = desk.events.listen(event => {
      if (event.type === 'run') this.#heard(event.run)
    })
  }

  begin(who: Caller, row: TurnRow, { moreSteps, asked, written = Promise.resolve() }: Beginning = {}): Turn {
    const { tenant, conversation, path } = row
    const active: Active = {
      row,
      asked: asked ?? null,
      written,
      unsaved: {},
      who,
      ref: { tenant, conversation, path },
      stop: new AbortController(),
      live: new LiveText(this.#desk, row.id, path, tenant),
      waitUntil: null,
      toolsOff: null,
      lastStep: moreSteps === undefined ? this.#desk.settings().stepsPerTurn : row.step + moreSteps,
    }
    this.#active.set(row.id, active)
    const { measuring } = this.#desk
    const place = { 'app.tenant.id': tenant, 'app.conversation.id': conversation, 'app.path.id': path }
    const work = measuring
      .span('compliance.chat.answer', place, () => this.#carry(active))
      .catch(error => this.#failed(active, error))
      .finally(() => {
        this.#active.delete(row.id)
        this.#carried.delete(row.id)
        this.#working.delete(work)
      })
    this.#carried.set(row.id, work)
    this.#working.add(work)
    tellOnceWritten(this.#desk, active)
    return turnOf(row)
  }

  /** Whether an answer is being written on a path here, also one that is not in the database yet. */
  isBusy(path: PathId): boolean {
    return [...this.#active.values()].some(({ row }) => row.path === path && isUnderWay(row.state))
  }

  live(turn: TurnId): LiveText | null {
    return this.#active.get(turn)?.live ?? null
  }

  view(row: TurnRow): Turn {
    const active = this.#active.get(row.id)
    return turnOf(active?.row ?? row, active?.waitUntil ?? null)
  }

  async stop(row: TurnRow): Promise<void> {
    const active = this.#active.get(row.id)
    if (active) active.stop.abort()
    else if (isUnderWay(row.state)) await end(this.#desk, row, 'stopped', null)
  }

  /** Nobody waits any more for an answer on this path: the person asks something else. */
  async supersede(row: TurnRow): Promise<void> {
    if (row.state !== 'resting') return
    await end(this.#desk, row, 'superseded', null)
  }

  /** After a start: what was under way when the application ended, and what waits for a reviewer. */
  async recover(who: Caller): Promise<void> {
    // One that cannot be taken up must not keep the others, or the application, from beginning.
    for (const row of await this.#desk.store.underWay(who.tenant))
      await this.#takeUp(row).catch(error =>
        this.#desk.log.error({ error: String(error) }, 'an answer could not be taken up after a start'),
      )
  }

  async close(): Promise<void> {
    this.#unlisten()
    for (const active of this.#active.values()) active.stop.abort()
    await Promise.all(this.#working)
  }

  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  async #takeUp(row: TurnRow): Promise<void> {
    const asker = { tenant: row.tenant, user: row.asked_by }
    if (row.state === 'resting') await this.#awaitAgain(asker, row)
    else if (isOrphan(row.owner)) await interrupted(this.#desk, asker, row)
  }

  async #carry(active: Active): Promise<void> {
    const desk = this.#desk
    for (;;) {
      const called = await finishCalls(desk, active)
      if (called === 'over') return
      if (called !== 'ask') {
        this.#awaited.set(called.run, { turn: active.row.id, who: active.who })
        return change(desk, active, { state: 'resting', waiting: JSON.stringify(called) })
      }
      if ((await askModel(desk, active)) === 'over') return
    }
  }

  /** A run that an answer rests for has moved: it goes on when the run is over. */
  #heard(view: RunView): void {
    const awaited = this.#awaited.get(view.run)
    if (!awaited || !isOver(view.state)) return
    this.#awaited.delete(view.run)
    const work = this.#goOnAfter(awaited.who, awaited.turn, view)
      .catch(error => this.#desk.log.error({ error: String(error) }, 'an answer could not go on'))
      .finally(() => this.#working.delete(work))
    this.#working.add(work)
  }

  async #goOnAfter(who: Caller, id: TurnId, view: RunView): Promise<void> {
    const desk = this.#desk
    // A decision can come before the rest that it ends has been written down.
    await this.#carried.get(id)
    const row = await desk.store.turn(who, id)
    if (row?.state !== 'resting' || !row.waiting) return
    const { cell } = WaitingFor.parse(JSON.parse(row.waiting))
    const call = (await desk.store.partsOf(id, row.step)).find(each => each.item === cell && each.part.kind === 'call')
    if (call?.part.kind === 'call') {
      const ref = { tenant: row.tenant, conversation: row.conversation, path: row.path }
      const result = await resultOf(desk, ref, call.part, view)
      await desk.store.addParts(row, row.step, [{ item: cell, part: result }])
    }
    const to = { state: 'running' as const, waiting: null, owner }
    await desk.store.change(id, to)
    this.begin(who, { ...row, ...to })
  }

  /** A resting answer after a restart: it waits on, or goes on with what was decided meanwhile. */
  async #awaitAgain(who: Caller, row: TurnRow): Promise<void> {
    const desk = this.#desk
    const waiting = row.waiting && WaitingFor.safeParse(JSON.parse(row.waiting)).data
    if (!waiting) return interrupted(desk, who, row)
    this.#awaited.set(waiting.run, { turn: row.id, who })
    const request = await desk.request(who, waiting.request)
    if (!request.ok || request.value.state === 'used') {
      this.#awaited.delete(waiting.run)
      return interrupted(desk, who, row)
    }
    const { state } = request.value
    if (state === 'approved') await desk.runs.resume(request.value)
    else if (state !== 'waiting' && state !== 'saved') {
      const reason = request.value.decision?.comment || request.value.note || `The request was ${state}.`
      const over = {
        run: waiting.run,
        state: 'refused',
        outcome: null,
        problem: problem('approval.denied', reason, 'Nothing was run.'),
      }
      this.#heard(over as RunView)
    }
  }

  async #failed(active: Active, error: unknown): Promise<void> {
    const why = error instanceof Refused ? error.problem : problemOf(error)
    if (why.code === 'internal.bug')
      this.#desk.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'an answer failed')
    active.live.settle()
    await over(this.#desk, active, 'failed', why).catch(() => undefined)
  }
}
