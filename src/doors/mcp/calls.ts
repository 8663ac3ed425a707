import type { Clock } from '../../clock.ts'
import { type CellId, type ConversationId, type PathId, RequestId, RunId } from '../../contract/ids.ts'
import type { CallResult, ExecuteCode, RunAnalysis } from '../../contract/mcp.ts'
import { fail, type Outcome, ok, type Problem, problem } from '../../contract/problem.ts'
import { isOver, type RunView } from '../../contract/runs.ts'
import type { Caller } from '../../conversations/conversations.ts'
import type { Engine } from '../../engine/engine.ts'
import { answerOf, type Told } from './answer.ts'
import { SeenRuns } from './seen.ts'

/** Who calls: the name that the client gives itself, and the session where the protocol has one. */
export interface Client {
  readonly name: string
  readonly session: string
}

/** What the client's person wishes for a run that waits. None of it is an approval: that is a reviewer's signature. */
export const wishes = ['wait', 'later', 'withdraw'] as const
export type Wish = (typeof wishes)[number]

/** A run that waits for a reviewer, about which the client's person is asked before the call goes on. */
export interface Asking {
  readonly asking: RequestId
  readonly risk: RunView['risk']
}

/**
 * How the client's person can be asked: not at all, beside the call while it goes on, or in place of its answer, after
 * which the client calls again.
 */
export type AskPerson = 'never' | 'instead' | ((risk: RunView['risk'], signal: AbortSignal) => Promise<Wish | null>)

export interface CallOptions {
  readonly ask: AskPerson
  readonly signal: AbortSignal
  /** Told of every step, and now and then while nothing happens, so that the client does not give up. */
  readonly progress: (message: string) => void
}

export interface CallsOptions {
  readonly engine: Engine
  readonly clock: Clock
  /** After this long a call is answered with an id to go on with. Clients give up after a minute. */
  readonly patienceMs?: number
  readonly tickMs?: number
}

interface Place {
  readonly path: PathId
  readonly conversation: ConversationId
}

interface Underway extends Place {
  readonly run: RunId
  readonly cell: CellId | null
  readonly request: RequestId | null
}

const mostPlaces = 200

/**
 * Calls of other assistants, each a cell of a conversation and a run like any other. The person sees them in the
 * application, written by the client on their behalf.
 */
export class Calls {
  readonly #engine: Engine
  readonly #clock: Clock
  readonly #seen: SeenRuns
  readonly #patienceMs: number
  readonly #tickMs: number
  readonly #places = new Map<string, Promise<Outcome<Place>>>()

  constructor({ engine, clock, patienceMs = 45_000, tickMs = 2_000 }: CallsOptions) {
    this.#engine = engine
    this.#clock = clock
    this.#seen = new SeenRuns(engine.events)
    this.#patienceMs = patienceMs
    this.#tickMs = tickMs
  }

  close(): void {
    this.#seen.close()
  }

