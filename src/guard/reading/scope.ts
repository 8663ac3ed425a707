import type { Value } from '../model.ts'
import { from, oneOf } from '../values.ts'

/** Names and what they are worth, inner scopes first. */
export class Scope {
  readonly variables = new Map<string, Value>()
  readonly parent: Scope | null
  /** Names that `global` or `nonlocal` hands to an outer scope. */
  readonly outer = new Set<string>()

  constructor(parent: Scope | null) {
    this.parent = parent
  }

  find(name: string): Value | undefined {
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      const value = scope.variables.get(name)
      if (value !== undefined) return value
    }
    return undefined
  }

  /** The scope that already has the name, or null. */
  owner(name: string): Scope | null {
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      if (scope.variables.has(name)) return scope
    }
    return null
  }
}

const most = 6

/** One of two values, depending on the way taken. */
export function either(one: Value | undefined, other: Value): Value {
  if (one === undefined || same(one, other)) return other
  const options: Value[] = []
  for (const value of [one, other]) {
    for (const option of value.kind === 'choice' ? value.options : [value]) {
      if (!options.some(known => same(known, option))) options.push(option)
    }
  }
  if (options.length === 1 && options[0]) return options[0]
  const origins = one.origins | other.origins
  return options.length > most ? from(origins) : oneOf(options, origins)
}

/** Picks one of many, e.g. the element of a list that a loop is at. */
export function anyOf(values: readonly Value[], origins: number): Value {
  if (values.length === 0) return from(origins)
  if (values.length > 16) return from(values.reduce((all, value) => all | value.origins, origins))
  const options: Value[] = []
  for (const value of values) if (!options.some(known => same(known, value))) options.push(value)
  const [first] = options
  if (options.length === 1 && first) return first
  return oneOf(
    options,
    options.reduce((all, value) => all | value.origins, origins),
  )
}

export function same(one: Value, other: Value): boolean {
  if (one === other) return true
  if (one.kind !== other.kind || one.origins !== other.origins) return false
  switch (one.kind) {
    case 'text':
      return other.kind === 'text' && one.text === other.text
    case 'number':
      return other.kind === 'number' && one.number === other.number
    case 'boolean':
      return other.kind === 'boolean' && one.boolean === other.boolean
    case 'thing':
      return other.kind === 'thing' && one.name === other.name
    case 'own':
      return other.kind === 'own' && one.id === other.id
    case 'nothing':
    case 'unknown':
      return true
    default:
      return false
  }
}
