import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CountsByType, Departure, Destination, EgressMode, NewAllowed } from '../../src/contract/privacy.ts'
import type { RuleWords } from '../../src/contract/rpc/privacy.ts'
import type { Settings } from '../../src/contract/settings.ts'
import { rpc } from '../state/queries.ts'

/** The words of the privacy screens: destinations, modes, rules and what was allowed. */

export const destinationWords: Record<Destination, { name: string; to: string; what: string }> = {
  model: { name: 'Language model', to: 'a language model', what: 'Questions, code and results for an assistant' },
  'cloud-sandbox': {
    name: 'Cloud sandbox',
    to: 'a cloud sandbox',
    what: 'Code and files that run on somebody else’s machine',
  },
  export: { name: 'Exported file', to: 'an exported file', what: 'Notebooks, reports and audit bundles' },
  log: { name: 'Log file', to: 'the log file', what: 'What the application writes down about itself' },
  alert: { name: 'Alert', to: 'an alert', what: 'Webhooks and desktop notifications' },
  telemetry: { name: 'Telemetry', to: 'a telemetry collector', what: 'Spans and metrics for a collector' },
}

export const modeWords: Record<EgressMode, { name: string; what: string }> = {
  enforce: { name: 'Enforce', what: 'What is found is replaced by a token before anything leaves.' },
  report: { name: 'Report', what: 'The text leaves as it is; what was found in it is put on record.' },
  off: { name: 'Off', what: 'The text leaves as it is, and nobody looks.' },
}

export const modeOf = (privacy: Settings['privacy'], destination: Destination): EgressMode =>
  destination === 'cloud-sandbox' ? privacy.cloudSandbox : privacy[destination]

export interface Words {
  /** `IE_PPSN` → `Irish Personal Public Service number`. */
  type(type: string): string
  rule(rule: string): string
}

/** Types and rules in words; the engine knows them. */
export function useWords(): Words {
  const { data } = useQuery(rpc.privacy.rules.queryOptions())
  return useMemo(() => wordsFrom(data ?? []), [data])
}

export function wordsFrom(rules: readonly RuleWords[]): Words {
  const byRule = new Map(rules.map(each => [each.rule, each.title]))
  const byType = Map.groupBy(rules, each => each.type)
  // Several rules of one type differ in details that its name has no room for.
  const common = (type: string) => {
    const titles = byType.get(type)?.map(each => each.title) ?? []
    return titles.find(title => titles.every(other => other.startsWith(title)))
  }
  return {
    type: type => shared[type] ?? common(type) ?? spelled(type),
    rule: rule => byRule.get(rule) ?? (rule === 'name-model' ? 'Names model' : rule),
  }
}

const shared: Record<string, string> = {
  PHONE: 'Phone number',
  PERSON: 'Name of a person',
  LOCATION: 'Place',
  ORGANIZATION: 'Organisation',
  IP_ADDRESS: 'IP address',
  CRYPTO_ADDRESS: 'Crypto-currency address',
  AU_MEDICARE: 'Australian Medicare number',
  DE_COMPANY_REGISTER: 'Entry in the German commercial register',
  DE_DOCTOR_NUMBER: 'Number of a German doctor',
  DE_ID_CARD: 'German identity card or passport',
  DE_TAX_NUMBER: 'German tax number',
  EU_VAT: 'VAT number',
  FR_SIRET: 'French company number',
  GCP_OAUTH_TOKEN: 'Google OAuth token',
  IMEI: 'Device number (IMEI)',
  IT_IDENTITY_CARD: 'Italian identity card or passport',
  LK_IDENTITY_NUMBER: 'Sri Lankan identity number',
  PH_GOVERNMENT_NUMBER: 'Philippine social or health number',
  RO_CNP: 'Romanian personal code',
  RU_INN: 'Russian tax number',
  UK_NINO: 'UK National Insurance number',
  UK_SORT_CODE: 'UK and Irish bank sort code',
  US_DRIVER_LICENSE: 'US driver’s licence',
  US_ROUTING_NUMBER: 'US bank routing number',
  GENERIC_SECRET: 'Key, token or secret',
}

const spelled = (type: string): string => {
  const words = type.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `3 e-mail addresses` would need a plural for each of a hundred types, so the count stands behind: `E-mail address × 3`. */
export const countWords = (found: CountsByType, words: Words): string[] =>
  Object.entries(found)
    .sort(([, a], [, b]) => b - a)
    .map(([type, count]) => (count === 1 ? words.type(type) : `${words.type(type)} × ${count.toLocaleString('en')}`))

/** What became of what was found. */
export function fateOf({ mode, result, found }: Pick<Departure, 'mode' | 'result' | 'found'>): string {
  if (result === 'held') return 'Held back: it could not be checked'
  if (mode === 'off') return 'Not looked at'
  if (Object.keys(found).length === 0) return 'Nothing found'
  return mode === 'enforce' ? 'Replaced' : 'Found, and sent as it was'
}

/** What an entry of the allow-list lets through, made from the entry itself, so that it never promises less. */
export function allowedWords(entry: Omit<NewAllowed, 'note'>, shown: string, words: Words): string {
  const what = entry.kind === 'exact' ? shown : `Everything of the form ${entry.value}`
  const as = entry.type ? `as ${words.type(entry.type)}` : 'as anything'
  const where = entry.conversation ? 'in this conversation' : 'in every conversation'
  return `${what} is no longer found ${as} ${where}: it leaves as it is.`
}