  async execute(client: Client, asked: ExecuteCode, options: CallOptions): Promise<Outcome<CallResult | Asking>> {
    const who = this.#caller(client)
    const place = await this.#place(client, asked.context)
    if (!place.ok) return place
    const { path, conversation } = place.value
    const known = await this.#knowsTokens(conversation, asked.code)
    if (!known.ok) return known
    const inserted = await this.#engine.conversations.insert(who, {
      path,
      items: [
        ...(asked.intent ? [{ kind: 'message' as const, author: 'assistant' as const, text: asked.intent }] : []),
        { kind: 'cell', author: 'assistant', language: asked.language, text: asked.code },
      ],
      undoable: false,
    })
    if (!inserted.ok) return inserted
    const cell = inserted.value.at(-1)
    if (cell?.kind !== 'cell') return fail('internal.bug', 'No cell was made.', 'Try again.')
    const { timeout_seconds, network, ask_reviewer } = asked.sandbox_config ?? {}
    const started = await this.#engine.runs.start(who, {
      path,
      cell: cell.id,
      revision: cell.revision,
      ...(timeout_seconds ? { timeoutMs: Math.round(timeout_seconds * 1000) } : {}),
      ...(network ? { network } : {}),
      ...(ask_reviewer ? { forceApproval: true } : {}),
    })
    if (!started.ok) return started
    return this.#settle(client, { ...place.value, run: started.value.view.run, cell: cell.id, request: null }, options)
  }

  async analyse(client: Client, asked: RunAnalysis, options: CallOptions): Promise<Outcome<CallResult | Asking>> {
    const place = await this.#place(client, asked.context)
    if (!place.ok) return place
    const { analysis, version, inputs } = asked
    const known = await this.#knowsTokens(place.value.conversation, JSON.stringify(inputs))
    if (!known.ok) return known
    const started = await this.#engine.analyses.start(this.#caller(client), {
      path: place.value.path,
      analysis,
      inputs,
      ...(version ? { version } : {}),
    })
    if (!started.ok) return started
    const { cell, run } = started.value
    return this.#settle(client, { ...place.value, run: run.run, cell, request: null }, options)
  }

  /** Goes on with a run that a call left waiting or running, also one from before a restart. */
  async resume(
    client: Client,
    id: string,
    options: CallOptions & { readonly wish?: Wish | null },
  ): Promise<Outcome<CallResult | Asking>> {
    const run = RunId.safeParse(id)
    const view = run.success ? this.#seen.get(run.data) : null
    if (view) return this.#settle(client, { ...view, run: view.run, cell: view.cell, request: view.request }, options)
    const { tenant } = this.#engine.caller
    const request = RequestId.safeParse(id)
    const found = request.success ? await this.#engine.approval.requests.get(tenant, request.data) : null
    if (!found?.ok) return fail('not-found', 'No run has this id.', 'Use `state.resume` of an earlier answer.')
    const { path, conversation, cell, run: its, id: its_request } = found.value
    this.#seen.watch(path)
    return this.#settle(client, { path, conversation, cell, run: its, request: its_request }, options)
  }

  /** A new session has a conversation of its own, in which a token of another one stands for nothing, or another value. */
  async #knowsTokens(conversation: ConversationId, text: string): Promise<Outcome<void>> {
    const strange = await this.#engine.privacy.strangeTokens(conversation, text)
    if (strange.length === 0) return ok(undefined)
    return fail(
      'privacy.unknown-token',
      `${strange.join(', ')} stands for no value in this context, so nothing was run.`,
      'Hand in the `state.context` of the answer that it came from.',
    )
  }

  /** The person of this machine, with the client as the assistant that acts for them. */
  #caller({ name }: Client): Caller {
    return { ...this.#engine.caller, assistant: name }
  }

  async #place(client: Client, context: PathId | undefined): Promise<Outcome<Place>> {
    if (context !== undefined) {
      const conversation = await this.#engine.conversations.locate(this.#caller(client), context)
      if (!conversation.ok) return conversation
      this.#seen.watch(context)
      return ok({ path: context, conversation: conversation.value })
    }
    const key = JSON.stringify([client.name, client.session])
    const known = this.#places.get(key)
    if (known) {
      const place = await known
      // The person may have deleted it meanwhile.
      if (place.ok && (await this.#engine.conversations.locate(this.#engine.caller, place.value.path)).ok) return place
    }
    const made = this.#newPlace(client)
    this.#places.set(key, made)
    const [oldest] = this.#places.keys()
    if (this.#places.size > mostPlaces && oldest !== undefined) this.#places.delete(oldest)
    return made
  }

  async #newPlace(client: Client): Promise<Outcome<Place>> {
    const made = await this.#engine.conversations.create(this.#caller(client), { title: `Calls from ${client.name}` })
    if (!made.ok) return made
    const { id: conversation, main: path } = made.value.conversation
    this.#seen.watch(path)
    return ok({ path, conversation })
  }

  /** Follows a run to its end, or to where patience ends. Cancelling stops it, or withdraws its request. */
  async #settle(
    client: Client,
    at: Underway,
    options: CallOptions & { readonly wish?: Wish | null },
  ): Promise<Outcome<CallResult | Asking>> {
    const { signal, progress, ask } = options
    const patience = new AbortController()
    const stopTimer = this.#clock.after(this.#patienceMs, () => patience.abort())
    const ended = AbortSignal.any([signal, patience.signal])
    const over = new AbortController()
    const wished = new AbortController()
    let wish: Wish | null = options.wish ?? null
    let isAsked = options.wish !== undefined
    const told = (what: Omit<Told, 'path' | 'conversation'>) =>
      answerOf(this.#engine, client.name, { path: at.path, conversation: at.conversation, ...what })
    let shown = ''
    try {
      for (;;) {
        const view = this.#seen.get(at.run)
        const request = view?.request ?? at.request
        if (view?.state === 'held') return told({ status: 'refused', view, problem: tooWeak(view.held.why) })
        if (view && isOver(view.state)) return told({ status: statusOf(view), view })
        const isWithdrawn = wish === 'withdraw' && request !== null && (!view || view.state === 'waiting')
        if (signal.aborted || isWithdrawn) {
          await this.#withdraw(at.run, request)
          const why = isWithdrawn ? withdrawn : cancelled
          return told({ status: 'refused', problem: why, ...(view ? { view } : {}) })
        }
        if (request && (!view || view.state === 'waiting')) {
          const elsewhere = await this.#doneElsewhere(at, request)
          if (elsewhere) return told(elsewhere)
        }
        const isWaiting = request !== null && view?.state === 'waiting'
        if (isWaiting && !isAsked && ask !== 'never') {
          isAsked = true
          if (ask === 'instead') return ok({ asking: request, risk: view.risk })
          void ask(view.risk, AbortSignal.any([ended, over.signal])).then(answer => {
            wish = answer
            wished.abort()
          })
        }
        if (patience.signal.aborted || wish === 'later') {
          const waiting = request !== null && (!view || view.state === 'waiting')
          return told({
            status: waiting ? 'waiting' : 'running',
            resume: waiting ? request : at.run,
            ...(view ? { view } : {}),
          })
        }
        const message = words[view?.state ?? 'waiting']
        if (message !== shown || view?.state === 'waiting' || view?.state === 'running') progress(message)
        shown = message
        // A wish wakes it once: a signal that stays would let it turn without rest.
        await this.#pause(wished.signal.aborted ? ended : AbortSignal.any([ended, wished.signal]))
      }
    } finally {
      over.abort()
      stopTimer()
    }
  }

  /** The next news, or a tick: another process tells nothing by events, and the client wants to hear that we live. */
  async #pause(ended: AbortSignal): Promise<void> {
    const tick = new AbortController()
    const stop = this.#clock.after(this.#tickMs, () => tick.abort())
    await this.#seen.next(AbortSignal.any([ended, tick.signal]))
    stop()
  }

  async #withdraw(run: RunId, request: RequestId | null): Promise<void> {
    const { tenant, user } = this.#engine.caller
    this.#engine.runs.cancel(this.#engine.caller, run)
    if (request) await this.#engine.approval.requests.cancel(tenant, request, user, 'The client cancelled its call.')
  }

  /** How a run ended that a reviewer decided about in another process, which then also carried it out. */
  async #doneElsewhere(at: Underway, id: RequestId): Promise<Omit<Told, 'path' | 'conversation'> | null> {
    const { approval, conversations, caller } = this.#engine
    const found = await approval.requests.get(caller.tenant, id)
    if (!found.ok) return { status: 'failed', problem: found.problem }
    const { state, note, decision } = found.value
    if (state === 'denied' || state === 'expired' || state === 'cancelled' || state === 'voided') {
      const why = problem(`approval.${state}`, decision?.comment || note || 'It was not approved.', 'Nothing was run.')
      return { status: 'refused', problem: why }
    }
    const items = at.cell ? await conversations.items(caller, at.path, [at.cell]) : null
    const [item] = items?.ok ? items.value : []
    const last = item?.kind === 'cell' ? item.lastRun : null
    return last?.run === at.run ? { status: 'finished', last } : null
  }
}

const tooWeak = (why: string): Problem =>
  problem('sandbox.too-weak', why, 'Nothing was run. A person can move the path in Countersign; then call again.')

const statusOf = ({ state, outcome }: RunView): CallResult['state']['status'] =>
  state === 'finished' ? (outcome?.success ? 'finished' : 'failed') : state === 'refused' ? 'refused' : 'failed'

const words: Record<RunView['state'], string> = {
  inspecting: 'Reading the code',
  waiting: 'Waiting for a reviewer',
  held: 'Needs a stronger sandbox',
  queued: 'Waiting for the sandbox',
  running: 'Running',
  finished: 'Finished',
  refused: 'Did not run',
  failed: 'Failed',
}

const withdrawn: Problem = problem(
  'approval.cancelled',
  'You withdrew the program before it was reviewed.',
  'Nothing was run.',
)
const cancelled: Problem = problem('request.cancelled', 'The call was cancelled.', 'Call again to run it.')
