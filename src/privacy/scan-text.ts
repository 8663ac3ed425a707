import type { Finding } from '../contract/privacy.ts'
import { detectors } from './detectors/detectors.ts'
import { resolve } from './scanner/resolve.ts'
import { Scanner, type ScanOptions } from './scanner/scanner.ts'
import { findInTables } from './tables.ts'

let shared: Scanner | null = null

/** The scanner with all detectors, made at first use. */
export function defaultScanner(): Scanner {
  shared ??= new Scanner(detectors)
  return shared
}

/** What is found in a whole text; tables are also read by the names of their columns. */
export function scanText(text: string, options?: ScanOptions): Finding[] {
  const found = defaultScanner().scan(text, options)
  const inTables = findInTables(text, options?.least)
  return inTables.length > 0 ? resolve([...found, ...inTables]) : found
}
