import type { AuditEvent, Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ConversationId, TenantId, UserId } from '../contract/ids.ts'
import type { NamesStatus } from '../contract/names.ts'
import type {
  Allowed,
  CountsByType,
  Departure,
  Destination,
  EgressMode,
  Finding,
  NewAllowed,
  Redaction,
} from '../contract/privacy.ts'
import { Failure, fail, type Outcome, ok } from '../contract/problem.ts'
import type { Language } from '../contract/run.ts'
import type { Settings } from '../contract/settings.ts'
import type { Ids } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import { openTableSeals } from '../row-seal.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { createAllowList } from './allow-list.ts'
import { createDepartures, type DeparturesQuery } from './departures.ts'
import { detectors } from './detectors/detectors.ts'
import { createEgressGuard, type EgressGuard } from './egress/guard.ts'
import { createLogRedactor, type LogRedactor } from './egress/log.ts'
import type { Passed } from './egress/passed.ts'
import { createNamesModel, type NamesModel } from './names/model.ts'
import { defaultScanner, scanText } from './scan-text.ts'
import { resolve } from './scanner/resolve.ts'
import { StreamScanner } from './scanner/stream.ts'
import { createScanning } from './scanning.ts'
import { refusalOf, withoutAllowed } from './tokens/allowed.ts'
import { findEncoded } from './tokens/encoded.ts'
import { findBesideTokens, keepingTokens } from './tokens/known.ts'
import { type CodeWithValues, valuesIntoCode } from './tokens/literals.ts'
import { partOf, type TextPart } from './tokens/part.ts'
import { textsIn } from './tokens/payload.ts'
import { RedactionStream, RestoringStream } from './tokens/stream.ts'
import { redactStructured, restoreStructured } from './tokens/structured.ts'
import { countByType, literal, redactText, restoreText, TokenBook, tokenPattern } from './tokens/tokens.ts'
import { createVault } from './vault.ts'

export type { EgressGuard, Journey, SeveralPassing } from './egress/guard.ts'
export type { LogRedactor } from './egress/log.ts'
export type { Passed } from './egress/passed.ts'
export { modelIn } from './names/folder.ts'
export { type RunningModel, runModel, within } from './names/running.ts'
export { type AskNames, NamesStream, namesInTexts } from './names/stream.ts'
export { inCodePoints } from './scanner/offsets.ts'
export { resolve } from './scanner/resolve.ts'
export { Scanner, type ScanOptions } from './scanner/scanner.ts'
export { type Decided, StreamScanner } from './scanner/stream.ts'
export { DigestBook } from './tokens/digests.ts'
export type { CodeWithValues } from './tokens/literals.ts'
export { createMapWriter, type MapSecret, type MapWriter, openMap, readMap, sealMap } from './tokens/map.ts'
export type { TextPart } from './tokens/part.ts'
export { RedactionStream, ReplacingStream, RestoringStream } from './tokens/stream.ts'
export { redactText, restoreText, TokenBook, type TokenEntry } from './tokens/tokens.ts'
export { defaultScanner, detectors, scanText }

/** What the log passes its lines through; it works before anything else is open. */
export function logRedactor(mode: () => EgressMode): LogRedactor {
  return createLogRedactor(mode, text => defaultScanner().scan(text, { whole: false }))
}

export interface PrivacyDeps {
  readonly storage: Storage
  readonly audit: Recorder
  readonly keys: KeyStore
  readonly clock: Clock
  readonly ids: Ids
  readonly tenant: TenantId
  readonly settings: () => Settings['privacy']
  /** What the log passes its lines through: what it found there is told with all else that left. */
  readonly log?: LogRedactor
}

export interface RevealRequest {
  readonly conversation: ConversationId
  readonly token: string
  readonly reason: string
  readonly actor: UserId
}

