import type { Violation } from '../contract/inspection.ts'
import type { Language } from '../contract/run.ts'
import type { Effect, EffectKind } from './effect.ts'
import type { Assignment, Call, Import, Mark, Pipeline, Redirection, Span, Text } from './model.ts'
import { NameIndex } from './names.ts'
import { rank } from './risk.ts'
import type { Answer, Hit, Rule, Scene } from './rule.ts'

/** A violation with offsets instead of lines; lines are counted once, at the end. */
export interface Finding extends Omit<Violation, 'line' | 'column' | 'endLine' | 'endColumn'>, Span {}

/** A rule and its question about one kind of fact. */
interface Asking<Fact> {
  readonly rule: Rule
  readonly ask: (fact: Fact, scene: Scene) => Answer
}
const always = (): Answer => true

/** A rule about a whole program; with `about`, of some of its calls, and asked only where there are any. */
interface Searching {
  readonly rule: Rule
  readonly about?: (name: string) => boolean
  readonly find: (scene: Scene, calls: readonly Call[]) => readonly Hit[]
}

/** The rules of one language, filed by what they look at, so that each fact meets only the rules that may match it. */
interface Filed {
  readonly calls: NameIndex<Asking<Call>>
  readonly effects: Map<EffectKind, Asking<Effect>[]>
  readonly marks: Map<Mark['kind'], Asking<Mark>[]>
  readonly imports: NameIndex<Asking<Import>>
  readonly assignments: Targets
  readonly texts: Asking<Text>[]
  readonly pipelines: Asking<Pipeline>[]
  readonly redirections: Asking<Redirection>[]
  readonly programs: Searching[]
  /** Those of them that are about calls of some names. */
  readonly searching: NameIndex<Searching>
}

/** Rules about assignments, found by the name that is assigned to. */
class Targets {
  readonly #all: { readonly about: (target: string) => boolean; readonly asking: Asking<Assignment> }[] = []
  readonly #found = new Map<string, readonly Asking<Assignment>[]>()

  add(about: (target: string) => boolean, asking: Asking<Assignment>): void {
    this.#all.push({ about, asking })
  }

  find(target: string): readonly Asking<Assignment>[] {
    const known = this.#found.get(target)
    if (known !== undefined) return known
    const found: Asking<Assignment>[] = []
    for (const { about, asking } of this.#all) if (about(target)) found.push(asking)
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
    const findings: Findings = new Map()
    const { program } = scene
    const sought = new Map<Searching, Call[]>()
    for (const call of program.calls) {
      askAll(filed.calls.find(call.name), call, scene, findings)
      for (const searching of filed.searching.find(call.name)) seek(searching, call, sought)
    }
    for (const effect of scene.effects) askAll(filed.effects.get(effect.kind) ?? nobody, effect, scene, findings)
    for (const mark of program.marks) askAll(filed.marks.get(mark.kind) ?? nobody, mark, scene, findings)
    for (const imported of program.imports) askAll(filed.imports.find(imported.module), imported, scene, findings)
    for (const assignment of program.assignments)
      askAll(filed.assignments.find(assignment.target), assignment, scene, findings)
    for (const text of program.texts) askAll(filed.texts, text, scene, findings)
    for (const pipeline of program.pipelines) askAll(filed.pipelines, pipeline, scene, findings)
    for (const redirection of program.redirections) askAll(filed.redirections, redirection, scene, findings)
    for (const searching of filed.programs) {
      const calls = searching.about === undefined ? program.calls : sought.get(searching)
      if (calls === undefined) continue
      for (const hit of searching.find(scene, calls)) say(searching.rule, hit, hit.at ?? { start: 0, end: 0 }, findings)
    }
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
      searching: new NameIndex(),
    }
    for (const rule of this.#rules) if (rule.languages.includes(language)) file(rule, filed)
    this.#filed.set(language, filed)
    return filed
  }
}

type Findings = Map<string, Finding>
const nobody: readonly never[] = []

function askAll<Fact extends Span>(
  asking: readonly Asking<Fact>[],
  fact: Fact,
  scene: Scene,
  findings: Findings,
): void {
  for (const { rule, ask } of asking) {
    const answer = ask(fact, scene)
    if (answer !== false) say(rule, answer === true ? {} : answer, fact, findings)
  }
}

function seek(searching: Searching, call: Call, sought: Map<Searching, Call[]>): void {
  const before = sought.get(searching)
  if (before === undefined) sought.set(searching, [call])
  else before.push(call)
}

function say(rule: Rule, hit: Hit, at: Span, findings: Findings): void {
  const { start, end } = hit.at ?? at
  const finding: Finding = {
    rule: rule.id,
    type: rule.type,
    severity: hit.severity ?? rule.severity,
    message: hit.message ?? rule.description,
    recommendation: rule.recommendation,
    cwe: rule.cwe,
    start,
    end,
  }
  const key = `${rule.id}@${start}`
  const before = findings.get(key)
  if (before === undefined || worse(finding, before)) findings.set(key, finding)
}

function file(rule: Rule, into: Filed): void {
  const { match } = rule
  switch (match.on) {
    case 'call':
      for (const name of match.names) into.calls.add(name, { rule, ask: match.when ?? always })
      return
    case 'effect':
      for (const kind of match.kinds)
        into.effects.set(kind, [...(into.effects.get(kind) ?? []), { rule, ask: match.when }])
      return
    case 'mark':
      for (const kind of match.kinds)
        into.marks.set(kind, [...(into.marks.get(kind) ?? []), { rule, ask: match.when ?? always }])
      return
    case 'import':
      for (const module of match.modules) into.imports.add(module, { rule, ask: match.when ?? always })
      return
    case 'assignment':
      into.assignments.add(match.about ?? (() => true), { rule, ask: match.when ?? always })
      return
    case 'text':
      into.texts.push({ rule, ask: match.when })
      return
    case 'pipeline':
      into.pipelines.push({ rule, ask: match.when })
      return
    case 'redirection':
      into.redirections.push({ rule, ask: match.when })
      return
    case 'calls': {
      const { about, find } = match
      const searching: Searching = { rule, about, find: (scene, calls) => find(calls, scene) }
      into.searching.addAbout(about, searching)
      into.programs.push(searching)
      return
    }
    case 'program':
      into.programs.push({ rule, find: match.find })
  }
}

const worse = (one: Finding, other: Finding): boolean => rank(one.severity) > rank(other.severity)
