import type { Detector } from '../detectors/detector.ts'
import { beginning, beginnings } from './classes.ts'
import { ContextWords } from './context.ts'
import { Labels } from './labels.ts'
import type { Sieve } from './marks/marks.ts'
import { compileShapes, type ShapeTree } from './shapes.ts'
import { makeSieve } from './sieve.ts'

/** A detector as the scan reads it: every entry has the same fields, so that reading one is a load and no search. */
export interface Entry {
  readonly id: number
  readonly rule: string
  readonly type: string
  readonly byShape: boolean
  readonly score: number
  /** Score with a context word near; -1 where none helps. */
  readonly near: number
  /** Score when it is the whole text; -1 where that does not count. */
  readonly alone: number
  readonly valid: ((value: string) => boolean) | null
  readonly detector: Detector
}

const entryOf = (detector: Detector, id: number): Entry => ({
  id,
  rule: detector.rule,
  type: detector.type,
  byShape: detector.find.by === 'shapes',
  score: detector.score,
  near: detector.near ?? -1,
  alone: detector.alone ?? -1,
  valid: detector.valid ?? null,
  detector,
})

/** The detectors, arranged so that the scanner meets each character once. */
export interface Compiled {
  readonly context: ContextWords
  readonly labels: Labels
  readonly shapes: ShapeTree
  /** Detectors with a literal prefix, by its beginning. */
  readonly prefixes: ReadonlyMap<number, readonly Prefixed[]>
  /** By beginning: 1 where some prefix begins so. Nearly all words end here. */
  readonly opens: Uint8Array
  /** What is left out of the marks before any finder is asked. */
  readonly sieve: Sieve
  /** Detectors for words of letters and digits, by length of the word. */
  readonly words: (readonly Worded[] | undefined)[]
  /** Detectors that a finder reports to. */
  readonly finders: Finders
}

export interface Worded {
  readonly entry: Entry
  readonly pattern: RegExp
  /** By character code: 1 for those that it can start with. */
  readonly starts: Uint8Array
  /** What its first characters are; empty for anything. */
  readonly looks: string
}

export interface Prefixed {
  readonly prefix: string
  /** Its last character, which tells most prefixes with the same beginning apart. */
  readonly ending: number
  /** How many characters at the end are the value; 0 for all. */
  readonly last: number
  readonly entry: Entry
  readonly pattern: RegExp
}

const finderRules = {
  email: 'email',
  paymentAddress: 'in-upi',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  mac: 'mac-address',
  inColons: 'in-aadhaar-colons',
  databaseUrl: 'database-url',
  urlCredentials: 'url-credentials',
  webhook: 'slack-webhook',
  iban: 'iban',
  bic: 'bic',
  phoneInternational: 'phone-international',
  phoneNational: 'phone-national',
  phonePossible: 'phone-possible',
  gps: 'gps',
  passportLines: 'passport-lines',
  birthInWords: 'date-of-birth-words',
  privateKey: 'private-key',
  telegram: 'telegram-bot-token',
  awsSecret: 'aws-secret-key',
  azureKey: 'azure-storage-key',
  azureSecret: 'azure-client-secret',
  passwordHash: 'password-hash',
  password: 'password-assignment',
  secret: 'secret-assignment',
  serviceKey: 'service-key',
  field: 'sensitive-field',
  nameTitle: 'name-title',
  nameSalutation: 'name-salutation',
  nameSignature: 'name-signature',
  nameLabel: 'name-label',
  nameKnown: 'name-known',
  nameFirst: 'name-first',
  nameIntroduced: 'name-introduced',
} as const

/** By finder; a rule that is switched off has none. */
export type Finders = { readonly [Name in keyof typeof finderRules]: Entry | undefined }

export function compile(detectors: readonly Detector[]): Compiled {
  const entries = detectors.map(entryOf)
  const prefixes = new Map<number, Prefixed[]>()
  const opens = new Uint8Array(beginnings)
  const words: (Worded[] | undefined)[] = new Array<Worded[] | undefined>(longestWord + 1).fill(undefined)
  for (const entry of entries) {
    const { find } = entry.detector
    if (find.by === 'prefixes') {
      for (const prefix of find.prefixes) {
        const prefixed = {
          prefix,
          ending: prefix.charCodeAt(prefix.length - 1),
          last: find.last ?? 0,
          entry,
          pattern: find.pattern,
        }
        // Whatever may stand third where the prefix has two characters.
        for (let third = 0; third < 32; third++) {
          if (prefix.length > 2 && third !== (prefix.charCodeAt(2) & 31)) continue
          const slot = beginning(prefix.charCodeAt(0), prefix.charCodeAt(1), third)
          prefixes.set(slot, [...(prefixes.get(slot) ?? []), prefixed])
          opens[slot] = 1
        }
      }
    }
    if (find.by === 'words') {
      const starts = new Uint8Array(128)
      for (const char of find.starts) starts[char.charCodeAt(0)] = 1
      for (let length = find.shortest; length <= find.longest; length++) {
        const list = words[length] ?? []
        words[length] = list
        list.push({ entry, pattern: find.pattern, starts, looks: find.looks ?? '' })
      }
    }
  }
  const byRule = new Map(entries.map(entry => [entry.rule, entry]))
  const finders = Object.fromEntries(
    Object.entries(finderRules).map(([name, rule]) => [name, byRule.get(rule)]),
  ) as Finders
  const compiled = {
    context: new ContextWords(entries),
    labels: new Labels(entries),
    shapes: compileShapes(entries),
    prefixes,
    opens,
    words,
    finders,
  }
  return { ...compiled, sieve: makeSieve(compiled) }
}

/** Words longer than this are looked at by prefix alone. */
export const longestWord = 84
