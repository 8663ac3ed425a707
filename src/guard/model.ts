import type { Language } from '../contract/run.ts'
import type { Block } from './syntax.ts'

/**
 * The one model of a program that rules match on, whatever language it was written in.
 *
 * A front end reads source text into a `Program`: every call with the name that the callee really has (`s(x)` after
 * `from os import system as s` is `os.system`; `getattr(os, 'sys' + 'tem')` too; in a shell the command after quote
 * removal and aliases: `r""m` is `rm`), with its arguments folded to constants as far as they can be known before the
 * program runs, and with the origins of what cannot be known (a request, a download, a secret). A front end decides
 * nothing about danger: it pushes facts in source order, keeps every unresolved thing as an `unknown` value instead of
 * leaving it out, never throws on any text, never recurses deeper than its own cap, and sets `complete` to false
 * (with a `problem`) wherever it could not read on. Effects on files, hosts and commands are not its business either:
 * the tables in `effects/` derive them from calls and redirections. Code inside code (`bash -c '…'`, `os.system('…')`,
 * a here-document for `python`) is listed in `embedded`, or derived from calls by `effects/`, and read in turn by the
 * front end of its own language.
 */
export interface Program {
  readonly language: Language
  readonly source: string
  readonly calls: Call[]
  readonly imports: Import[]
  readonly assignments: Assignment[]
  readonly texts: Text[]
  readonly marks: Mark[]
  /** Shell only: commands joined by `|`, first to last. Every member is in `calls` too. */
  readonly pipelines: Pipeline[]
  /** Shell only: `>`, `>>`, `<`, here-documents and here-strings. */
  readonly redirections: Redirection[]
  readonly embedded: Embedded[]
  readonly problems: Problem[]
  /** The statements themselves, for who asks what names they read and write; a shell script has none. */
  body?: Block
  /** Cyclomatic complexity of the whole text: 1 + decisions. */
  complexity: number
  /** False when something could not be read: a syntax error, a depth or size limit. */
  complete: boolean
}

/** Offsets in UTF-16 units into `Program.source`; the end is exclusive. Lines and columns are made when reported. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Where a value comes from when its content is not known. A bit set, so that joining two values joins their origins. */
export const origin = {
  none: 0,
  /** A web request: query, body, headers, cookies, path parameters. */
  request: 1,
  /** The person or caller who started the program: arguments, standard input, prompts. */
  input: 2,
  environment: 4,
  /** Content of a file, variable or store that holds credentials. */
  secret: 8,
  /** Bytes that came over the network. */
  download: 16,
  /** A parameter of the function at hand, whose callers are not known. */
  parameter: 32,
  /** Went through base64, hex, a cipher, a decompressor, character arithmetic: what it says cannot be read. */
  decoded: 64,
  /** Content of an ordinary file. */
  file: 128,
  /** A generator that can be predicted. */
  random: 256,
  /** Facts about the machine: user name, host name, address, process list. */
  system: 512,
  /** Words that a shell script read from its input. */
  line: 1024,
} as const

/** What an expression is worth before the program runs. `origins` is the union over everything that flowed into it. */
export type Value =
  | { readonly kind: 'text'; readonly text: string; readonly origins: number }
  /** Text of which only some parts are known: `f"rm {x}"` is `['rm ', unknown]`. */
  | { readonly kind: 'joined'; readonly parts: readonly (string | Value)[]; readonly origins: number }
  | { readonly kind: 'number'; readonly number: number; readonly origins: number }
  | { readonly kind: 'boolean'; readonly boolean: boolean; readonly origins: number }
  | { readonly kind: 'nothing'; readonly origins: number }
  /** `open` means that there are more items than those listed. */
  | { readonly kind: 'list'; readonly items: readonly Value[]; readonly open: boolean; readonly origins: number }
  | {
      readonly kind: 'map'
      readonly entries: ReadonlyMap<string, Value>
      readonly open: boolean
      readonly origins: number
    }
  /**
   * Something the language or a library provides, by its full name: `os.system`, `child_process.exec`. What a call
   * gives back is named after the call: `requests.Session()`, so that its method is `requests.Session().get`.
   */
  | { readonly kind: 'thing'; readonly name: string; readonly origins: number }
  /** A function or class of the program itself; `id` finds its body in the front end that made it. */
  | { readonly kind: 'own'; readonly name: string; readonly id: number; readonly origins: number }
  /** One of these, depending on the way that was taken. Calls are listed once per option, so rules never meet it. */
  | { readonly kind: 'choice'; readonly options: readonly Value[]; readonly origins: number }
  /** Letters that only the run will choose, such as nobody else's name has: out of `mktemp`, `$$`. */
  | { readonly kind: 'fresh'; readonly origins: number }
  | { readonly kind: 'unknown'; readonly origins: number }

