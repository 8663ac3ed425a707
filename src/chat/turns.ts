import { hostname } from 'node:os'
import { z } from 'zod'
import { meansNoSandbox } from '../contexts/contexts.ts'
import type { ChatModel, Part, Provider, ToolName, Turn, TurnId } from '../contract/chat.ts'
import { isUnderWay, Turn as TurnSchema } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Item, ItemId, NewItem } from '../contract/conversations.ts'
import type { CellId, RunId } from '../contract/ids.ts'
import { type Outcome, type Problem, problem, problemOf } from '../contract/problem.ts'
import { isOver, type RunView } from '../contract/runs.ts'
import type { Caller } from '../conversations/conversations.ts'
import { limitMet, readSpending, refusedByPolicy } from './allowed.ts'
import { type CallPart, cellOf, codeHash, look, makesCell, resultOf, runCell } from './calls.ts'
import { type Desk, orProblem, Refused, tell } from './desk.ts'
import { findFigures } from './figures.ts'
import { LiveText } from './live.ts'
import { allItems, contextOf, itemsOfTurn, itemsUpTo } from './path.ts'
import { fitToWindow } from './prompt.ts'
import { requestStep } from './request.ts'
import { textOfRun } from './results.ts'
import type { Snapshot, Step } from './step.ts'
import { type TurnRow, turnOf } from './store.ts'
import { nameConversation } from './titles.ts'
import { readCall, toolsFor } from './tools.ts'

/** How often what a model has written is kept while it writes: a crash loses at most this much of it. */
const keepMs = 400

interface Active {
  row: TurnRow
  readonly stop: AbortController
  readonly live: LiveText
  readonly who: Caller
  readonly ref: PathRef
  waitUntil: number | null
  /** No sandbox could be had for this answer: its tools are off (row C8). */
  toolsOff: string | null
  /** The number of the last request that this answer may take. */
  readonly lastStep: number
}

/** Carries answers from question to end: asks, runs what was asked for, asks again; rests while a reviewer decides. */
export class Turns {
  readonly #desk: Desk
  readonly #active = new Map<TurnId, Active>()
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

  /** `moreSteps`: how many requests this answer may still take; the setting unless said otherwise. */
  begin(who: Caller, row: TurnRow, moreSteps?: number): Turn {
    const { tenant, conversation, path } = row
    const active: Active = {
      row,
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
        this.#working.delete(work)
      })
    this.#working.add(work)
    tell(this.#desk, tenant, { kind: 'turn', turn: turnOf(row) })
    return turnOf(row)
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
    else if (isUnderWay(row.state)) await this.#end(row, 'stopped', null)
  }

  /** Nobody waits any more for an answer on this path: the person asks something else. */
  async supersede(row: TurnRow): Promise<void> {
    if (row.state !== 'resting') return
    await this.#end(row, 'superseded', null)
  }

  /** After a start: what was under way when the application ended, and what waits for a reviewer. */
  async recover(who: Caller): Promise<void> {
    for (const row of await this.#desk.store.underWay(who.tenant)) {
      const asker = { tenant: row.tenant, user: row.asked_by }
      if (row.state === 'resting') await this.#awaitAgain(asker, row)
      else if (isOrphan(row.owner)) await this.#interrupted(asker, row)
    }
  }

