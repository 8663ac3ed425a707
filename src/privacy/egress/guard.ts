import type { z } from 'zod'
import type { ConversationId } from '../../contract/ids.ts'
import type { Departure, Destination, EgressMode, Finding } from '../../contract/privacy.ts'
import { Failure, type Outcome, ok, type Problem, type ProblemCode, problem } from '../../contract/problem.ts'
import { resolve } from '../scanner/resolve.ts'
import { findEncoded } from '../tokens/encoded.ts'
import { findBesideTokens, keepingTokens } from '../tokens/known.ts'
import { held, textsIn } from '../tokens/payload.ts'
import type { RedactionStream } from '../tokens/stream.ts'
import { type FieldFinding, redactStructured } from '../tokens/structured.ts'
import { countByType, TokenBook } from '../tokens/tokens.ts'
import type { Vault } from '../vault.ts'
import type { Passed } from './passed.ts'

/** Where something is going, and on whose behalf. */
export interface Journey {
  /** To whom: a model's name, a host, a file. */
  readonly to: string
  /** Whose tokens are used; without a conversation they cannot be put back. */
  readonly conversation: ConversationId | null
  /**
   * The other side knows tokens of this conversation: the ones in the payload stay what they are, and a value that has
   * one gets it wherever it stands.
   */
  readonly knowsTokens?: boolean
  /** What its entry on the record says besides. */
  readonly told?: Readonly<Record<string, z.core.util.JSONType>>
}

export interface EgressGuard {
  /**
   * The one way out. In `enforce` mode what is found is replaced, in `report` mode it is only counted. When the guard
   * cannot do its work, nothing passes.
   */
  pass<T>(destination: Destination, payload: T, journey: Journey): Promise<Outcome<Passed<T>>>
  /**
   * The same for one thing after another to the same receiver, such as the calls of a run: together they are one departure,
   * which is on the record before the first of them leaves, with how much it was once all are through.
   */
  passSeveral(destination: Destination, journey: Journey): SeveralPassing
  /**
   * For a message that was put together from parts which have passed: it leaves as it is or not at all. The last look
   * before the socket, and the only one at everything.
   */
  recheck<T>(destination: Destination, payload: T, journey: Journey): Promise<Outcome<Passed<T>>>
  /** The payload as it would leave, for showing it first. Its tokens are those that it would be given. */
  dryRun<T>(payload: T, journey: Journey): Promise<Passed<T>>
  /** The same for text that comes in chunks: a value split over two of them is still caught. */
  passStream(
    destination: Destination,
    chunks: AsyncIterable<string>,
    journey: Journey,
  ): AsyncGenerator<Passed<string>, void, undefined>
}

export interface SeveralPassing {
  pass<T>(payload: T): Promise<Outcome<Passed<T>>>
  /** All are through. */
  end(): Promise<void>
}

/** A departure that has begun. */
interface Leaving {
  readonly mode: EgressMode
  readonly id: Promise<string>
  characters: number
  readonly found: Map<string, number>
}

export interface GuardDeps {
  readonly vault: Vault
  readonly mode: (destination: Destination) => EgressMode
  /** Finds what is private; a person's allow-list and the names model are already applied. */
  readonly find: (text: string, conversation: ConversationId | null) => readonly Finding[]
  /** False for what a person has allowed. */
  readonly select: (finding: Finding, text: string, conversation: ConversationId | null) => boolean
  /** Looks at texts ahead of `find`, where that takes time: the names model. */
  readonly prepare: (texts: readonly string[]) => Promise<void>
  /** Scans texts ahead of `find` in a thread, and asks nobody else. */
  readonly ahead: (texts: readonly string[]) => Promise<void>
  readonly stream: (conversation: ConversationId | null, book: TokenBook) => RedactionStream
  /** Puts on the record that a stream begins to leave; `record` fills in how much it was. */
  readonly begin: (about: Omit<Departure, 'id' | 'at' | 'result' | 'characters' | 'found'>) => Promise<string>
  readonly record: (departure: Omit<Departure, 'id' | 'at'>, begun?: string, told?: Journey['told']) => Promise<void>
}

/** Rounds until nothing more is found; two are enough for every text that was tried. */
const mostRounds = 4

const send = <T>(value: T): Passed<T> => ({ value }) as Passed<T>