export interface Call extends Span {
  /**
   * The callee: `os.system`, `eval` (also as `builtins.eval` or `globalThis.eval`), `sqlite3.connect().execute`, in a
   * shell `rm`. A method of something unknown starts with `?`: `?.execute`; a callee that is wholly unknown is `?`; a
   * function that the program defines itself starts with `~`, so that an own `exec` is not taken for the real one.
   */
  readonly name: string
  /** What the method is called on; for a shell null. */
  readonly receiver: Value | null
  /** Positional arguments; in a shell every word after the command. */
  readonly args: readonly Value[]
  /** Python's keyword arguments. JavaScript's option objects stay a `map` in `args`. */
  readonly named: ReadonlyMap<string, Value>
  /** True for `new X()`. */
  readonly made: boolean
  /** Not called here but given to someone who will call it: `map(os.system, commands)`. */
  readonly handed?: boolean
  /** Inside a loop: what it does, it does many times. */
  readonly inLoop: boolean
  /** Shell: variables set for this command only (`LD_PRELOAD=x cmd`). */
  readonly settings?: ReadonlyMap<string, Value> | undefined
  /** Shell: how the command stands: in the background, as a substitution `$(…)`, in a function that calls itself. */
  readonly background?: boolean
  readonly substitution?: boolean
  /** Shell: the words as one line, once somebody has asked for it. */
  line?: string | undefined
  /** The name of the function of the program in which the call stands, or null at the top. */
  readonly within: string | null
}

export interface Import extends Span {
  /** The module as written: `os.path`, `child_process` (a `node:` prefix is removed), in a shell the sourced file. */
  readonly module: string
  /** Names taken from it; empty for the whole module. */
  readonly names: readonly string[]
}

/** A name, field, element, parameter default or named argument that receives a value. */
export interface Assignment extends Span {
  /** As written, with the dots: `password`, `self.token`, `el.innerHTML`, `app.config.SECRET_KEY`, `PATH`. */
  readonly target: string
  readonly value: Value
  readonly how: 'assign' | 'default' | 'named' | 'entry' | 'compare' | 'export'
}

/** A string in the source, decoded. */
export interface Text extends Span {
  readonly text: string
  /** `docstring` stands alone as a statement and does nothing. */
  readonly role: 'value' | 'docstring' | 'comment' | 'regex'
}

/** A construct that no call shows. */
export interface Mark extends Span {
  readonly kind:
    | 'assert'
    | 'silent-catch'
    | 'endless-loop'
    | 'fork-bomb'
    | 'bare-debugger'
    | 'dynamic-import'
    | 'function-from-text'
    | 'unverified-redirect'
    | 'disabled-history'
    | 'subshell'
    /** A name in letters or escapes that the interpreter reads as others. */
    | 'disguised-name'
    /** A function of a powerful module, called by a name that is put together or looked up. */
    | 'built-name'
    /** A request chooses the member that is called (`detail` ends in `()`) or written. */
    | 'chosen-name'
    /** A loop over all variables of the environment. */
    | 'walked-environment'
  readonly detail: string
}

export interface Pipeline extends Span {
  readonly calls: readonly Call[]
}

export interface Redirection extends Span {
  /** `>`, `>>`, `<`, `<<`, `<<<`, `>&`, `&>`, `<>` …, without the file descriptor. */
  readonly operator: string
  /** The file, or for a here-document and a here-string its text. */
  readonly target: Value
  /** The command that it belongs to; null for `> file` alone. */
  readonly call: Call | null
}

/** Code in another (or the same) language that this program hands to an interpreter. */
export interface Embedded extends Span {
  readonly language: Language
  /** Unknown parts are replaced by a word that stands for them, see `codeOf` in `values.ts`. */
  readonly code: string
  /** How it gets there, in words for the reader: `os.system`, `bash -c`. */
  readonly via: string
}

export interface Problem extends Span {
  readonly kind: 'syntax' | 'depth' | 'size' | 'encoding'
  readonly message: string
}

/** Reads one language. The table `frontEnds` in `front-ends.ts` is total over `Language`. */
export interface FrontEnd {
  /** Loads the grammar that some texts need. */
  prepare(): Promise<void>
  /** Never throws, whatever the text. Null when it needs a grammar that is not loaded yet. */
  read(source: string, language: Language): Program | null
}

export function emptyProgram(language: Language, source: string): Program {
  return {
    language,
    source,
    calls: [],
    imports: [],
    assignments: [],
    texts: [],
    marks: [],
    pipelines: [],
    redirections: [],
    embedded: [],
    problems: [],
    complexity: 1,
    complete: true,
  }
}
