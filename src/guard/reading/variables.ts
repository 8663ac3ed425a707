import type { Value } from '../model.ts'
import { either, Scope } from './scope.ts'

/** What the variables are worth now, and what they may be worth after code that may or may not run. */
export class Variables {
  scope = new Scope(null)
  /** True where an assignment in a function makes a name of that function, as in Python. */
  readonly #functionScoped: boolean
  /** The values before the way at hand, of what it has changed. */
  #journal: Map<Scope, Map<string, Value | undefined>> | null = null

  constructor(functionScoped: boolean) {
    this.#functionScoped = functionScoped
  }

  /** True inside code that may not run, or may run more than once. */
  get uncertain(): boolean {
    return this.#journal !== null
  }

  /** Runs `inside` in a scope of its own below `parent`; what it changes further out stays changed. */
  inScope<T>(parent: Scope, inside: (scope: Scope) => T): T {
    const before = this.scope
    this.scope = new Scope(parent)
    const result = inside(this.scope)
    this.scope = before
    return result
  }

  /** Each way starts from the same variables; afterwards a variable is worth what any of the ways left in it. */
  ways(ways: readonly (() => void)[], exhaustive: boolean): void {
    const outer = this.#journal
    const ends = new Map<Scope, Map<string, Value[]>>()
    const before = new Map<Scope, Map<string, Value | undefined>>()
    for (const way of ways) {
      const journal = new Map<Scope, Map<string, Value | undefined>>()
      this.#journal = journal
      way()
      for (const [scope, names] of journal) {
        for (const [name, old] of names) {
          const end = scope.variables.get(name)
          if (end !== undefined) nested(ends, scope, name, []).push(end)
          nested(before, scope, name, old)
          if (old === undefined) scope.variables.delete(name)
          else scope.variables.set(name, old)
        }
      }
    }
    this.#journal = outer
    for (const [scope, names] of ends) {
      for (const [name, values] of names) {
        const old = before.get(scope)?.get(name)
        let merged: Value | undefined = exhaustive && values.length === ways.length ? undefined : old
        for (const value of values) merged = either(merged, value)
        if (merged !== undefined) this.put(scope, name, merged)
      }
    }
  }

  put(scope: Scope, name: string, value: Value): void {
    const journal = this.#journal
    if (journal !== null) {
      let names = journal.get(scope)
      if (names === undefined) {
        names = new Map()
        journal.set(scope, names)
      }
      if (!names.has(name)) names.set(name, scope.variables.get(name))
    }
    scope.variables.set(name, value)
  }

  set(name: string, value: Value, declares: boolean): void {
    let scope: Scope | null = this.scope
    if (scope.outer.has(name)) scope = scope.parent?.owner(name) ?? scope.parent
    else if (!declares && !this.#functionScoped) scope = scope.owner(name)
    this.put(scope ?? this.scope, name, value)
  }

  /** The variable holds something else from here on, wherever it was declared. */
  change(name: string, value: Value): void {
    this.put(this.scope.owner(name) ?? this.scope, name, value)
  }
}

function nested<T>(maps: Map<Scope, Map<string, T>>, scope: Scope, name: string, fresh: T): T {
  let names = maps.get(scope)
  if (names === undefined) {
    names = new Map()
    maps.set(scope, names)
  }
  const known = names.get(name)
  if (known !== undefined || names.has(name)) return known as T
  names.set(name, fresh)
  return fresh
}
