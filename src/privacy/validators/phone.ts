import { createRequire } from 'node:module'

/** What this file reads of libphonenumber's metadata: calling codes, and by country a pattern and the lengths in use. */
interface Metadata {
  country_calling_codes: Record<string, string[]>
  countries: Record<string, [code: string, prefix: unknown, pattern: string, lengths: number[], ...rest: unknown[]]>
  nonGeographic: Record<string, [code: string, prefix: unknown, pattern: string, lengths: number[], ...rest: unknown[]]>
}

interface Plan {
  readonly pattern: RegExp
  readonly lengths: readonly number[]
}

let plans: Map<string, readonly Plan[]> | null = null

/**
 * Numbering plans by calling code. Loaded at the first candidate: most texts have none, and a command that scans a
 * file should not wait for them. The library's own parser takes microseconds a number; its data alone is enough here.
 */
function load(): Map<string, readonly Plan[]> {
  const metadata = createRequire(import.meta.url)('libphonenumber-js/metadata.min.json') as Metadata
  const loaded = new Map<string, readonly Plan[]>()
  const plan = (entry: Metadata['countries'][string]): Plan => ({
    pattern: new RegExp(`^(?:${entry[2]})$`),
    lengths: entry[3],
  })
  for (const [code, countries] of Object.entries(metadata.country_calling_codes)) {
    loaded.set(
      code,
      countries.flatMap(country => (metadata.countries[country] ? [plan(metadata.countries[country])] : [])),
    )
  }
  for (const [code, entry] of Object.entries(metadata.nonGeographic)) loaded.set(code, [plan(entry)])
  return loaded
}

/** Digits after `+` or `00`, with the country's calling code first. */
export function isInternational(digits: string): boolean {
  plans ??= load()
  for (let length = 1; length <= 3; length++) {
    const found = plans.get(digits.slice(0, length))
    if (found) {
      const national = digits.slice(length)
      if (length === 1 && digits[0] === '1') return isNorthAmerican(national)
      // Until 2019 a 1 was dialled before mobile numbers in Mexico, and it is still written.
      if (/^521\d{10}$/.test(digits)) return isInternational(`52${digits.slice(3)}`)
      return found.some(plan => plan.lengths.includes(national.length) && plan.pattern.test(national))
    }
  }
  return false
}

/** As above by its length alone: plans grow, and a metadata file is as old as its release. Nobody dials 12345678. */
export function isPossible(digits: string): boolean {
  plans ??= load()
  if (digits[0] === '1' || /(\d)\1{6}/.test(digits)) return false
  for (let length = 2; length <= 3; length++) {
    const found = plans.get(digits.slice(0, length))
    if (found) return found.some(plan => plan.lengths.includes(digits.length - length))
  }
  return false
}

/**
 * North American numbers: neither area nor exchange begins with 0 or 1, nor is either a service code. The area 555 is
 * nobody's, and what everyone writes for a number that is nobody's business.
 */
export const isNorthAmerican = (digits: string): boolean =>
  /^1?(?:555[1-9]|[2-9]\d{2}[2-9])\d{6}$/.test(digits) &&
  !/^1?(?:[2-9]11|\d{3}[2-9]11)/.test(digits) &&
  !/^1?(\d)\1{9}$/.test(digits)