export function createEgressGuard(deps: GuardDeps): EgressGuard {
  const { vault, find, record } = deps
  const bookFor = (conversation: ConversationId | null): Promise<TokenBook> =>
    conversation ? vault.book(conversation) : Promise.resolve(new TokenBook())

  const redactOnce = <T>(payload: T, { conversation, knowsTokens }: Journey, book: TokenBook) => {
    const seen = (text: string) => find(text, conversation)
    const beside = (text: string) => findBesideTokens(text, seen(text), book)
    return redactStructured(
      payload,
      knowsTokens ? text => resolve([...beside(text), ...findEncoded(text, beside)]) : seen,
      knowsTokens ? keepingTokens(book) : book,
      (finding, text) => !(knowsTokens && book.entryOf(text)) && deps.select(finding, text, conversation),
    )
  }

  /** A token in the place of a value may be what makes its neighbour be found. */
  const redactUntilStill = <T>(payload: T, journey: Journey, book: TokenBook) => {
    const found: FieldFinding[] = []
    let value = payload
    for (let round = 1; round <= mostRounds; round++) {
      const redacted = redactOnce(value, journey, book)
      value = redacted.value
      found.push(...redacted.found)
      if (redacted.found.length === 0) return { value, found }
    }
    throw held('The data still holds private values after it was redacted.', 'Send a shorter part of it.')
  }

  /** As it may leave, with what was found in it. */
  async function cleaned<T>(payload: T, mode: EgressMode, journey: Journey) {
    const texts = textsIn(payload)
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    if (mode === 'off') return { value: payload, characters, found: {} }
    await deps.prepare(texts)
    const redact = (book: TokenBook) =>
      journey.knowsTokens ? redactUntilStill(payload, journey, book) : redactOnce(payload, journey, book)
    const { conversation } = journey
    const redacted =
      conversation && mode === 'enforce' ? await vault.withBook(conversation, redact) : redact(new TokenBook())
    return { value: mode === 'enforce' ? redacted.value : payload, characters, found: countByType(redacted.found) }
  }

  async function holdBack(about: Omit<Departure, 'id' | 'at' | 'result' | 'characters' | 'found'>, error: unknown) {
    await record({ ...about, result: 'held', characters: 0, found: {} }).catch(() => undefined)
    return { ok: false as const, problem: heldProblem(about.destination, error) }
  }

  return {
    async pass(destination, payload, journey) {
      const { conversation, to } = journey
      // Read once: a setting that changes half-way must not leave a payload half checked.
      const mode = deps.mode(destination)
      const about = { destination, to, conversation, mode }
      try {
        const { value, characters, found } = await cleaned(payload, mode, journey)
        // On the record before it leaves: what cannot be recorded does not leave.
        await record({ ...about, result: 'sent', characters, found }, undefined, journey.told)
        return ok(send(value))
      } catch (error) {
        return holdBack(about, error)
      }
    },

    passSeveral(destination, journey) {
      const { conversation, to } = journey
      const about = (mode: EgressMode) => ({ destination, to, conversation, mode })
      let leaving: Leaving | null = null
      const finish = async ({ mode, id, characters, found }: Leaving): Promise<void> => {
        const departure = { ...about(mode), result: 'sent', characters, found: Object.fromEntries(found) } as const
        await record(departure, await id, journey.told)
      }
      return {
        async pass(payload) {
          const mode = deps.mode(destination)
          try {
            const { value, characters, found } = await cleaned(payload, mode, journey)
            // One that began under another setting is over.
            const before: Leaving | null = leaving
            const mine: Leaving =
              before?.mode === mode ? before : { mode, id: deps.begin(about(mode)), characters: 0, found: new Map() }
            leaving = mine
            mine.id.catch(() => {
              if (leaving === mine) leaving = null
            })
            if (before && before !== mine) await finish(before)
            mine.characters += characters
            for (const [type, count] of Object.entries(found)) mine.found.set(type, (mine.found.get(type) ?? 0) + count)
            await mine.id
            return ok(send(value))
          } catch (error) {
            return holdBack(about(mode), error)
          }
        },
        async end() {
          const last = leaving
          leaving = null
          if (last) await finish(last)
        },
      }
    },

    async dryRun(payload, journey) {
      const book = await bookFor(journey.conversation)
      return send(redactUntilStill(payload, journey, new TokenBook(book.entries())).value)
    },

    async recheck(destination, payload, journey) {
      const { conversation, to } = journey
      const mode = deps.mode(destination)
      if (mode !== 'enforce') return ok(send(payload))
      try {
        await deps.ahead(textsIn(payload))
        const book = await bookFor(conversation)
        // A copy: what is looked at here gives out no tokens.
        const { found } = redactOnce(payload, journey, new TokenBook(book.entries()))
        if (found.length === 0) return ok(send(payload))
        await record({ destination, to, conversation, mode, result: 'held', characters: 0, found: countByType(found) })
      } catch {
        await record({ destination, to, conversation, mode, result: 'held', characters: 0, found: {} }).catch(
          () => undefined,
        )
      }
      return { ok: false, problem: problem(...heldWords(destination)) }
    },

    async *passStream(destination, chunks, journey) {
      const { conversation, to } = journey
      const mode = deps.mode(destination)
      const about = { destination, to, conversation, mode }
      let characters = 0
      let stream: RedactionStream | null = null
      let result: Departure['result'] = 'held'
      let id: string | null = null
      try {
        const book = mode === 'enforce' ? await bookFor(conversation) : new TokenBook()
        stream = mode === 'off' ? null : deps.stream(conversation, book)
        const keep = async (): Promise<void> => {
          if (mode === 'enforce' && conversation) await vault.keep(conversation, book)
        }
        for await (const chunk of chunks) {
          const clean = stream?.push(chunk) ?? ''
          await keep()
          const text = mode === 'enforce' ? clean : chunk
          if (text === '') continue
          id ??= await deps.begin(about)
          characters += text.length
          yield send(text)
        }
        const rest = stream?.end() ?? ''
        await keep()
        if (mode === 'enforce' && rest !== '') {
          id ??= await deps.begin(about)
          characters += rest.length
          yield send(rest)
        }
        result = 'sent'
      } catch {
        // What was undecided stays inside, and so does the error, which may quote it.
        throw new Failure(...heldWords(destination))
      } finally {
        // Also when the receiver turned away: what it got by then has left.
        const left = characters > 0 || result === 'sent' ? 'sent' : 'held'
        const departure = { ...about, result: left, characters, found: { ...stream?.counts } } as const
        await record(departure, id ?? undefined).catch(() => {
          // Whoever received it must learn that the record does not tell how much it was.
          throw new Failure(...heldWords(destination))
        })
      }
    },
  }
}

const heldWords = (destination: Destination): [ProblemCode, string, string] => [
  'privacy.held',
  `This was not sent (${destination}): it could not be checked for private data.`,
  'Try again. If it stays so, the log says which part of the check failed.',
]

/** What our own walk says of the payload's form is told. Any other error may quote the payload, so it goes nowhere. */
function heldProblem(destination: Destination, error: unknown): Problem {
  if (error instanceof Failure && error.problem.code === 'privacy.held') return error.problem
  return problem(...heldWords(destination))
}
