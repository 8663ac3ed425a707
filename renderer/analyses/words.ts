import type { AnalysisType, LawStatus, OutputSpec } from '../../src/contract/analyses.ts'

export const typeNames: Record<AnalysisType, string> = {
  tax_calculation: 'Tax',
  compliance_check: 'Compliance',
  data_analysis: 'Data',
  custom: 'Other',
}

export const statusNames: Record<LawStatus, string> = {
  enacted: 'enacted',
  announced: 'announced',
  draft: 'draft',
  unverified: 'unverified',
}

/** Terms that are written in capitals. */
const acronyms = new Set(
  'apr aqi asf at1 bscr ccyb cet1 cgt cqs depi dsri ead ebit ecl eir gmi gsii hhi hqla lcr lel lgd ltv lvgi mad mda nic nsfr osii p2r pd prsi pt pv fv rmbs rsf rwa scr se sgai sgi syrb tata uel usc vat'.split(
    ' ',
  ),
)

/** `employment_income` as a person writes it. */
export const label = (name: string): string => {
  const words = name
    .replace(/_percent$/, '_(%)')
    .split('_')
    .map(word => (acronyms.has(word) ? word.toUpperCase() : numbered(word)))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `level2a` is level 2A. */
const numbered = (word: string): string =>
  word.replace(/^([a-z]{3,})(\d+[a-z]?)$/, (_, name: string, number: string) => `${name} ${number.toUpperCase()}`)

/** The unit of a value of the law in words. */
export const unitName = (unit: string): string => (unit === '/1' ? 'as a fraction' : unit)

/** A problem beside its field, which has its own name there: `weekly_earnings is missing.` */
export const besideField = (name: string, message: string): string =>
  message.startsWith(`${name} `) ? `${label(name)}${message.slice(name.length)}` : message

/** A figure with its thousands apart; digits are never changed, since people sign for them. */
export function figure(value: unknown, spec?: OutputSpec): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  if (!/^-?\d+(\.\d+)?$/.test(text)) return text
  const [whole = '', rest] = text.split('.')
  const grouped = /^-?\d{5,}$/.test(whole) ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole
  const shown = rest === undefined ? grouped : `${grouped}.${rest}`
  if (spec?.currency) return `${shown} ${spec.currency}`
  return spec?.type === 'percent' ? `${shown} %` : shown
}

/** The difference of two figures, or null where one of them is none. */
export function difference(before: unknown, now: unknown): string | null {
  const [a, b] = [Number(before), Number(now)]
  if (before === null || now === null || typeof before === 'boolean' || Number.isNaN(a) || Number.isNaN(b)) return null
  if (a === b) return '='
  const change = Number((b - a).toPrecision(12))
  return `${change > 0 ? '+' : '−'}${figure(Math.abs(change))}`
}

/** How many sections a provision and a citation both name; years and what stands in brackets say nothing. */
export function sectionsShared(provision: string, citation: string): number {
  const cited = sectionsOf(citation)
  return [...sectionsOf(provision)].filter(section => cited.has(section)).length
}

function sectionsOf(text: string): Set<string> {
  const bare = text.replace(/(?<=\d[A-Z]*)\([^)]*\)/g, '')
  return new Set(bare.match(/[\w.]*\d\w*/g)?.filter(word => !/^(19|20)\d\d$/.test(word)) ?? [])
}
