/**
 * A detector is data: how a candidate looks, what confirms it, which words near it speak for it, how sure that makes
 * us, and examples that are its tests. Adding an entity is adding a row.
 */
export interface Detector {
  /** Kebab case, unique: what the redaction view names. */
  readonly rule: string
  /** Upper snake case: what the token is called after. */
  readonly type: string
  readonly title: string
  readonly find: Find
  /** How sure a confirmed candidate is by itself. Below `reported` it needs a context word. */
  readonly score: number
  /** How sure it is with a context word near. */
  readonly near?: number
  /** How sure it is when the whole text is nothing else: a form field, a cell, an answer. */
  readonly alone?: number
  /** Words that speak for it, in the 80 characters before or the 40 after; matched in lower case between non-letters. */
  readonly context?: readonly string[]
  /** The last word: checksum or parser. Gets letters and digits only (upper case) for shapes and labels, the match for patterns. */
  readonly valid?: (value: string) => boolean
  readonly examples: Examples
}

/**
 * How the scanner finds candidates:
 * - `shapes`: templates such as `999-99-9999` or `AA999999A`; `9` is a digit, `A` a letter, the rest separators;
 * - `prefixes`: a literal at the start of a word, then a sticky pattern from there on;
 * - `words`: any word with a digit, so many characters long, then a sticky pattern from its start;
 * - `label`: any code right behind one of these words (`claim no. …`, `account: …`), in whatever groups it is written;
 * - `finder`: one of the hand-written finders (`scanner/finders`), for what has no fixed start.
 */
export type Find =
  | { readonly by: 'shapes'; readonly shapes: readonly string[] }
  | {
      readonly by: 'prefixes'
      readonly prefixes: readonly string[]
      readonly pattern: RegExp
      /** Only so many characters at the end are the value; what is before them announces it. */
      readonly last?: number
    }
  | {
      readonly by: 'words'
      /** Characters that it can start with. */
      readonly starts: string
      readonly shortest: number
      readonly longest: number
      readonly pattern: RegExp
      /** What its first characters are at most: `9` a digit, `A` a letter, `*` anything. Nearly all words differ there. */
      readonly looks?: string
    }
  | { readonly by: 'label'; readonly labels: readonly string[] }
  | { readonly by: 'finder' }

export interface Examples {
  readonly found: readonly string[]
  readonly ignored: readonly string[]
}

/** Findings below this score are not reported. */
export const reported = 0.5

export const shapes = (...list: string[]): Find => ({ by: 'shapes', shapes: list })
export const finder: Find = { by: 'finder' }
export const label = (labels: string): Find => ({ by: 'label', labels: words(labels) })

/** Words for a context or a label, written with commas between them. */
export const words = (list: string): readonly string[] => list.split(', ')

/** All ways in which groups are written: `3-2-4` → `999-99-9999`, `999 99 9999` … for each separator given. */
export const grouped = (lengths: readonly number[], separators: readonly string[]): string[] =>
  separators.map(separator => lengths.map(length => '9'.repeat(length)).join(separator))
