import type { Value } from '../model.ts'

/** What the evaluation knows about a language and its libraries without running them. */
export interface Library {
  /** Names that people use without (visible) import: `pd` is `pandas`. */
  readonly aliases: ReadonlyMap<string, string>
  /** Names that the language itself provides. */
  readonly builtins: ReadonlySet<string>
  /** Other spellings of a name: `builtins.eval` is `eval`, `fs/promises` is `fs.promises`. */
  canonical(name: string): string
  /** Where a named thing, or what a named call gives back, comes from. */
  origins(name: string): number
  /** What a parameter of this name usually carries: `req` a request. */
  parameterOrigins(name: string): number
  /** Registers what answers requests: the functions given to it take a request and an answer, whatever they call them. */
  isRoute(name: string): boolean
  /** Modules whose functions are called by their names, unless somebody has something to hide. */
  isPowerful(name: string): boolean
  /** Named things whose value is known: `os.sep`, `process.env.HOME`. */
  readonly constants: ReadonlyMap<string, Value>
  /** Values that can be computed before the program runs; null when these arguments cannot. */
  readonly folds: ReadonlyMap<string, Fold>
  /** Methods of known texts, lists and maps. */
  readonly methods: ReadonlyMap<string, Fold>
  /** Calls whose result no longer carries what went in: numbers, quoting, hashes. */
  readonly cleans: ReadonlySet<string>
  /** Modules that reach beyond the program; whoever calls into one has it, whether or not it was imported here. */
  readonly reaching: ReadonlySet<string>
  /** Joins paths with `/`, as `pathlib` does. */
  readonly slashJoins: boolean
}

export interface Folding {
  readonly args: readonly Value[]
  readonly named: ReadonlyMap<string, Value>
  readonly receiver: Value | null
  /** Calls a function of the program, or names what a library function would give back. */
  apply(fn: Value, args: readonly Value[], named?: ReadonlyMap<string, Value>): Value
  /** A function that is put together here and called later: `attrgetter('system')`, `partial(run, shell=True)`. */
  prepare(run: (args: readonly Value[], named: ReadonlyMap<string, Value>) => Value): Value
  /** The attribute `name` of `value`. */
  member(value: Value, name: string): Value
  /** Notes that a module was loaded by a call. */
  imported(module: string): Value
}

export type Fold = (call: Folding) => Value | null
