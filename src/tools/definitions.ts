import type { KnownTool, ToolGrant } from '../contract/tools.ts'

/**
 * Prints the schema of a tool as a type, for the editor. Schemas are a server's word: references lead nowhere but into
 * the schema itself, depth, width and length are bounded, and every name and value is quoted or left out. What is printed
 * is shown and never run.
 */
export function printedFor(
  calledAs: ToolGrant['calledAs'],
  input: unknown,
  output: unknown,
): Pick<KnownTool, 'typescript' | 'python'> {
  const [takes, gives] = [new Printer(input, typescript), new Printer(output, typescript)]
  const [takesPy, givesPy] = [new Printer(input, python), new Printer(output, python)]
  const optional = requiredOf(input).length === 0 ? '?' : ''
  const name = `tools.${calledAs.server}.${calledAs.tool}`
  return {
    typescript: `${name}(args${optional}: ${takes.whole()}): Promise<${output ? gives.whole() : 'any'}>`,
    python: `${name}(${takesPy.whole()}) -> ${output ? givesPy.whole() : 'Any'}`,
  }
}

const maxDepth = 8
const maxMembers = 60
const maxChars = 4000

/** As both languages read it, with nothing in it that hides or turns text around. */
const quoted = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\P{C}\n]|(?! )\p{Z}/gu, character =>
    [...Array(character.length).keys()]
      .map(at => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )

interface Words {
  readonly any: string
  readonly nothing: string
  readonly names: Readonly<Record<string, string>>
  list(item: string): string
  either(types: readonly string[]): string
  both(types: readonly string[]): string
  literal(value: unknown): string
  object(members: readonly Member[]): string
  record(value: string): string
}

interface Member {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
}

const typescript: Words = {
  any: 'any',
  nothing: 'null',
  names: { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' },
  list: item => (/[ |&]/.test(item) ? `(${item})[]` : `${item}[]`),
  either: types => types.join(' | '),
  both: types => types.join(' & '),
  literal: quoted,
  object: members =>
    members.length === 0
      ? '{}'
      : `{ ${members.map(({ name, type, isOptional }) => `${isName(name) ? name : quoted(name)}${isOptional ? '?' : ''}: ${type}`).join('; ')} }`,
  record: value => `Record<string, ${value}>`,
}

const python: Words = {
  any: 'Any',
  nothing: 'None',
  names: { string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None' },
  list: item => `list[${item}]`,
  either: types => types.join(' | '),
  both: types => types[0] ?? 'Any',
  literal: value =>
    `Literal[${value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : quoted(value)}]`,
  object: members =>
    `{${members.map(({ name, type, isOptional }) => `${quoted(name)}: ${isOptional ? `NotRequired[${type}]` : type}`).join(', ')}}`,
  record: value => `dict[str, ${value}]`,
}

class Printer {
  readonly #root: unknown
  readonly #words: Words
  #room = maxChars

  constructor(root: unknown, words: Words) {
    this.#root = root
    this.#words = words
  }

  whole(): string {
    return this.#print(this.#root, 0)
  }

  #print(schema: unknown, depth: number): string {
    const words = this.#words
    if (depth > maxDepth || this.#room <= 0 || !isObject(schema)) return words.any
    const printed = this.#type(schema, depth + 1)
    this.#room -= printed.length
    return this.#room > 0 ? printed : words.any
  }

  #type(schema: Schema, depth: number): string {
    const words = this.#words
    const { $ref, enum: values, anyOf, oneOf, allOf, type } = schema
    if (typeof $ref === 'string') return this.#print(this.#resolve($ref), depth)
    if ('const' in schema) return literalOr(words, schema.const)
    if (Array.isArray(values)) return this.#either(values.slice(0, maxMembers).map(each => literalOr(words, each)))
    const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null
    if (choices) return this.#either(choices.slice(0, maxMembers).map(each => this.#print(each, depth)))
    if (Array.isArray(allOf) && type === undefined)
      return words.both(allOf.slice(0, maxMembers).map(each => this.#print(each, depth)))
    if (Array.isArray(type))
      return this.#either(type.slice(0, maxMembers).map(each => this.#print({ ...schema, type: each }, depth)))
    if (type === 'array') return words.list(this.#print(schema.items, depth))
    if (type === 'object' || isObject(schema.properties)) return this.#object(schema, depth)
    return typeof type === 'string' && Object.hasOwn(words.names, type) ? (words.names[type] ?? words.any) : words.any
  }

  #object(schema: Schema, depth: number): string {
    const { properties, additionalProperties } = schema
    const words = this.#words
    if (!isObject(properties) || Object.keys(properties).length === 0)
      return words.record(isObject(additionalProperties) ? this.#print(additionalProperties, depth) : words.any)
    const required = requiredOf(schema)
    const members = Object.entries(properties)
      .slice(0, maxMembers)
      .map(([name, each]) => ({
        name: name.slice(0, 200),
        type: this.#print(each, depth),
        isOptional: !required.includes(name),
      }))
    return words.object(members)
  }

  #either(types: readonly string[]): string {
    const all = [...new Set(types)]
    return all.length === 0 || all.includes(this.#words.any) ? this.#words.any : this.#words.either(all)
  }

  /** Only `#/…`: anything else would be read from a file or a host. */
  #resolve(reference: string): unknown {
    if (!reference.startsWith('#/') || reference.length > 500) return undefined
    let found: unknown = this.#root
    for (const part of reference.slice(2).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      if (!isObject(found) || !Object.hasOwn(found, key)) return undefined
      found = found[key]
    }
    return found
  }
}

type Schema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const isName = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

const requiredOf = (schema: unknown): unknown[] =>
  isObject(schema) && Array.isArray(schema.required) ? schema.required : []

/** Long texts say nothing in a type. */
function literalOr(words: Words, value: unknown): string {
  const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value)
  return isPlain && String(value).length <= 100 ? words.literal(value) : words.any
}