  async close(): Promise<void> {
    this.#unlisten()
    for (const active of this.#active.values()) active.stop.abort()
    await Promise.all(this.#working)
  }

  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  async #carry(active: Active): Promise<void> {
    let next = await this.#finishCalls(active)
    while (next === 'ask') next = await this.#step(active)
  }

  /** One request, and what the model asked for in it. */
  async #step(active: Active): Promise<'ask' | 'over'> {
    const desk = this.#desk
    const { who, ref, stop } = active
    const spending = await readSpending(desk, ref.tenant, ref.conversation)
    const limit = limitMet(spending) ?? stepsMet(active.row.step, active.lastStep)
    if (limit) return this.#over(active, 'limited', limit)
    const { provider, model } = await modelOf(desk, who, active.row)
    const { offered, environment } = await this.#bindTools(active)
    const items = await itemsUpTo(desk, who, ref, await itemsOfTurn(desk, active.row))
    const asked = items.find(item => item.id === active.row.question)
    if (!asked) throw new Refused(questionGone())
    const { system, pieces } = await contextOf(desk, who, ref, { items, environment, question: asked.text })
    const window = model.windowTokens ?? desk.settings().windowTokens
    const outputTokens = Math.min(desk.settings().outputTokens, Math.floor(window / 3))
    const fitted = fitToWindow(system, pieces, asked.id, window, outputTokens)
    if (!fitted) throw new Refused(tooLong(model.id, window))
    await this.#change(active, {
      state: 'asking',
      step: active.row.step + 1,
      left_out: fitted.leftOut,
      notices: JSON.stringify([...(active.toolsOff ? [active.toolsOff] : []), ...spending.warnings]),
    })
    const keeping = this.#keeper(active)
    const step = await requestStep(desk, {
      turn: active.row,
      purpose: 'answer',
      provider,
      model,
      prompt: fitted.prompt,
      tools: toolsFor(offered),
      outputTokens,
      signal: stop.signal,
      show: (at, part) => active.live.show(at, part),
      keep: keeping.keep,
      pausing: async (until, why) => {
        active.waitUntil = until
        await this.#change(active, { state: 'pausing', problem: JSON.stringify(why) })
      },
      again: async () => {
        active.waitUntil = null
        await this.#change(active, { state: 'asking', problem: null })
      },
    })
    await keeping.end()
    const complete = step.problem === null && !stop.signal.aborted && step.finish !== 'length'
    await this.#putOnPath(active, items, step, complete, offered)
    const used = {
      input_tokens: active.row.input_tokens + (step.inputTokens ?? 0),
      output_tokens: active.row.output_tokens + (step.outputTokens ?? 0),
      cost: step.cost === null ? active.row.cost : (active.row.cost ?? 0) + step.cost,
      model_version: step.version ?? active.row.model_version,
      partial: null,
      problem: null,
    }
    await this.#change(active, used)
    if (stop.signal.aborted) return this.#over(active, 'stopped', null)
    if (step.problem) return this.#over(active, 'failed', step.problem)
    if (step.finish === 'length') return this.#over(active, 'limited', outputMet(outputTokens))
    if (step.finish === 'content-filter') return this.#over(active, 'failed', filtered())
    if (step.calls.length > 0) return this.#finishCalls(active)
    await this.#noteFigures(active)
    await this.#over(active, 'done', null)
    await nameConversation(desk, active.who, active.row, { provider, model, signal: stop.signal }).catch(error =>
      desk.log.warn({ reason: problemOf(error).code }, 'a conversation could not be named'),
    )
    return 'over'
  }

  /** The tools that this path has now. Without a sandbox there are none, and the answer goes on without (row T5). */
  async #bindTools(active: Active): Promise<{ offered: ToolName[]; environment: string }> {
    const desk = this.#desk
    const found: Outcome<string> = active.toolsOff
      ? { ok: false, problem: problem('context.unavailable', active.toolsOff, '') }
      : await desk.sandboxFor(active.ref)
    if (!found.ok) {
      active.toolsOff ??= `Code cannot be run in this answer. ${found.problem.message}`
      return {
        offered: [],
        environment: 'none can be had at the moment, so there are no tools; say so where it matters',
      }
    }
    const offered: ToolName[] = ['run_code', 'read_file', 'list_files', 'inspect_variable']
    if (desk.analyses) offered.push('run_analysis')
    return { offered, environment: found.value }
  }

  /** Puts what came on the path: what was said as a message, each call that makes a cell as a cell behind it. */
  async #putOnPath(
    active: Active,
    before: readonly Item[],
    step: Step,
    complete: boolean,
    offered: readonly ToolName[],
  ): Promise<void> {
    const desk = this.#desk
    const parts: Part[] = []
    const results: Part[] = []
    const cells: { item: Extract<NewItem, { kind: 'cell' }>; call: CallPart }[] = []
    if (step.reasoning.trim()) parts.push({ kind: 'reasoning', text: step.reasoning })
    const calls = complete ? step.calls : []
    for (const [at, { tool, input }] of calls.entries()) {
      const read = readCall(tool, input, offered)
      const description = typeof read !== 'string' && read.tool === 'run_code' ? (read.input.description ?? '') : ''
      const call: CallPart = { kind: 'call', call: `call_${active.row.step}_${at + 1}`, tool, input, description }
      const cell = typeof read === 'string' ? read : makesCell(tool) ? cellOf(desk, read) : null
      if (cell !== null && typeof cell === 'object') cells.push({ item: cell, call })
      else parts.push(call)
      if (typeof cell === 'string') {
        results.push({ kind: 'result', call: call.call, ok: false, text: cell, run: null })
        desk.measuring.measure('chat_tool_errors_total', 1, { 'error.type': 'call' })
      }
    }
    for (const cut of complete ? [] : [...step.calls, ...step.unfinished])
      parts.push({ kind: 'unfinished', tool: cut.tool, text: cut.input })
    const speaks = step.text.trim() !== '' || parts.length > 0
    if (!speaks && cells.length === 0) return active.live.settle()
    const after = before.at(-1)?.id
    const inserted = orProblem(
      await desk.conversations.insert(
        { ...active.who, assistant: active.row.model },
        {
          path: active.ref.path,
          ...(after ? { after } : {}),
          items: [
            ...(speaks ? [{ kind: 'message' as const, author: 'assistant' as const, text: step.text.trim() }] : []),
            ...cells.map(({ item }) => item),
          ],
          undoable: false,
        },
      ),
    )
    const message = speaks ? inserted[0]?.id : undefined
    const rows: { item: ItemId; part: Part }[] = []
    const holder = message ?? inserted[0]?.id
    if (holder) for (const part of [...parts, ...results]) rows.push({ item: holder, part })
    // A message without any part would not be known as this turn's.
    if (message && rows.length === 0) rows.push({ item: message, part: { kind: 'figures', length: 0, figures: [] } })
    for (const [at, { call }] of cells.entries()) {
      const item = inserted[at + (speaks ? 1 : 0)]
      if (item) rows.push({ item: item.id, part: call })
    }
    await desk.store.addParts(active.row, active.row.step, rows)
    active.live.settle()
  }

  /** Carries out the calls of the last step that have no result yet, one after the other: they share a path. */
  async #finishCalls(active: Active): Promise<'ask' | 'over'> {
    const desk = this.#desk
    const { row } = active
    const parts = await desk.store.partsOf(row.id, row.step)
    const answered = new Set(parts.flatMap(({ part }) => (part.kind === 'result' ? [part.call] : [])))
    const refused = await this.#refusedBefore(active)
    for (const { item, part } of parts) {
      if (part.kind !== 'call' || answered.has(part.call)) continue
      if (active.stop.signal.aborted) return this.#over(active, 'stopped', null)
      await this.#change(active, { state: 'running' })
      const result = await this.#callOnce(active, item, part, refused)
      if (result === 'waiting') return 'over'
      await desk.store.addParts(row, row.step, [{ item, part: result }])
      if (!result.ok) desk.measuring.measure('chat_tool_errors_total', 1, { 'tool.name': toolLabel(part.tool) })
    }
    if (active.stop.signal.aborted) return this.#over(active, 'stopped', null)
    return 'ask'
  }

  async #callOnce(
    active: Active,
    item: ItemId,
    call: CallPart,
    refused: ReadonlyMap<string, string>,
  ): Promise<Extract<Part, { kind: 'result' }> | 'waiting'> {
    const desk = this.#desk
    const { who, ref, stop } = active
    const say = (ok: boolean, text: string): Extract<Part, { kind: 'result' }> => ({
      kind: 'result',
      call: call.call,
      ok,
      text,
      run: null,
    })
    if (!makesCell(call.tool)) {
      const read = readCall(call.tool, call.input, ['read_file', 'list_files', 'inspect_variable'])
      if (typeof read === 'string') return say(false, read)
      const { ok, text } = await look(desk, who, ref, read)
      return say(ok, text)
    }
    const [cell] = orProblem(await desk.conversations.items(who, ref.path, [item]))
    if (cell?.kind !== 'cell') return say(false, 'The analyst removed this cell before it ran.')
    const name = call.tool === 'run_analysis' ? 'compliance.tool.run_analysis' : 'compliance.tool.run_code'
    const status = await desk.contexts.status(ref)
    const view = await desk.measuring.span(
      name,
      {
        'app.tenant.id': ref.tenant,
        'app.conversation.id': ref.conversation,
        'app.path.id': ref.path,
        'tool.name': call.tool,
        'tool.forced': false,
        ...(status.sandbox?.id ? { 'sandbox.id': status.sandbox.id } : {}),
      },
      () => runCell(desk, { who, ref, cell, call, signal: stop.signal, refused }),
    )
    if (typeof view === 'string') return say(false, view)
    if (view.problem && meansNoSandbox(view.problem))
      active.toolsOff = `Code cannot be run in this answer. ${view.problem.message}`
    if (view.state !== 'waiting' || !view.request) return resultOf(desk, ref, call.call, view)
    this.#awaited.set(view.run, { turn: active.row.id, who })
    await this.#change(active, {
      state: 'resting',
      waiting: JSON.stringify({ cell: cell.id, run: view.run, request: view.request }),
    })
    return 'waiting'
  }

  /** Code of this answer that was refused, with the reasons, so that nobody is asked about it twice. */
  async #refusedBefore(active: Active): Promise<Map<string, string>> {
    const desk = this.#desk
    const parts = await desk.store.partsOf(active.row.id)
    const refused = new Map<string, string>()
    for (const { item, part } of parts) {
      if (part.kind !== 'result' || part.ok || !part.text.includes('"ran":false')) continue
      const found = await desk.conversations.items(active.who, active.ref.path, [item])
      const cell = found.ok ? found.value[0] : undefined
      if (cell?.kind === 'cell') refused.set(codeHash(cell.language, cell.text), part.text)
    }
    return refused
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
    const row = await desk.store.turn(who, id)
    if (row?.state !== 'resting' || !row.waiting) return
    const { cell } = Waiting.parse(JSON.parse(row.waiting))
    const call = (await desk.store.partsOf(id, row.step)).find(each => each.item === cell && each.part.kind === 'call')
    if (call?.part.kind === 'call') {
      const ref = { tenant: row.tenant, conversation: row.conversation, path: row.path }
      const result = await resultOf(desk, ref, call.part.call, view)
      await desk.store.addParts(row, row.step, [{ item: cell as CellId, part: result }])
    }
    const change = { state: 'running' as const, waiting: null, owner }
    await desk.store.change(id, change)
    this.begin(who, { ...row, ...change })
  }

  /** A resting answer after a restart: it waits on, or goes on with what was decided meanwhile. */
  async #awaitAgain(who: Caller, row: TurnRow): Promise<void> {
    const desk = this.#desk
    const waiting = row.waiting && Waiting.safeParse(JSON.parse(row.waiting)).data
    if (!waiting) return this.#interrupted(who, row)
    this.#awaited.set(waiting.run, { turn: row.id, who })
    const request = await desk.request(who, waiting.request)
    if (!request.ok || request.value.state === 'used') {
      this.#awaited.delete(waiting.run)
      return this.#interrupted(who, row)
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

  /** What came before the application ended is put on the path and marked; the person can go on from it. */
  async #interrupted(who: Caller, row: TurnRow): Promise<void> {
    const desk = this.#desk
    const partial = row.partial ? Kept.safeParse(JSON.parse(row.partial)).data : undefined
    if (partial && (partial.text.trim() || partial.unfinished.length > 0)) {
      const ref = { tenant: row.tenant, conversation: row.conversation, path: row.path }
      const items = await itemsUpTo(desk, who, ref, await itemsOfTurn(desk, row))
      const inserted = await desk.conversations.insert(who, {
        path: row.path,
        ...(items.at(-1) ? { after: items.at(-1)?.id } : {}),
        items: [{ kind: 'message', author: 'assistant', text: partial.text.trim() }],
        undoable: false,
      })
      const item = inserted.ok ? inserted.value[0]?.id : undefined
      if (item)
        await desk.store.addParts(row, row.step, [
          { item, part: { kind: 'figures', length: 0, figures: [] } },
          ...partial.unfinished.map(({ tool, input }) => ({
            item,
            part: { kind: 'unfinished' as const, tool, text: input },
          })),
        ])
    }
    const open = (await desk.store.partsOf(row.id, row.step)).filter(
      ({ part }, _, all) =>
        part.kind === 'call' && !all.some(each => each.part.kind === 'result' && each.part.call === part.call),
    )
    await desk.store.addParts(
      row,
      row.step,
      open.flatMap(({ item, part }) =>
        part.kind === 'call'
          ? [{ item, part: { kind: 'result' as const, call: part.call, ok: false, text: endedFirst, run: null } }]
          : [],
      ),
    )
    await this.#end(
      { ...row, partial: null },
      'interrupted',
      problem(
        'chat.interrupted',
        'Countersign ended while this was answered.',
        'What had come is kept. Go on, or ask again.',
      ),
    )
  }

  /** Writes what a model has said so far, now and then, while it says it. */
  #keeper(active: Active): { keep: (snapshot: () => Snapshot) => void; end: () => Promise<void> } {
    const desk = this.#desk
    let latest: (() => Snapshot) | null = null
    let cancel: (() => void) | null = null
    let writing = Promise.resolve()
    const write = () => {
      cancel = null
      if (!latest) return
      const { text, unfinished } = latest()
      const partial = JSON.stringify({ text, unfinished })
      writing = desk.store.change(active.row.id, { partial }).catch(error => {
        desk.log.warn({ reason: problemOf(error).code }, 'what a model wrote could not be kept yet')
      })
    }
    return {
      keep(snapshot) {
        latest = snapshot
        cancel ??= desk.clock.after(keepMs, write)
      },
      async end() {
        cancel?.()
        await writing
      },
    }
  }

  /** Matches the figures of what was said against what the path has computed. */
  async #noteFigures(active: Active): Promise<void> {
    const desk = this.#desk
    const { who, ref, row } = active
    const mine = await itemsOfTurn(desk, row)
    const items = await allItems(desk, who, ref)
    const sources = items.flatMap(item =>
      item.kind === 'cell' && item.lastRun ? [{ cell: item.id, text: textOfRun(item.lastRun) }] : [],
    )
    const rows = items.flatMap(item => {
      if (item.kind !== 'message' || item.author !== 'assistant' || !mine.has(item.id)) return []
      const figures = findFigures(item.text, sources)
      return [{ item: item.id, part: { kind: 'figures' as const, length: item.text.length, figures } }]
    })
    await desk.store.addParts(row, row.step, rows)
  }

  async #change(active: Active, change: Partial<TurnRow>): Promise<void> {
    active.row = { ...active.row, ...change }
    await this.#desk.store.change(active.row.id, change)
    tell(this.#desk, active.row.tenant, { kind: 'turn', turn: turnOf(active.row, active.waitUntil) })
  }

  async #over(active: Active, state: TurnRow['state'], why: Problem | null): Promise<'over'> {
    await this.#change(active, {
      state,
      problem: why && JSON.stringify(why),
      ended_at: this.#desk.clock.now(),
      waiting: null,
      partial: null,
    })
    return 'over'
  }

  async #end(row: TurnRow, state: TurnRow['state'], why: Problem | null): Promise<void> {
    const change = {
      state,
      problem: why && JSON.stringify(why),
      waiting: null,
      partial: null,
      ended_at: this.#desk.clock.now(),
    }
    await this.#desk.store.change(row.id, change)
    tell(this.#desk, row.tenant, { kind: 'turn', turn: turnOf({ ...row, ...change }) })
  }

  async #failed(active: Active, error: unknown): Promise<void> {
    const why = error instanceof Refused ? error.problem : problemOf(error)
    if (why.code === 'internal.bug')
      this.#desk.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'an answer failed')
    active.live.settle()
    await this.#over(active, 'failed', why).catch(() => undefined)
  }
}

