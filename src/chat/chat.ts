import type { Recorder } from '../audit/audit.ts'
import {
  AskRequest,
  type ChatPreview,
  type ChatView,
  ForceTool,
  type ForceTool as ForceToolInput,
  isUnderWay,
  type LedgerEntry,
  type ModelRef,
  PreviewRequest,
  ResendRequest,
  RetryRequest,
  type Spending,
  type Turn,
  type TurnId,
  type TurnView,
} from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import { type CellId, type ConversationId, MessageId, type PathId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { KeyStore } from '../keystore.ts'
import type { Privacy } from '../privacy/privacy.ts'
import type { TableSeals } from '../row-seal.ts'
import type { Storage } from '../storage/storage.ts'
import { type Asked, owner } from './active.ts'
import { type Answering, modelOf, readSpending, refusedUnseen } from './allowed.ts'
import { attach } from './attaching.ts'
import { byHand } from './by-hand.ts'
import { markConfidential } from './confidential.ts'
import { type Desk, orProblem, Refused, tell } from './desk.ts'
import type { Entries } from './entries.ts'
import { newTurn } from './new-turn.ts'
import { allItems, itemsOfTurn } from './path.ts'
import { Places } from './places.ts'
import { previewOf } from './preview.ts'
import { createProviders, type Providers } from './providers.ts'
import { addTurn, ChatStore, type TurnRow } from './store.ts'
import { Turns } from './turns.ts'

export { Confidential, markConfidential } from './confidential.ts'
export type { Measuring } from './desk.ts'
export type { Providers } from './providers.ts'
export { handOverValues } from './values.ts'

/** How long a question waits to be committed together with the record of its request: one fsync before the first word. */
const commitPatienceMs = 50

/** Answers that come with a path when it is opened; a window asks for the others afterwards. */
const firstPage = 100
const olderPage = 1000

/** The assistant on a path: asks models, lets them use tools through the spine, and keeps what they said and cost. */
export interface Chat {
  readonly providers: Omit<Providers, 'connect'>
  /** The newest answers of the conversation, or those before one of them. */
  open(who: Caller, path: PathId, before?: TurnId | null): Promise<Outcome<ChatView>>
  turn(who: Caller, turn: TurnId): Promise<Outcome<TurnView>>
  /** Somebody writes a question: what it will wait for is looked up meanwhile. */
  prepare(who: Caller, path: PathId): Promise<Outcome<void>>
  /** Puts the question on the path and answers at once; what becomes of it comes with the events. */
  ask(who: Caller, request: AskRequest): Promise<Outcome<Turn>>
  retry(who: Caller, request: RetryRequest): Promise<Outcome<Turn>>
  resend(who: Caller, request: ResendRequest): Promise<Outcome<Turn>>
  goOn(who: Caller, turn: TurnId): Promise<Outcome<Turn>>
  stop(who: Caller, turn: TurnId): Promise<Outcome<void>>
  preview(who: Caller, request: PreviewRequest): Promise<Outcome<ChatPreview>>
  /** A tool by hand, without any model (row T3). */
  forceTool(who: Caller, request: ForceToolInput): Promise<Outcome<{ cell: CellId }>>
  ledger(
    who: Caller,
    query: { conversation?: ConversationId | undefined; before?: string | undefined; limit: number },
  ): Promise<LedgerEntry[]>
  spending(who: Caller, conversation: ConversationId): Promise<Spending>
  setConfidential(who: Caller, conversation: ConversationId, confidential: boolean): Promise<Outcome<void>>
  /** Takes up what an application that ended has left; call it once at the start. */
  recover(who: Caller): Promise<void>
  /** Waits for what is under way; what rests for a reviewer is not. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type ChatOptions = Omit<Desk, 'store' | 'providers' | 'privacy'> & {
  readonly storage: Storage
  readonly audit: Recorder & Entries
  readonly keys: KeyStore
  readonly seals: Pick<TableSeals, 'chat_providers' | 'chat_requests'>
  readonly privacy: Privacy
}

export function createChat(options: ChatOptions): Chat {
  const { storage, audit, keys, clock, ids, privacy } = options
  const store = new ChatStore(storage, audit, options.seals.chat_requests)
  const changed = () => tell(options, null, { kind: 'providers' })
  const providers = createProviders({
    storage,
    audit,
    keys,
    seal: options.seals.chat_providers,
    clock,
    ids,
    egress: privacy.egress,
    changed,
  })
  const desk: Desk = { ...options, store, providers }
  const turns = new Turns(desk)
  const places = new Places(desk)

  const refOf = async (who: Caller, path: PathId): Promise<PathRef> => {
    return { tenant: who.tenant, conversation: orProblem(await desk.conversations.locate(who, path)), path }
  }

  /** What must be so before anything is put on the path. */
  const mayAsk = async (who: Caller, ref: PathRef, model: ModelRef, seen: boolean): Promise<Answering> => {
    const by = await modelOf(desk, who, { ...model, conversation: ref.conversation })
    const { provider } = by
    const busy = await store.unfinished(ref.tenant, ref.path)
    if (turns.isBusy(ref.path) || (busy && busy.state !== 'resting'))
      throw new Refused({
        code: 'chat.busy',
        message: 'An answer is being written on this path.',
        hint: 'Wait for it, or stop it.',
      })
    const unseen = seen ? null : refusedUnseen(provider)
    if (unseen) throw new Refused(unseen)
    if (provider.introducedAt === null) await providers.introduce(who, provider.id)
    if (busy) await turns.supersede(busy)
    return by
  }

  /** Begins to answer while the row is written; the person hears of it once it is. */
  const begin = async (who: Caller, row: TurnRow, written: Promise<void>, asked?: Asked): Promise<Turn> => {
    const turn = turns.begin(who, row, { written, ...(asked ? { asked } : {}) })
    await written
    return turn
  }

  /** Answers a question that is on the path. */
  const answerAgain = (who: Caller, ref: PathRef, question: MessageId, by: Answering): Promise<Turn> => {
    const row = newTurn(desk, who, ref, question, by)
    return begin(who, row, store.add(row, commitPatienceMs))
  }

  /** Takes the answers to a question off the path; undo brings them back, and every text is kept. */
  const takeBack = async (who: Caller, ref: PathRef, question: MessageId): Promise<void> => {
    const mine = new Set<string>()
    for (const turn of await store.answersTo(ref.tenant, ref.path, question))
      for (const item of await itemsOfTurn(desk, turn)) mine.add(item)
    mine.delete(question)
    const there = (await allItems(desk, who, ref)).filter(item => mine.has(item.id)).map(item => item.id)
    if (there.length === 0) return
    orProblem(await desk.conversations.removeItems(who, { path: ref.path, items: there }))
  }

  const owned = async (who: Caller, id: TurnId): Promise<TurnRow> => {
    const row = await store.turn(who, id)
    if (!row) throw new Refused({ code: 'not-found', message: 'This answer does not exist.', hint: 'Ask again.' })
    return row
  }

  return {
    providers,

    open: (who, path, before = null) =>
      outcome(async () => {
        const ref = await refOf(who, path)
        const most = before ? olderPage : firstPage
        const rows = await store.page(ref, { before, most })
        const [parts, values, confidential] = await Promise.all([
          store.partsOfTurns(rows.map(({ id }) => id)),
          privacy.values(ref.conversation),
          store.isConfidential(ref.conversation),
        ])
        const going = rows.find(row => row.path === path && turns.live(row.id))
        return {
          turns: rows.map(row => turns.view(row)),
          parts,
          // Last: what comes from now on is told by events.
          live: (going && turns.live(going.id)?.written) ?? null,
          values,
          confidential,
          older: rows.length < most ? null : (rows[0]?.id ?? null),
        }
      }),

    turn: (who, id) =>
      outcome(async () => {
        const row = await owned(who, id)
        const [parts, values] = await Promise.all([store.partsOfTurns([id]), privacy.values(row.conversation)])
        return { turn: turns.view(row), parts, values }
      }),

    prepare: (who, path) => outcome(async () => places.prepare(await refOf(who, path))),

    ask: (who, request) =>
      outcome(async () => {
        const { path, text, attachments, model, seen } = AskRequest.parse(request)
        const ref = await refOf(who, path)
        const [place, analyses] = [places.of(ref), desk.analyses.search(text)]
        // Whoever waits for them hears of a failure; a question that is refused first leaves nobody.
        for (const ahead of [place, analyses]) ahead.catch(() => undefined)
        const by = await mayAsk(who, ref, model, seen)
        const parts = await attach(desk, who, ref, attachments)
        const question = ids.make(MessageId)
        const row = newTurn(desk, who, ref, question, by)
        const message = { kind: 'message', author: 'analyst', text } as const
        const written = desk.conversations
          .insert(
            who,
            { path, items: [message], undoable: false },
            { ids: [question], alongside: t => addTurn(t, row, parts), patienceMs: commitPatienceMs },
          )
          .then(inserted => void orProblem(inserted))
        const item = { ...message, id: question, revision: 0, inherited: false, changedAt: row.started_at }
        return begin(who, row, written, { item, parts, by, place, analyses })
      }),

    retry: (who, request) =>
      outcome(async () => {
        const { path, question, model, seen } = RetryRequest.parse(request)
        const ref = await refOf(who, path)
        const by = await mayAsk(who, ref, model, seen)
        await takeBack(who, ref, question)
        return answerAgain(who, ref, question, by)
      }),

    resend: (who, request) =>
      outcome(async () => {
        const { path, question, model, seen, text, expectedRevision } = ResendRequest.parse(request)
        const ref = await refOf(who, path)
        const by = await mayAsk(who, ref, model, seen)
        const edit = { path, item: question, text, expectedRevision }
        if (orProblem(await desk.conversations.edit(who, edit)).result === 'conflict')
          throw new Refused({
            code: 'conflict',
            message: 'The question was changed in another window.',
            hint: 'Look at it and send again.',
          })
        await takeBack(who, ref, question)
        return answerAgain(who, ref, question, by)
      }),

    goOn: (who, id) =>
      outcome(async () => {
        const row = await owned(who, id)
        const model = { provider: row.provider, model: row.model }
        if (isUnderWay(row.state) || row.state === 'done')
          throw new Refused({
            code: 'chat.busy',
            message: 'There is nothing to go on from.',
            hint: 'Ask something new.',
          })
        const ref = { tenant: row.tenant, conversation: row.conversation, path: row.path }
        await mayAsk(who, ref, model, false)
        // The limit of steps counts anew: the person has said that it should go on.
        const change = { state: 'asking' as const, problem: null, ended_at: null, owner }
        await store.change(id, change)
        return turns.begin(who, { ...row, ...change }, { moreSteps: desk.settings().stepsPerTurn })
      }),

    stop: (who, id) => outcome(async () => turns.stop(await owned(who, id))),

    preview: (who, request) =>
      outcome(async () => {
        const parsed = PreviewRequest.parse(request)
        return previewOf(desk, privacy, who, await refOf(who, parsed.path), parsed)
      }),

    forceTool: (who, request) =>
      outcome(async () => {
        const asked = ForceTool.parse(request)
        return byHand(desk, who, await refOf(who, asked.path), asked)
      }),

    ledger: (who, { conversation, before, limit }) =>
      store.ledger(who.tenant, { ...(conversation ? { conversation } : {}), ...(before ? { before } : {}), limit }),
    spending: (who, conversation) => readSpending(desk, who.tenant, conversation),

    setConfidential: (who, conversation, confidential) =>
      outcome(async () => {
        orProblem(await desk.conversations.tree(who, conversation))
        await storage.write(t => markConfidential(t, audit, who, { conversation, confidential }))
      }),

    recover: who => turns.recover(who),
    idle: () => turns.idle(),
    close: () => turns.close(),
  }
}

async function outcome<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return ok(await work())
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.problem }
    throw error
  }
}
