import type { Effect } from '../effect.ts'
import type { Call, Embedded, Value } from '../model.ts'
import { joinPaths } from '../reading/arithmetic.ts'
import { codeOf, startOf, textOf, unknown } from '../values.ts'
import { arg, optionOf } from './make.ts'

/**
 * Where the program stands. `os.chdir('/etc'); os.remove('passwd')` removes a file of the system, by a name that looks
 * like one of the workspace; after a move to a folder that nobody knows, no such name is known either.
 */
export class Folder {
  #at: Value | null = null

  /** Looks at a call that may move the program. */
  follow(call: Call): void {
    if (!moves.has(call.name)) return
    const to = arg(0, 'path')(call) ?? unknown
    this.#at = this.#at === null || isAbsolute(to) ? to : below(this.#at, to)
  }

  /** The effect with the path that it has from here. */
  placed(effect: Effect): Effect {
    if (this.#at === null || moves.has(effect.call?.name ?? '') || !isOfFiles.has(effect.kind)) return effect
    const { target } = effect
    if ((target.kind !== 'text' && target.kind !== 'joined') || isAbsolute(target)) return effect
    return { ...effect, target: below(this.#at, target) }
  }

  /** A command works where the program stands, or in the folder that the call names. */
  within(embedded: Embedded, call: Call | null): Embedded {
    if (embedded.language !== 'bash') return embedded
    const named = call === null ? undefined : (call.named.get('cwd') ?? optionOf(call, 'cwd'))
    const given = named === undefined || named.kind === 'nothing' ? null : named
    const at = given === null ? this.#at : this.#at === null || isAbsolute(given) ? given : below(this.#at, given)
    if (at === null || textOf(at) === '.') return embedded
    const folder = codeOf(at, 'bash')
    const word = textOf(at) === null || folder === null ? '"$folder"' : `'${folder.replaceAll("'", `'\\''`)}'`
    return { ...embedded, code: `cd ${word.replace(/^'~\//, `~/'`)}\n${embedded.code}` }
  }
}

const moves = new Set([
  'os.chdir',
  'os.fchdir',
  'os.chroot',
  'contextlib.chdir',
  'process.chdir',
  'Deno.chdir',
  'shelljs.cd',
])
const isOfFiles: ReadonlySet<Effect['kind']> = new Set(['read', 'write', 'delete'] as const)

const isAbsolute = (value: Value): boolean => /^(\/|~|[a-z]:[\\/]|\w+:\/\/)/i.test(startOf(value))

/** A path below a folder that is not known is not known. */
const below = (folder: Value, path: Value): Value =>
  folder.kind === 'text' || folder.kind === 'joined' ? joinPaths([folder, path]) : unknown
