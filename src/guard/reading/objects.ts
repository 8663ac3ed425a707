import { listOf } from '../lists.ts'
import type { Value } from '../model.ts'
import { from, join, number, startOf, tainted, text, thing, unknown } from '../values.ts'
import type { Library } from './library.ts'
import { anyOf, either } from './scope.ts'

/** What names of libraries mean. Programs use the same few hundred over and over; hostile ones may not fill the memory. */
const learnt = new Map<Library, Names>()
interface Names {
  readonly whole: Map<string, Meaning>
  /** By what they are members of, so that the full name need not be put together each time. */
  readonly members: Map<string, Map<string, Meaning>>
  /** Members in all. */
  count: number
}
/** A constant, or the plain name of a thing. */
interface Meaning {
  readonly value: Value | null
  readonly name: string
  readonly origins: number
}
const mostNames = 5_000

/** What is inside of things: modules, texts, lists, and the classes of the program itself. */
export class Objects {
  /** Attributes of the classes of the program, by `~Class()`. */
  readonly attributes = new Map<string, Map<string, Value>>()
  readonly bases = new Map<string, Value>()
  readonly #library: Library
  readonly #names: Names
  /** What a variable of the program is worth; `globals()['f']` is one. */
  readonly #variable: (name: string) => Value | undefined

  constructor(library: Library, variable: (name: string) => Value | undefined) {
    this.#library = library
    this.#variable = variable
    this.#names = learnt.get(library) ?? { whole: new Map(), members: new Map(), count: 0 }
    learnt.set(library, this.#names)
  }

  thing(name: string, origins = 0): Value {
    return meant(this.#names.whole.get(name) ?? this.#learn(name), origins)
  }

  #learn(name: string): Meaning {
    const { whole } = this.#names
    const canonical = this.#library.canonical(name)
    const short =
      canonical.length > 160 ? `?${canonical.slice(canonical.lastIndexOf('.', canonical.length - 40))}` : canonical
    const value = this.#library.constants.get(canonical) ?? null
    const meaning = { value, name: short, origins: value === null ? this.#library.origins(short) : 0 }
    if (whole.size >= mostNames) whole.clear()
    if (name.length <= 200) whole.set(name, meaning)
    return meaning
  }

  #member(name: string, property: string, origins: number): Value {
    const names = this.#names
    let members = names.members.get(name)
    let meaning = members?.get(property)
    if (meaning === undefined) {
      const full = `${name}.${property}`
      meaning = names.whole.get(full) ?? this.#learn(full)
      if (names.count >= mostNames) {
        names.members.clear()
        names.count = 0
        members = undefined
      }
      if (full.length <= 200) {
        if (members === undefined) {
          members = new Map()
          names.members.set(name, members)
        }
        members.set(property, meaning)
        names.count++
      }
    }
    return meant(meaning, origins)
  }

  member(value: Value, property: string): Value {
    switch (value.kind) {
      case 'thing': {
        if (value.name.startsWith('~')) return this.#attribute(value.name, property)
        if (holdsVariables.has(value.name)) {
          const known = this.#variable(property)
          if (known !== undefined) return known
        }
        return this.#member(value.name, property, value.origins)
      }
      case 'map':
        return value.entries.get(property) ?? (property === 'constructor' ? thing('Object') : from(value.origins))
      case 'choice':
        return anyOf(
          listOf(value.options, option => this.member(option, property)),
          value.origins,
        )
      case 'own':
        if (property === 'constructor') return thing('Function')
        if (property === '__globals__' || property === '__builtins__') return thing('builtins')
        return this.attributes.has(`~${value.name}()`)
          ? this.#attribute(`~${value.name}()`, property)
          : from(value.origins)
      case 'text':
        if (property === 'length') return number(value.text.length)
        if (property in partsOfAddress) return partOf(value.text, property, value.origins)
        return property === 'constructor' ? thing('String') : from(value.origins)
      case 'list':
        if (property === 'length' && !value.open) return number(value.items.length)
        return property === 'constructor' ? thing('Array') : from(value.origins)
      case 'joined':
        return property === 'href' ? value : from(value.origins)
      default:
        return from(value.origins)
    }
  }

  #attribute(instance: string, property: string): Value {
    const own = this.attributes.get(instance)?.get(property)
    if (own !== undefined) return own
    const base = this.bases.get(instance)
    if (base?.kind === 'own') return this.#attribute(`~${base.name}()`, property)
    if (base?.kind === 'thing') return this.thing(`${base.name}().${property}`, base.origins)
    return this.thing(`self.${property}`)
  }