export interface Privacy {
  /** Everything that leaves goes through here. */
  readonly egress: EgressGuard
  /** What is found in a text, without what a person has allowed. */
  find(text: string, conversation: ConversationId | null): Finding[]
  /** Original and sent text side by side, for the redaction view. Nothing leaves. */
  redact(conversation: ConversationId, text: string): Promise<Redaction>
  /** The last place up to `at` where a text can be cut without half of a private value being left at its end. */
  cutPlace(text: string, at: number): Promise<number>
  /**
   * Text for the record: tokens in the place of values, which the vault keeps. Of a part of it, where one is asked for:
   * what a line holds may only be said by another one, such as the first of a table.
   */
  forRecord(conversation: ConversationId, text: string, part?: TextPart): Promise<string>
  /** Data for the record that belongs to no conversation: private values are masked for good. */
  maskForRecord<T>(value: T): T
  /** Texts for an exported file, through the guard. Throws when the guard holds them. */
  forExport(conversation: ConversationId, texts: readonly string[], to: string): Promise<Passed<readonly string[]>>
  /** Real values again: for the user's own screen and for inputs to local sandboxes. */
  restore(conversation: ConversationId, text: string): Promise<string>
  restoreStructured<T>(conversation: ConversationId, value: T): Promise<T>
  restoring(conversation: ConversationId): Promise<RestoringStream>
  /** What stands behind every token of a conversation, for the user's own screen. */
  values(conversation: ConversationId): Promise<Record<string, string>>
  /** Texts as they would leave for a model. Nothing leaves. */
  dryRun(conversation: ConversationId, texts: readonly unknown[]): Promise<Passed<readonly unknown[]>>
  /** Code for a local sandbox: values inside its string literals, so that none can become code. */
  intoCode(conversation: ConversationId, language: Language, code: string): Promise<CodeWithValues>
  /** Texts that only look like a token, such as `rows[N_1]`, back in the place of theirs: they are no private values. */
  withLookAlikes(conversation: ConversationId, text: string): Promise<string>
  /** Tokens in a text that stand for nothing in this conversation: whoever wrote them has them from another one. */
  strangeTokens(conversation: ConversationId, text: string): Promise<string[]>
  /** One value behind a token; needs a reason, and the record has it before the value is shown. */
  reveal(request: RevealRequest): Promise<Outcome<string>>
  allowed(): readonly Allowed[]
  allow(entry: NewAllowed, actor: UserId): Promise<Allowed>
  disallow(id: string, actor: UserId): Promise<Outcome<void>>
  departures(query?: DeparturesQuery): Promise<Departure[]>
  statistics(conversation?: ConversationId): Promise<CountsByType>
  /** What stands behind the tokens of a conversation, for a copy of it: its texts hold the same tokens. */
  copying(from: ConversationId): Promise<(transaction: Transaction, to: ConversationId) => Promise<void>>
  /** Erases the values behind a conversation's tokens. */
  forget(conversation: ConversationId, actor: UserId, reason: string): Promise<number>
  readonly names: NamesModel
  namesStatus(): NamesStatus
  close(): Promise<void>
}

const excerpt = 40

/** What a token of ours can begin with: `x[N_1]` in a program is none. */
const tokenTypes: ReadonlySet<string> = new Set(detectors.map(({ type }) => type))

/**
 * Text that is sent to somebody else's machine. An export has an entry of its own, which says what was in it; log and
 * telemetry stay where they are configured to, and an entry for each line would bury all others.
 */
const toldOnRecord: ReadonlySet<Destination> = new Set(['model', 'cloud-sandbox', 'alert'])

const switchedOff = (folder: string): NamesStatus => ({
  state: 'off',
  folder,
  detail: 'The model is switched off, so names are found by rules alone.',
})

