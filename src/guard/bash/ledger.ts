import { listOf } from '../lists.ts'
import type { Call, Program, Value } from '../model.ts'
import { fromSketch, list, sketch, text, unknown, wholeOf } from '../values.ts'
import type { Standing } from './reading.ts'

/** Where in the script a call is put down. */
export interface Place {
  readonly inLoop: boolean
  readonly within: string | null
  readonly substitution: boolean
  readonly folder: string
  readonly lost: boolean
}

/** Puts calls down, with what tables and rules want to know of them besides their words: see `facts.ts`. */
export class Ledger {
  readonly program: Program
  /** Files that the script wrote itself, with what it wrote where that is known. */
  readonly written = new Map<string, Value>()
  /** The same files as values: two parts that are not known look alike in a sketch. */
  readonly #targets = new Map<string, Value[]>()

  constructor(program: Program) {
    this.program = program
  }

  wrote(path: string, target: Value): void {
    const targets = this.#targets.get(path)
    if (targets === undefined) this.#targets.set(path, [target])
    else if (targets.length < mostAlike) targets.push(target)
  }

  /** One call for each way that its arguments may go. */
  put(name: string, args: readonly Value[], standing: Standing, place: Place, path: string | undefined): Call {
    let most = 1
    for (const arg of args) if (arg.kind === 'choice') most = Math.max(most, arg.options.length)
    const first = this.#call(name, most === 1 ? args : taken(args, 0), standing, place, path)
    this.program.calls.push(first)
    for (let way = 1; way < most; way++)
      this.program.calls.push(this.#call(name, taken(args, way), standing, place, path))
    // Notes such as `carried.tar` are no members of a pipeline.
    if (!name.includes('.') || name.startsWith('./') || name === '.') standing.last.call = first
    return first
  }

  #call(name: string, args: readonly Value[], standing: Standing, place: Place, path: string | undefined): Call {
    return {
      name,
      receiver: null,
      args,
      named: this.#facts(name, args, standing, place, path),
      made: false,
      handed: false,
      inLoop: place.inLoop,
      settings: standing.settings,
      background: standing.background,
      substitution: place.substitution,
      line: undefined,
      within: place.within,
      start: standing.at.start,
      end: standing.at.end,
    }
  }

  #facts(
    name: string,
    args: readonly Value[],
    { input }: Standing,
    { folder, lost }: Place,
    path: string | undefined,
  ): ReadonlyMap<string, Value> {
    const own = removers.has(name)
      ? args.filter(arg => this.#targets.get(sketch(arg) ?? '')?.some(target => isSameFile(target, arg)))
      : []
    if (path === undefined && input === undefined && folder === '.' && !lost && own.length === 0) return noFacts
    const facts = new Map<string, Value>()
    if (path !== undefined) facts.set('path', fromSketch(path))
    if (input !== undefined) facts.set('input', input)
    if (folder !== '.') facts.set('folder', fromSketch(folder))
    if (lost) facts.set(lostFolder, text(''))
    if (own.length > 0) facts.set('made', list(own))
    return facts
  }
}

/** A hostile script may write to many files that look alike. */
const mostAlike = 16

/** Two values with the same sketch mean the same file when what is not known of them is the same value. */
function isSameFile(one: Value, other: Value): boolean {
  if (one.kind !== 'joined' || other.kind !== 'joined') return one.kind === other.kind
  return one.parts.every((part, at) => {
    const match = other.parts[at]
    return part === match || (typeof part === 'object' && typeof match === 'object' && wholeOf(part) !== null)
  })
}

const taken = (args: readonly Value[], way: number): Value[] =>
  listOf(args, arg => (arg.kind === 'choice' ? (arg.options[way % arg.options.length] ?? unknown) : arg))

const removers = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv', 'truncate'])
/** The fact that a call runs in a folder of which nothing is known. */
export const lostFolder = 'folder.lost'
const noFacts: ReadonlyMap<string, Value> = new Map()
