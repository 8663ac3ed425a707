import { type Effect, type EffectKind, type EffectOf, effectAt, type More } from '../effect.ts'
import type { Call, Embedded, Value } from '../model.ts'
import { placeOf } from '../paths.ts'
import { codeOf, commandLine, startOf, textOf, unknown } from '../values.ts'

/** Small makers, so that the tables read as tables. */

export type Pick = (call: Call) => Value | undefined

/** The argument at a position, or by one of its names. */
export const arg =
  (position: number, ...names: readonly string[]): Pick =>
  call => {
    for (const name of names) {
      const value = call.named.get(name)
      if (value !== undefined) return value
    }
    return call.args[position]
  }
export const receiver: Pick = call => call.receiver ?? undefined

export const effect = (kind: EffectKind, call: Call, target: Value | undefined, more?: More): Effect =>
  effectAt(kind, target ?? unknown, call, call, call.inLoop, more)

export const does =
  (kind: EffectKind, target: Pick, { many, ...more }: More = {}): EffectOf =>
  call => [effectAt(kind, target(call) ?? unknown, call, call, call.inLoop || many === true, more)]

export const all =
  (...parts: readonly EffectOf[]): EffectOf =>
  call =>
    parts.flatMap(part => part(call))

/** Reads what may be a file or, when it looks like one, a URL. */
/** An address on another machine, as readers and writers of tables take it in place of a file. */
export const isElsewhere = (start: string): boolean =>
  /^(?!file:|sqlite|duckdb|memory:)[a-z][a-z0-9+.-]{1,20}:\/\//i.test(start)

export const readsFileOrUrl =
  (target: Pick): EffectOf =>
  call => {
    const value = target(call)
    const start = value?.kind === 'text' ? value.text : value?.kind === 'joined' ? String(value.parts[0]) : ''
    return [effect(isElsewhere(start) ? 'connect' : 'read', call, value)]
  }

/** What is moved is gone from where it was; inside the workspace nothing is lost by that. */
export const moves =
  (from: Pick, to: Pick): EffectOf =>
  call => {
    const source = from(call)
    const start = startOf(source)
    const inside = start === '' || /^(workspace|temporary)$/.test(placeOf(start))
    return [
      effect('read', call, source),
      effect('delete', call, source, { harmless: inside }),
      effect('write', call, to(call)),
    ]
  }

/** Folders that belong to the machine, as opposed to a home or a project somewhere. */
const isOfSystem = (path: string): boolean =>
  path.startsWith('/') &&
  (/^(system|secret|startup|identity|device)$/.test(placeOf(path)) ||
    (placeOf(path) === 'root' && !/^\/(home|Users)\/./.test(path)))

/** Works in a folder of the machine: what is named there afterwards has a name that looks like one of the workspace. */
export const worksIn =
  (folder: Pick): EffectOf =>
  call => {
    const value = folder(call)
    return value?.kind === 'text' && isOfSystem(value.text) ? [effect('read', call, value, { many: true })] : []
  }

const opening =
  /(?:^|[._])(?:f?open\w*|read\w*|load\w*|copy\w*|walk|glob\w*|scan\w*|list_?dir|from_?file|memmap|mbox|cmp\w*|run_path|FileInput|sync|parse|get_(?:data|source|code))$/i
const nothing: Effect[] = []

const isSecret = (path: string): boolean => /^(secret|identity)$/.test(placeOf(path))

export const isOpening = (name: string): boolean => opening.test(name)

/** The name of a file of the workspace, given to a function whose name says that it opens what it is given. */
const opensFile = /(?:^|[._])(?:f?open|read|load|scan|imread|from_file|get_data)(?:_\w+)?$/i
const fileName = /^(?:[\w.-]+\/|\.\/)*[\w .-]*\.[a-z][a-z0-9]{1,9}$/i

/** A library of which nothing is known, given a path where only the system belongs, reads it at least. */
export const opensNamed: EffectOf = call => {
  const [path] = call.args
  const mode = call.args[1] ?? call.named.get('mode')
  if (path?.kind !== 'text') return nothing
  // All files of a kind below the home folder.
  if (/^~\/.*\*/.test(path.text)) return [effect('read', call, path, { many: true })]
  if (path.text[0] !== '/')
    return (/^(~|\.\.)\//.test(path.text) && isSecret(path.text)) ||
      (opensFile.test(call.name) && !/^[?~]/.test(call.name) && mode === undefined && fileName.test(path.text))
      ? [effect('read', call, path)]
      : nothing
  if (mode?.kind === 'text' && /^[rwaxbt+]*[wax+][rwaxbt+]*([:|]\w*)?$/.test(mode.text)) return nothing
  return isOfSystem(path.text) || /^\/(home|Users)\//.test(path.text) ? [effect('read', call, path)] : nothing
}

export const table = (names: readonly string[], effects: EffectOf): Record<string, EffectOf> =>
  Object.fromEntries(names.map(name => [name, effects]))

type Language = Embedded['language']

export function embed(call: Call, language: Language, value: Value | undefined): Embedded[] {
  const code = codeOf(value, language)
  return code === null || code.trim() === ''
    ? []
    : [{ language, code, via: call.name, start: call.start, end: call.end }]
}

/** A command given as text is read as shell; as a list of words it is put together first. */
export function embedCommand(call: Call, value: Value | undefined): Embedded[] {
  if (value?.kind !== 'list') return embed(call, 'bash', value)
  const code = commandLine(value.items)
  return code === null ? [] : [{ language: 'bash', code, via: call.name, start: call.start, end: call.end }]
}

/** A field of an object of options, whichever argument that is. */
export function optionOf(call: Call, name: string): Value | undefined {
  for (const value of call.args) if (value.kind === 'map' && value.entries.has(name)) return value.entries.get(name)
  return undefined
}

export const isTrue = (value: Value | undefined): boolean =>
  (value?.kind === 'boolean' && value.boolean) || (value?.kind === 'number' && value.number === 1)

export const textArg = (call: Call, position: number): string | null => textOf(call.args[position])
