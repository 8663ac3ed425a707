import type { Inspection, Violation } from '../contract/inspection.ts'
import type { Language } from '../contract/run.ts'
import { rejection } from './compiler.ts'
import { type Dependencies, dependenciesOf, nothingKnown } from './dependencies.ts'
import { deriveEffects } from './effects/effects.ts'
import { type Finding, RuleEngine } from './engine.ts'
import { frontEnds, prepare } from './front-ends.ts'
import { assessImpact, type Seen } from './impact.ts'
import { impliedEffects, outlivesItsFolder } from './implied.ts'
import { languageMismatches } from './language-mismatch.ts'
import { Lines } from './lines.ts'
import { listOf } from './lists.ts'
import { emptyProgram, type Program, type Span } from './model.ts'
import { unpasted } from './python/pasted.ts'
import { classifyRisk, rank, worst } from './risk.ts'
import { rules } from './rules/rules.ts'
import { mistyped, surfaceFindings, unreadable } from './surface.ts'
import { shown, withoutMarks } from './values.ts'

const engine = new RuleEngine(rules)
/** Code in a string in code in a string: beyond this nobody reads on, and that is said. */
const deepestEmbedding = 4
const mostEmbedded = 200

interface Budget {
  left: number
  readonly missing: Set<Language>
}

interface Reading {
  readonly program: Program
  readonly findings: Finding[]
  readonly seen: { readonly effect: Seen['effect']; readonly at: Span }[]
  /** Calls of which nothing is known. */
  readonly unknown: Span[]
  /** Where each module is imported. */
  readonly imports: Map<string, number[]>
  complexity: number
  complete: boolean
}

/** Reads a program and says what it would do, loading the grammars that it and the code inside it need. */
export async function inspectCode(code: string, language: Language, python: string | null = null): Promise<Inspection> {
  const missing = new Set<Language>()
  const inspection = inspectProgram(code, language, missing)
  if (missing.size === 0) return asCompiled(inspection, code, language, python)
  await Promise.all([...missing].map(prepare))
  return inspectCode(code, language, python)
}

/** What a cell takes from others and leaves for them, loading the grammars that it needs. */
export async function dependenciesIn(code: string, language: Language): Promise<Dependencies> {
  await prepare(language)
  const inspection = await inspectCode(code, language)
  const program = frontEnds[language].read(withoutMarks(asCell(code, language)), language)
  return program === null ? nothingKnown : dependenciesOf(program, inspection)
}

/** What the compiler rejects is a mistake of the writer; what only we cannot read stays unread. */
export async function asCompiled(
  inspection: Inspection,
  code: string,
  language: Language,
  python: string | null,
): Promise<Inspection> {
  // Somebody may be asked about what is above low, and nobody is to be asked about what cannot run.
  if (inspection.complete && inspection.risk === 'low') return inspection
  const own = inspection.violations.find(({ rule }) => rule === 'surface/unparseable')
  const rejected = await rejection(code, language, python, own !== undefined)
  if (rejected === null) return inspection
  const lines = new Lines(asCell(code, language), code)
  const line = Math.min(rejected.line ?? own?.line ?? 1, lines.at(code.length).line)
  const column = (rejected.line === null ? own?.column : rejected.column && lines.written(line, rejected.column)) ?? 1
  const mistake = { ...located(mistyped(rejected.message), lines), line, column, endLine: line, endColumn: column }
  const others = inspection.violations.filter(({ rule }) => rule !== 'surface/unparseable')
  return { ...inspection, violations: [mistake, ...others], syntaxError: { ...rejected, line, column } }
}

