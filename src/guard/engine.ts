import type { Violation } from '../contract/inspection.ts'
import type { Language } from '../contract/run.ts'
import type { EffectKind } from './effect.ts'
import type { Mark, Span } from './model.ts'
import { NameIndex } from './names.ts'
import { rank } from './risk.ts'
import type { Answer, Match, Rule, Scene } from './rule.ts'

/** A violation with offsets instead of lines; lines are counted once, at the end. */
export interface Finding extends Omit<Violation, 'line' | 'column' | 'endLine' | 'endColumn'>, Span {}

type On<Kind extends Match['on']> = { readonly rule: Rule; readonly match: Extract<Match, { on: Kind }> }

/** The rules of one language, filed by what they look at, so that each fact meets only the rules that may match it. */
interface Filed {
  readonly calls: NameIndex<On<'call'>>
  readonly effects: Map<EffectKind, On<'effect'>[]>
  readonly marks: Map<Mark['kind'], On<'mark'>[]>
  readonly imports: NameIndex<On<'import'>>
  readonly assignments: Targets
  readonly texts: On<'text'>[]
  readonly pipelines: On<'pipeline'>[]
  readonly redirections: On<'redirection'>[]
  readonly programs: On<'program'>[]
}

/** Rules about assignments, found by the name that is assigned to. */
class Targets {
  readonly #all: On<'assignment'>[] = []
  readonly #found = new Map<string, readonly On<'assignment'>[]>()

  add(on: On<'assignment'>): void {
    this.#all.push(on)
  }

  find(target: string): readonly On<'assignment'>[] {
    const known = this.#found.get(target)
    if (known !== undefined) return known
    const found = this.#all.filter(({ match }) => match.about?.(target) ?? true)
    // Programs use the same few hundred names over and over; hostile ones may not fill the memory.
    if (this.#found.size >= 5_000) this.#found.clear()
    if (target.length <= 200) this.#found.set(target, found)
    return found
  }
}

export class RuleEngine {
  readonly #filed = new Map<Language, Filed>()
  readonly #rules: readonly Rule[]

  constructor(rules: readonly Rule[]) {
    this.#rules = rules
  }

  /** What the rules say of a scene; each rule speaks once about one place. */
  judge(scene: Scene): Finding[] {
    const filed = this.#filing(scene.program.language)
    const findings = new Map<string, Finding>()
    const say = (rule: Rule, answer: Answer, at: Span): void => {
      if (answer === false) return
      const hit = answer === true ? {} : answer
      const place = hit.at ?? at
      const finding: Finding = {
        rule: rule.id,
        type: rule.type,
        severity: hit.severity ?? rule.severity,
        message: hit.message ?? rule.description,
        recommendation: rule.recommendation,
        cwe: rule.cwe,
        start: place.start,
        end: place.end,
      }
      const key = `${rule.id}@${place.start}`
      const before = findings.get(key)
      if (before === undefined || worse(finding, before)) findings.set(key, finding)
    }
    const { program } = scene
    for (const call of program.calls) {
      for (const { rule, match } of filed.calls.find(call.name)) say(rule, match.when?.(call, scene) ?? true, call)
    }
    for (const effect of scene.effects) {
      for (const { rule, match } of filed.effects.get(effect.kind) ?? []) say(rule, match.when(effect, scene), effect)
    }
    for (const mark of program.marks) {
      for (const { rule, match } of filed.marks.get(mark.kind) ?? []) say(rule, match.when?.(mark, scene) ?? true, mark)
    }
    for (const imported of program.imports) {
      for (const { rule, match } of filed.imports.find(imported.module))
        say(rule, match.when?.(imported, scene) ?? true, imported)
    }
    for (const assignment of program.assignments) {
      for (const { rule, match } of filed.assignments.find(assignment.target))
        say(rule, match.when?.(assignment, scene) ?? true, assignment)
    }
    for (const text of program.texts)
      for (const { rule, match } of filed.texts) say(rule, match.when(text, scene), text)
    for (const pipeline of program.pipelines) {
      for (const { rule, match } of filed.pipelines) say(rule, match.when(pipeline, scene), pipeline)
    }
    for (const redirection of program.redirections) {
      for (const { rule, match } of filed.redirections) say(rule, match.when(redirection, scene), redirection)
    }
    for (const { rule, match } of filed.programs)
      for (const hit of match.find(scene)) say(rule, hit, hit.at ?? { start: 0, end: 0 })
    return [...findings.values()]
  }

  #filing(language: Language): Filed {
    const known = this.#filed.get(language)
    if (known) return known
    const filed: Filed = {
      calls: new NameIndex(),
      effects: new Map(),
      marks: new Map(),
      imports: new NameIndex(),
      assignments: new Targets(),
      texts: [],
      pipelines: [],
      redirections: [],
      programs: [],
    }
    for (const rule of this.#rules) if (rule.languages.includes(language)) file(rule, filed)
    this.#filed.set(language, filed)
    return filed
  }
}

function file(rule: Rule, into: Filed): void {
  const { match } = rule
  switch (match.on) {
    case 'call':
      for (const name of match.names) into.calls.add(name, { rule, match })
      return
    case 'effect':
      for (const kind of match.kinds) into.effects.set(kind, [...(into.effects.get(kind) ?? []), { rule, match }])
      return
    case 'mark':
      for (const kind of match.kinds) into.marks.set(kind, [...(into.marks.get(kind) ?? []), { rule, match }])
      return
    case 'import':
      for (const module of match.modules) into.imports.add(module, { rule, match })
      return
    case 'assignment':
      into.assignments.add({ rule, match })
      return
    case 'text':
      into.texts.push({ rule, match })
      return
    case 'pipeline':
      into.pipelines.push({ rule, match })
      return
    case 'redirection':
      into.redirections.push({ rule, match })
      return
    case 'program':
      into.programs.push({ rule, match })
  }
}

const worse = (one: Finding, other: Finding): boolean => rank(one.severity) > rank(other.severity)