  /** What makes an instance of a class of the program: its own function, or the class of a library that it extends. */
  makerOf(instance: string): Value | undefined {
    let at = instance
    for (let step = 0; step < 20; step++) {
      const attributes = this.attributes.get(at)
      const own = attributes?.get('__init__') ?? attributes?.get('constructor')
      if (own !== undefined) return own
      const base = this.bases.get(at)
      if (base?.kind !== 'own') return base
      at = `~${base.name}()`
    }
    return undefined
  }

  /** The class of a library at the end of what a class of the program extends. */
  libraryBase(instance: string): string | undefined {
    let base = this.bases.get(instance)
    for (let step = 0; base?.kind === 'own' && step < 20; step++) base = this.bases.get(`~${base.name}()`)
    return base?.kind === 'thing' ? base.name : undefined
  }

  index(value: Value, index: Value): Value {
    if (value.kind === 'choice') {
      return anyOf(
        listOf(value.options, option => this.index(option, index)),
        value.origins,
      )
    }
    if (index.kind === 'text') {
      if (value.kind === 'map' || value.kind === 'thing' || value.kind === 'own') return this.member(value, index.text)
      if (/^-?\d+$/.test(index.text)) return this.index(value, number(Number(index.text)))
      return this.member(value, index.text)
    }
    if (index.kind === 'number') {
      const at = index.number
      if (value.kind === 'list') return value.items.at(at) ?? from(value.origins)
      if (value.kind === 'text')
        return value.text.at(at) === undefined ? unknown : text(value.text.at(at) ?? '', value.origins)
      if (value.kind === 'map') return value.entries.get(String(at)) ?? from(value.origins)
    }
    if (value.kind === 'map') return anyOf([...value.entries.values()], value.origins | index.origins)
    if (value.kind === 'list') return anyOf(value.items, value.origins | index.origins)
    if (value.kind === 'thing' && !value.name.startsWith('~')) return this.thing(`${value.name}[]`, value.origins)
    return from(value.origins | index.origins)
  }
}

/** What `new URL(…)` says of itself; the address is kept as a text. */
const partsOfAddress = { href: 0, origin: 0, host: 0, hostname: 0 } as const

function partOf(address: string, property: string, origins: number): Value {
  const [, origin = '', host = ''] = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*))/i.exec(address) ?? []
  if (host === '') return from(origins)
  const part = property === 'href' ? address : property === 'origin' ? origin : host
  return text(property === 'hostname' ? part.replace(/:\d+$/, '') : part, origins)
}

/** The address after `url.hostname = …`: without this it would keep the host that it was made with. */
export function withPart(address: Value, property: string, value: Value): Value | null {
  if (!Object.hasOwn(partsOfAddress, property) || property === 'origin') return null
  if (property === 'href') return value
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#@]*@)?[^/?#]*(.*)$/is.exec(startOf(address)) ?? []
  if (scheme === undefined) return null
  return tainted(join([scheme, value, rest ?? '']), address.origins | value.origins)
}

const meant = (meaning: Meaning, origins: number): Value =>
  meaning.value ?? thing(meaning.name, meaning.origins | origins)

/** Objects whose members are the variables of the program. */
export const holdsVariables: ReadonlySet<string> = new Set(['builtins', 'globalThis', 'window', 'global'])

/** A value that can be a key. */
export const scalar = (value: Value): string | null =>
  value.kind === 'text' ? value.text : value.kind === 'number' ? String(value.number) : null

/** What one turn of a loop over this value sees. */
export function elementOf(value: Value): Value {
  if (value.kind === 'list')
    return value.open
      ? either(anyOf(value.items, value.origins), from(value.origins))
      : anyOf(value.items, value.origins)
  if (value.kind === 'map')
    return anyOf(
      listOf(value.entries.keys(), key => text(key)),
      value.origins,
    )
  if (value.kind === 'choice') return anyOf(listOf(value.options, elementOf), value.origins)
  return from(value.origins)
}

/** A part of a larger text cannot be several things at once; what is lost is the other options' text, not origins. */
export function firstOption(value: Value): Value {
  if (value.kind !== 'choice') return value
  const known = value.options.find(option => option.kind === 'text')
  return known === undefined ? from(value.origins) : tainted(known, value.origins)
}
