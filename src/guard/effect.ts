import type { Language } from '../contract/run.ts'
import type { Call, Embedded, Import, Program, Redirection, Span, Value } from './model.ts'

/**
 * What a call or a redirection does to the world, apart from whether that is bad: `open('data.csv')` reads a file and
 * breaks no rule. Rules about paths, hosts and commands match on effects, and so are written once for all languages;
 * the impact assessment is the list of effects.
 */
export const effectKinds = ['read', 'write', 'delete', 'connect', 'run', 'modify'] as const
export type EffectKind = (typeof effectKinds)[number]

export interface Effect extends Span {
  /** Files read, written, deleted; a host connected to; a command run; rows or tables modified. */
  readonly kind: EffectKind
  /** The path, URL or host, command line, or statement. Unknown stays unknown: it is listed, never dropped. */
  readonly target: Value
  readonly call: Call | null
  /** A loop, a glob, a recursive call: more than one thing is touched. */
  readonly many: boolean
  /** What is written or sent, where the call says so. */
  readonly payload?: Value | undefined
  /** Nothing that was there before is lost: append, create, a temporary file that the program made itself. */
  readonly harmless?: boolean | undefined
}

/** What a table may say of an effect besides its target. */
export type More = Partial<Pick<Effect, 'many' | 'payload' | 'harmless'>>

/** All effects have the same fields in the same order, as values have, so that what reads them is compiled once. */
export const effectAt = (
  kind: EffectKind,
  target: Value,
  call: Call | null,
  { start, end }: Span,
  many: boolean,
  more: More = nothingMore,
): Effect => ({
  kind,
  target,
  call,
  many: more.many ?? many,
  payload: more.payload,
  harmless: more.harmless,
  start,
  end,
})
const nothingMore: More = {}

/** Says what one call does. Tables are keyed by call name; a name may be `*.execute` (any receiver) or `shutil.*`. */
export type EffectOf = (call: Call) => Effect[]

export interface EffectTable {
  readonly languages: readonly Language[]
  readonly calls: Readonly<Record<string, EffectOf>>
  /** Of what no table can list by name; asked after what the table says of the call. */
  readonly others?: { readonly about: (name: string) => boolean; readonly effects: EffectOf }
  readonly redirection?: (redirection: Redirection, program: Program) => Effect[]
  /** What it takes to load a module. */
  readonly imported?: (imported: Import) => Effect[]
  /** Code that a call hands to an interpreter, to be read in turn. Keyed like `calls`. */
  readonly embeds?: Readonly<Record<string, (call: Call) => Embedded[]>>
}