/** Which process carries an answer: another one that is still there must not have it taken away. */
export const owner = `${hostname()}/${process.pid}`

function isOrphan(who: string): boolean {
  const [host, pid = ''] = who.split('/')
  if (host !== hostname()) return false
  if (Number(pid) === process.pid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch {
    return true
  }
}

const Waiting = TurnSchema.shape.waiting.unwrap()
const Kept = z.object({ text: z.string(), unfinished: z.array(z.object({ tool: z.string(), input: z.string() })) })

const endedFirst = JSON.stringify({ success: false, reason: 'The application ended before this was over.' })

export async function modelOf(
  desk: Desk,
  who: Caller,
  row: Pick<TurnRow, 'provider' | 'model' | 'conversation'>,
): Promise<{ provider: Provider; model: ChatModel }> {
  const provider = orProblem(await desk.providers.get(who, row.provider))
  const refusal = refusedByPolicy(await desk.policy(), provider, await desk.store.isConfidential(row.conversation))
  if (refusal) throw new Refused(refusal)
  const model = provider.models.find(({ id }) => id === row.model) ?? { id: row.model, windowTokens: null, price: null }
  return { provider, model }
}

const toolLabel = (tool: string): string => (/^[a-z_]{1,40}$/.test(tool) ? tool : 'unknown')

const stepsMet = (step: number, most: number): Problem | null =>
  step < most
    ? null
    : problem(
        'chat.limit',
        `The model was asked ${step} times for this answer, which is the limit.`,
        'Go on to let it try further, or ask in another way.',
      )
const outputMet = (tokens: number): Problem =>
  problem(
    'chat.limit',
    `The answer reached ${tokens.toLocaleString('en')} tokens, the most at once.`,
    'Go on to have the rest.',
  )
const filtered = (): Problem =>
  problem(
    'chat.provider',
    'The provider did not let the model answer this.',
    'Ask in other words, or choose another model.',
  )
const questionGone = (): Problem => problem('not-found', 'The question is not on this path any more.', 'Ask again.')
export const tooLong = (model: string, window: number): Problem =>
  problem(
    'chat.too-long',
    `The question and what it led to do not fit into ${model} (${window.toLocaleString('en')} tokens).`,
    'Choose a model with a larger window, or ask with less.',
  )
