import type { Language } from '../../contract/run.ts'
import { shellEffects } from '../bash/effects.ts'
import type { Effect, EffectOf, EffectTable } from '../effect.ts'
import { listOf } from '../lists.ts'
import type { Call, Embedded, Import, Program, Span, Value } from '../model.ts'
import { NameIndex } from '../names.ts'
import { startOf, unknown } from '../values.ts'
import { Folder } from './folder.ts'
import { javaScriptEffects } from './javascript.ts'
import { callsIntoUnknown } from './known-libraries.ts'
import { isElsewhere } from './make.ts'
import { pythonEffects } from './python.ts'
import { isUnreadStatement } from './sql.ts'

/** What the libraries and commands of each language do. */
const tables: readonly EffectTable[] = [pythonEffects, javaScriptEffects, shellEffects]

interface Known {
  readonly effects: NameIndex<EffectOf>
  readonly embeds: NameIndex<(call: Call) => Embedded[]>
  readonly redirections: NonNullable<EffectTable['redirection']>[]
  readonly imports: NonNullable<EffectTable['imported']>[]
}
const known = new Map<Language, Known>()

function knowledge(language: Language): Known {
  const found = known.get(language)
  if (found) return found
  const made: Known = { effects: new NameIndex(), embeds: new NameIndex(), redirections: [], imports: [] }
  for (const table of tables) {
    if (!table.languages.includes(language)) continue
    for (const [name, effects] of Object.entries(table.calls)) made.effects.add(name, effects)
    for (const [name, embeds] of Object.entries(table.embeds ?? {})) made.embeds.add(name, embeds)
    if (table.others) made.effects.addAbout(table.others.about, table.others.effects)
    if (table.redirection) made.redirections.push(table.redirection)
    if (table.imported) made.imports.push(table.imported)
  }
  known.set(language, made)
  return made
}

export interface Derived {
  readonly effects: Effect[]
  readonly embedded: Embedded[]
  /** Calls into libraries of which no table knows anything, statements that nobody can read, files that are loaded. */
  readonly unknown: readonly Span[]
}

/** All that the program does to the world, and all the code that it hands to others. */
export function deriveEffects(program: Program): Derived {
  const { effects: effectsOf, embeds, redirections, imports } = knowledge(program.language)
  const effects: Effect[] = []
  const embedded: Embedded[] = listOf(program.embedded, code => standing(code, program))
  const folder = new Folder()
  const explained = new Set<Call>()
  for (const call of program.calls) {
    for (const effectOf of effectsOf.find(call.name))
      for (const effect of effectOf(call)) {
        explained.add(call)
        effects.push(folder.placed(program.language === 'bash' ? effect : overNetwork(effect)))
      }
    for (const embedOf of embeds.find(call.name))
      for (const code of embedOf(call)) {
        explained.add(call)
        embedded.push(folder.within(code, call))
      }
    folder.follow(call)
  }
  for (const redirection of program.redirections) {
    for (const effectsOfRedirection of redirections) effects.push(...effectsOfRedirection(redirection, program))
  }
  for (const effectsOfImport of imports)
    for (const imported of program.imports) effects.push(...effectsOfImport(imported))
  const unknown = callsIntoUnknown(program.calls, program.imports, program.language, call => explained.has(call))
  return {
    effects,
    embedded,
    unknown: [
      ...unknown,
      ...program.calls.filter(isUnreadStatement),
      ...program.imports.filter(runsFile(program.language)),
    ],
  }
}

/** What is named by an address is on another machine, whichever table took it for a file. */
const overNetwork = (effect: Effect): Effect =>
  (effect.kind === 'read' || effect.kind === 'write') && isElsewhere(startOf(effect.target))
    ? {
        ...effect,
        kind: 'connect',
        payload: effect.kind === 'write' ? (effect.payload ?? contentOf(effect)) : undefined,
      }
    : effect
const contentOf = ({ call }: Effect): Value => call?.receiver ?? unknown

/** `import './steps.js'`: a module is code, and what stands in the file is not seen here. */
const runsFile =
  (language: Language) =>
  ({ module }: Import): boolean =>
    language !== 'python' && language !== 'bash' && /^(file:|\.{0,2}\/)/i.test(module) && !/\.json$/i.test(module)

/** Commands of a notebook stand in the text and not in a call; they work where the calls above them led to. */
function standing(code: Embedded, program: Program): Embedded {
  if (program.language !== 'python') return code
  const folder = new Folder()
  for (const call of program.calls) if (call.start < code.start) folder.follow(call)
  return folder.within(code, null)
}