/** The same, pure and synchronous. Languages that would need a grammar are added to `missing` and not read. */
export function inspectProgram(written: string, language: Language, missing: Set<Language> = new Set()): Inspection {
  const code = asCell(written, language)
  const lines = new Lines(code, written)
  const reading = analyse(withoutMarks(code), language, 0, { left: mostEmbedded, missing })
  const violations = listOf(dedupe(reading.findings), finding => located(finding, lines)).sort(
    (one, other) => rank(other.severity) - rank(one.severity) || one.line - other.line || one.column - other.column,
  )
  const place = (at: Span): Pick<Seen, 'line' | 'expression'> => ({
    line: lines.at(at.start).line,
    expression: firstLine(code.slice(at.start, Math.min(at.end, at.start + 200))),
  })
  const seen = listOf(reading.seen, ({ effect, at }) => ({ effect, ...place(at) }))
  return {
    risk: classifyRisk(violations, reading.complete),
    violations,
    impact: assessImpact(seen, reading.program, {
      complete: reading.complete,
      outlives: outlivesItsFolder(reading.findings),
      unknown: reading.unknown.map(place),
    }),
    complexity: reading.complexity,
    imports: [...reading.imports.keys()],
    importLines: Object.fromEntries(
      [...reading.imports].map(([module, starts]) => [module, [...new Set(starts.map(start => lines.at(start).line))]]),
    ),
    complete: reading.complete,
  }
}

/** The text that the kernel of its language runs. */
const asCell = (code: string, language: Language): string => (language === 'python' ? unpasted(code) : code)

/** One text in one language, and the code inside its strings in turn. */
function analyse(code: string, language: Language, depth: number, budget: Budget): Reading {
  const program = frontEnds[language].read(code, language) ?? unreadProgram(code, language, budget)
  const { effects, embedded, unknown } = deriveEffects(program)
  const mismatches = depth === 0 ? languageMismatches(program) : []
  embedded.push(...mismatches)
  const findings = [...engine.judge({ program, effects, depth }), ...surfaceFindings(program, depth, mismatches)]
  effects.push(...impliedEffects(findings, effects))
  const reading: Reading = {
    program,
    findings,
    seen: listOf(effects, effect => ({ effect, at: effect })),
    unknown: [...unknown],
    imports: new Map(),
    complexity: program.complexity,
    complete: program.complete,
  }
  for (const { module, start } of program.imports) imported(reading, module, start)
  const known = new Set<string>()
  for (const inner of embedded) {
    const key = `${inner.language}:${inner.code}`
    if (known.has(key)) continue
    known.add(key)
    if (depth >= deepestEmbedding || budget.left-- <= 0) {
      findings.push(unreadable('Code is hidden inside code more often than can be read.', inner))
      reading.complete = false
      continue
    }
    const within = analyse(inner.code, inner.language, depth + 1, budget)
    // What stands inside a string is reported at the call that runs it, with the way it gets there.
    for (const finding of within.findings) {
      findings.push({
        ...finding,
        message: depth === 0 ? `In the code given to ${inner.via}: ${finding.message}` : finding.message,
        start: inner.start,
        end: inner.end,
      })
    }
    for (const { effect } of within.seen) reading.seen.push({ effect, at: inner })
    if (within.unknown.length > 0) reading.unknown.push(inner)
    for (const module of within.imports.keys()) imported(reading, module, inner.start)
    reading.complexity = Math.max(reading.complexity, within.complexity)
  }
  return reading
}

function imported({ imports }: Reading, module: string, start: number): void {
  const starts = imports.get(module)
  if (starts) starts.push(start)
  else imports.set(module, [start])
}

function unreadProgram(code: string, language: Language, { missing }: Budget): Program {
  missing.add(language)
  return { ...emptyProgram(language, code), complete: false }
}

/** The same rule at the same place once, at its worst. */
function dedupe(findings: readonly Finding[]): Finding[] {
  const kept = new Map<string, Finding>()
  for (const finding of findings) {
    const key = `${finding.rule}@${finding.start}`
    const before = kept.get(key)
    if (
      before === undefined ||
      (before.severity !== finding.severity && worst(before.severity, finding.severity) === finding.severity)
    )
      kept.set(key, finding)
  }
  return [...kept.values()]
}

function located(finding: Finding, lines: Lines): Violation {
  const { rule, type, severity, message, recommendation, cwe, start, end } = finding
  const { line, column } = lines.at(start)
  const { line: endLine, column: endColumn } = lines.at(Math.max(start, end))
  return { rule, type, severity, message: shown(message), recommendation, cwe, line, column, endLine, endColumn }
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return (end === -1 ? text : text.slice(0, end)).trim().slice(0, 160)
}