export async function createPrivacy(deps: PrivacyDeps): Promise<Privacy> {
  const { storage, audit, keys, clock, ids, tenant, settings } = deps
  const scanner = defaultScanner()
  const scanning = createScanning()
  const vault = createVault(storage, keys)
  const departures = createDepartures(storage, clock, ids)
  const allowList = await createAllowList(storage, clock, ids, (await openTableSeals(storage, keys)).allowed)
  const names = createNamesModel({ clock })
  const takeUpModel = (): void => names.use(settings().namesByModel ? settings().namesModel : '')
  takeUpModel()

  const find = (text: string, conversation: ConversationId | null): Finding[] => {
    const both = resolve([...scanning.find(text), ...names.known(text, settings().namesLeast)])
    return withoutAllowed(both, ({ start, end }) => text.slice(start, end), allowList.current, conversation)
  }
  const select = (finding: Finding, text: string, conversation: ConversationId | null): boolean =>
    withoutAllowed([finding], () => text, allowList.current, conversation).length > 0
  const stream = (conversation: ConversationId | null, book: TokenBook): RedactionStream =>
    new RedactionStream(new StreamScanner(scanner), book, (finding, text) => select(finding, text, conversation))
  const prepare = async (texts: readonly string[]): Promise<void> => {
    takeUpModel()
    await Promise.all([names.look(texts), scanning.ahead(texts)])
  }
  const egress = createEgressGuard({
    vault,
    mode: destination => modeOf(settings(), destination),
    find,
    select,
    prepare,
    ahead: texts => scanning.ahead(texts),
    stream,
    begin: about =>
      storage.write(transaction =>
        departures.record(transaction, { ...about, result: 'sent', characters: 0, found: {} }),
      ),
    record: (departure, begun, told) =>
      storage.write(async transaction => {
        await departures.record(transaction, departure, begun)
        if (!toldOnRecord.has(departure.destination)) return
        const { conversation, ...rest } = departure
        const details = { ...told, ...rest }
        await audit.append(transaction, record('egress.passed', null, details, conversation ?? undefined))
      }),
  })
  const forRecord = async (conversation: ConversationId, whole: string, part?: TextPart): Promise<string> => {
    await prepare([whole])
    const { text, found } = partOf(whole, find(whole, conversation), part)
    // Code and texts of an assistant hold tokens of this conversation already.
    return vault.withBook(conversation, book => {
      const encoded = findEncoded(text, plain => findBesideTokens(plain, find(plain, conversation), book))
      return redactText(text, findBesideTokens(text, resolve([...found, ...encoded]), book), keepingTokens(book))
    })
  }
  /** What a person wrote to explain something: the record is for ever, and goes out with every bundle. */
  const wordsForRecord = async (conversation: ConversationId | null, text: string): Promise<string> => {
    const words = text.trim().slice(0, 1000)
    return conversation ? forRecord(conversation, words) : redactText(words, find(words, null), new TokenBook())
  }
  const toldOfLog = async (): Promise<void> => {
    const sums = deps.log?.take() ?? []
    if (sums.length === 0) return
    const about = { destination: 'log', to: 'log file', conversation: null, result: 'sent' } as const
    await storage.write(async transaction => {
      for (const sum of sums) await departures.record(transaction, { ...about, ...sum })
    })
  }
  const record = (
    action: AuditEvent['action'],
    actor: UserId | null,
    details: AuditEvent['details'],
    conversation?: ConversationId,
  ): AuditEvent => ({
    action,
    tenant,
    actor,
    ...(conversation ? { conversation } : {}),
    details,
  })

  return {
    egress,
    find,
    names,
    namesStatus() {
      // A folder that was chosen a moment ago is taken up now, not at the next text.
      takeUpModel()
      const { namesModel, namesByModel } = settings()
      return namesModel !== '' && !namesByModel ? switchedOff(namesModel) : names.status()
    },
    async redact(conversation, text) {
      await prepare([text])
      const found = find(text, conversation)
      const { sent, book } = await vault.withBook(conversation, book => ({ sent: redactText(text, found, book), book }))
      const findings = found.map(finding => ({
        ...finding,
        field: '',
        token: book.tokenFor(finding.type, text.slice(finding.start, finding.end)),
        before: text.slice(Math.max(0, finding.start - excerpt), finding.start),
        after: text.slice(finding.end, finding.end + excerpt),
      }))
      return { original: text, sent, findings, counts: countByType(found) }
    },
    async cutPlace(text, at) {
      await prepare([text])
      return find(text, null).find(({ start, end }) => start < at && at < end)?.start ?? at
    },
    forRecord,
    maskForRecord: value => redactStructured(value, text => find(text, null), new TokenBook()).value,
    async forExport(conversation, texts, to) {
      const outcome = await egress.pass('export', texts, { to, conversation })
      if (outcome.ok) return outcome.value
      throw new Failure(outcome.problem.code, outcome.problem.message, outcome.problem.hint)
    },
    restore: async (conversation, text) => restoreText(text, await vault.book(conversation)),
    restoreStructured: async (conversation, value) => restoreStructured(value, await vault.book(conversation)),
    restoring: async conversation => new RestoringStream(await vault.book(conversation)),
    async values(conversation) {
      const book = await vault.book(conversation)
      return Object.fromEntries(Array.from(book.entries(), ({ token }) => [token, restoreText(token, book)]))
    },
    async dryRun(conversation, texts) {
      await prepare(textsIn(texts))
      return egress.dryRun(texts, { to: '', conversation, knowsTokens: true })
    },
    copying: vault.copying,
    async intoCode(conversation, language, code) {
      const book = await vault.book(conversation)
      return valuesIntoCode(code, language, token => {
        const entry = book.entryOf(token)
        return entry && restoreText(token, book)
      })
    },
    async withLookAlikes(conversation, text) {
      const book = await vault.book(conversation)
      return text.replace(tokenPattern, token => {
        const entry = book.entryOf(token)
        return entry?.type === literal && !book.entryOf(entry.value) ? entry.value : token
      })
    },
    async strangeTokens(conversation, text) {
      const book = await vault.book(conversation)
      const tokens = new Set(Array.from(text.matchAll(tokenPattern), ([token]) => token))
      return [...tokens].filter(token => tokenTypes.has(token.slice(1, token.lastIndexOf('_'))) && !book.entryOf(token))
    },
    async reveal({ conversation, token, reason, actor }) {
      if (reason.trim().length < 3) {
        return fail(
          'privacy.reason',
          'A reason is needed to show a private value.',
          'Say in a few words what it is needed for.',
        )
      }
      const entry = (await vault.book(conversation)).entryOf(token)
      if (!entry) return fail('privacy.unknown-token', `Nothing is kept under ${token}.`, 'It may have been erased.')
      const details = { token, type: entry.type, reason: await wordsForRecord(conversation, reason) }
      await storage.write(transaction =>
        audit.append(transaction, record('privacy.revealed', actor, details, conversation)),
      )
      return ok(entry.value)
    },
    allowed: () => allowList.current,
    async allow(entry, actor) {
      const refusal = refusalOf(entry)
      if (refusal) throw new Failure(refusal.code, refusal.message, refusal.hint)
      const note = await wordsForRecord(entry.conversation, entry.note)
      const added = await storage.write(async transaction => {
        const allowed = await allowList.add(transaction, entry)
        const details = { id: allowed.id, kind: allowed.kind, type: allowed.type, note }
        await audit.append(transaction, record('privacy.allowed', actor, details, entry.conversation ?? undefined))
        return allowed
      })
      await allowList.reload()
      return added
    },
    async disallow(id, actor) {
      const removed = await storage.write(async transaction => {
        if (!(await allowList.remove(transaction, id))) return false
        await audit.append(transaction, record('privacy.allowed', actor, { id, removed: true }))
        return true
      })
      await allowList.reload()
      return removed
        ? ok(undefined)
        : fail('not-found', 'This entry of the allow-list is gone already.', 'Reload the list.')
    },
    async departures(query) {
      await toldOfLog()
      return departures.list(query)
    },
    async statistics(conversation) {
      await toldOfLog()
      return departures.counts(conversation)
    },
    async forget(conversation, actor, reason) {
      // Without the vault, whose values are about to go: a token for something in the reason would be the first new one.
      const why = await wordsForRecord(null, reason)
      const count = await vault.forget(conversation)
      await storage.write(transaction =>
        audit.append(transaction, record('privacy.erased', actor, { count, reason: why }, conversation)),
      )
      return count
    },
    async close() {
      // The last that is known of it; a full disk must not keep the application from ending.
      await toldOfLog().catch(() => undefined)
      await Promise.all([names.close(), scanning.close()])
    },
  }
}

function modeOf(settings: Settings['privacy'], destination: Destination): EgressMode {
  return destination === 'cloud-sandbox' ? settings.cloudSandbox : settings[destination]
}
