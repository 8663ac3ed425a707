import { origin, type Value } from '../model.ts'
import type { Fold, Library } from './library.ts'

/** Rounding a number makes it no harder to guess; written so that it fits into an address, a secret is still one. */
const quotes = /encode|quote|escape/i
const told = origin.random | origin.secret | origin.file | origin.system | origin.environment

/** For calls without named arguments, which are most. */
export const noNamed: ReadonlyMap<string, Value> = new Map()

/** What a library says of a name that is called. */
export interface Callee {
  /** Where what it gives back comes from. */
  readonly given: number
  readonly fold: Fold | undefined
  /** The fold of a method of this name, whatever it is called on. */
  readonly method: Fold | undefined
  /** What still comes out of a call that cleans what goes in; null for all others. */
  readonly kept: number | null
  /** The name of what it gives back; null when nobody knows what was called. */
  readonly result: string | null
}

const all = new Map<Library, Callees>()

/** Looks names up once: programs call the same few hundred over and over; hostile ones may not fill the memory. */
export class Callees {
  readonly #library: Library
  readonly #known = new Map<string, Callee>()

  constructor(library: Library) {
    this.#library = library
  }

  static of(library: Library): Callees {
    const known = all.get(library) ?? new Callees(library)
    all.set(library, known)
    return known
  }

  named(name: string): Callee {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const { origins, folds, methods, cleans } = this.#library
    const method = name.slice(name.lastIndexOf('.') + 1)
    const callee: Callee = {
      given: origins(`${name}()`),
      fold: folds.get(name),
      method: methods.get(method),
      kept: cleans.has(name) || cleans.has(`*.${method}`) ? (quotes.test(method) ? told : origin.random) : null,
      result: name.startsWith('?') ? null : `${name}()`,
    }
    if (this.#known.size >= 5_000) this.#known.clear()
    if (name.length <= 200) this.#known.set(name, callee)
    return callee
  }
}
