import { origin, type Value } from '../model.ts'
import { isSecretName } from '../paths.ts'
import { fresh, from, oneOf, text, wholeOf } from '../values.ts'

/**
 * What a script knows at one point: its variables, its folder, its aliases. A branch works on a state of its own that
 * keeps only what it changed, so that many branches cost little; afterwards the changes are joined.
 */
export class State {
  readonly #outer: State | null
  /** Null marks a variable that was removed here. */
  readonly #own = new Map<string, Value | null>()
  readonly aliases: Map<string, string>
  /** `declare -n ref=name`: another name for a variable. */
  readonly references: Map<string, string>
  /** `declare -i name`: whatever is put into it is worked out. */
  readonly numbers: Set<string>
  /** The current folder, as far as it is known; `.` is the workspace. */
  folder: string
  /** The current folder lies somewhere below or beside the known one: `cd "$1"`. */
  lost: boolean
  /** `$1`, `$2` … inside a function that was called with known words; null at the top of the script. */
  parameters: readonly Value[] | null

  constructor(outer: State | null = null) {
    this.#outer = outer
    this.aliases = outer?.aliases ?? new Map()
    this.references = outer?.references ?? new Map()
    this.numbers = outer?.numbers ?? new Set()
    this.folder = outer?.folder ?? '.'
    this.lost = outer?.lost ?? false
    this.parameters = outer?.parameters ?? null
  }

  get(written: string): Value | undefined {
    const name = this.real(written)
    for (let state: State | null = this; state !== null; state = state.#outer) {
      const value = state.#own.get(name)
      if (value !== undefined) return value ?? undefined
    }
    return undefined
  }

  set(name: string, value: Value): void {
    this.#own.set(this.real(name), value)
  }

  unset(name: string): void {
    this.#own.set(name, null)
  }

  /** The variable that a name stands for, after `declare -n`; one name may lead to the next, in Bash eight times. */
  real(name: string): string {
    let real = name
    for (let steps = 0; steps < 8 && this.references.size > 0; steps++) real = this.references.get(real) ?? real
    return real
  }

  branch(): State {
    return new State(this)
  }

  /** After branches of this state, each variable is worth what any of the ways made of it. */
  join(ways: readonly State[], mayBeNone: boolean): void {
    const names = new Set<string>()
    for (const way of ways) for (const name of way.#own.keys()) names.add(name)
    for (const name of names) {
      let worth: Value | undefined
      let everywhere = !mayBeNone
      for (const way of ways) {
        const value = way.#own.get(name)
        if (value === undefined || value === null) everywhere = false
        else worth = worth === undefined ? value : either(worth, value)
      }
      const before = everywhere ? undefined : this.get(name)
      if (worth !== undefined) this.set(name, before === undefined ? worth : either(before, worth))
    }
    for (const way of ways) if (way.folder !== this.folder) this.folder = way.folder
    this.lost ||= ways.some(way => way.lost)
  }
}

const mostOptions = 8

/** One of two values; what is the same on both ways is no choice. */
export function either(one: Value, other: Value): Value {
  const options: Value[] = []
  for (const value of [one, other]) {
    for (const option of value.kind === 'choice' ? value.options : [value]) {
      if (!options.some(known => same(known, option))) options.push(option)
    }
  }
  const [only] = options
  if (options.length === 1 && only) return only
  return oneOf(options.slice(0, mostOptions), one.origins | other.origins)
}

export function choice(options: readonly Value[]): Value {
  let made: Value | null = null
  for (const option of options) made = made === null ? option : either(made, option)
  return made ?? from(0)
}

function same(one: Value, other: Value): boolean {
  if (one === other) return true
  if (one.kind === other.kind && wholeOf(one) !== null) return wholeOf(one) === wholeOf(other)
  return one.kind === 'unknown' && other.kind === 'unknown' && one.origins === other.origins
}

/** What a variable is worth that the script did not set itself. */
export function environment(name: string): Value {
  const known = wellKnown.get(name)
  if (known) return known
  const before = met.get(name)
  if (before) return before
  const value = from(origin.environment | (isSecretName(name) ? origin.secret : 0))
  if (met.size >= 1_000) met.clear()
  met.set(name, value)
  return value
}
/** One value for each name, so that `"$dir/a"` is the same file twice. */
const met = new Map<string, Value>()

const wellKnown = new Map<string, Value>([
  ['HOME', text('~')],
  ['PWD', text('.')],
  ['OLDPWD', text('.')],
  ['IFS', text(' \t\n')],
  ['SHELL', text('/bin/bash')],
  ['BASH', text('/bin/bash')],
  ['TMPDIR', text('/tmp')],
  ['PATH', text('/usr/local/bin:/usr/bin:/bin')],
  ['XDG_CONFIG_HOME', text('~/.config')],
  ['XDG_CACHE_HOME', text('~/.cache')],
  ['XDG_DATA_HOME', text('~/.local/share')],
  ['GNUPGHOME', text('~/.gnupg')],
  ['USER', from(origin.system)],
  ['LOGNAME', from(origin.system)],
  ['HOSTNAME', from(origin.system)],
  ['UID', from(0)],
  ['EUID', from(0)],
  // Numbers that make a name nobody else has, as `mktemp` does.
  ['RANDOM', fresh],
  ['BASHPID', fresh],
  ['SECONDS', from(0)],
  ['LINENO', from(0)],
  ['PPID', from(0)],
  ['COLUMNS', from(0)],
  ['LINES', from(0)],
  ['REPLY', from(origin.input)],
  ['BASH_SOURCE', text('./script.sh')],
  ['FUNCNAME', from(0)],
  ['BASH_VERSION', from(0)],
  ['BASH_REMATCH', from(0)],
  ['OSTYPE', from(0)],
  ['OPTARG', from(origin.input)],
  ['OPTIND', from(0)],
  ['PIPESTATUS', from(0)],
])
