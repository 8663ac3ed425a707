import type { Finding } from './engine.ts'
import { mislabelled } from './language-mismatch.ts'
import type { Embedded, Mark, Program, Span } from './model.ts'
import { obscure } from './obscure.ts'

/**
 * What only the raw text shows: that it could not be read, that it is tangled, that it hides. Nothing here depends on
 * the language, so none of it is a rule with a match; the ids stand in the rule list all the same.
 */
export function surfaceFindings(program: Program, depth: number, mismatches: readonly Embedded[]): Finding[] {
  const findings: Finding[] = []
  for (const problem of program.problems.slice(0, 5)) findings.push(unread(problem))
  if (!program.complete && findings.length === 0)
    findings.push(unreadable('The program could not be read to its end.', { start: 0, end: 0 }))
  if (program.complexity > mostComplex) {
    findings.push({
      rule: 'surface/complexity',
      type: 'complexity',
      severity: 'medium',
      message: `One function takes ${program.complexity} decisions; more than ${mostComplex} cannot be reviewed.`,
      recommendation: 'Split it into functions that each do one thing.',
      cwe: 'CWE-1121',
      start: 0,
      end: 0,
    })
  }
  const disguised = program.marks.find(mark => mark.kind === 'disguised-name')
  if (disguised !== undefined) findings.push(lookAlikeName(disguised))
  if (depth > 0) return findings
  findings.push(...hidden(program.source), ...obscure(program))
  for (const { start, end } of mismatches) findings.push(mislabelled({ start, end }, program.language))
  return findings
}

export const mostComplex = 50

const lookAlikeName = ({ detail, start, end }: Mark): Finding => ({
  rule: 'surface/look-alike',
  type: 'obfuscation',
  severity: 'high',
  message: `A name is written so that it does not read as what it is: '${detail}'.`,
  recommendation: 'Write the name in plain letters.',
  cwe: 'CWE-1007',
  start,
  end,
})

function unread(problem: Program['problems'][number]): Finding {
  const syntax = problem.kind === 'syntax'
  return {
    rule: syntax ? 'surface/unparseable' : 'surface/unreadable',
    type: syntax ? 'unparseable' : 'complexity',
    severity: syntax ? 'medium' : 'high',
    message: syntax ? `The code cannot be parsed: ${problem.message}` : problem.message,
    recommendation: syntax
      ? 'Correct the syntax, and check that the language is the one that was named.'
      : 'Simplify the code so that it can be read.',
    cwe: 'CWE-1120',
    start: problem.start,
    end: Math.min(problem.end, problem.start + 200),
  }
}

/** What the compiler says of a text that it rejects. */
export const mistyped = (message: string): Finding => ({
  ...unread({ kind: 'syntax', message, start: 0, end: 0 }),
  message,
  recommendation: 'Correct the syntax.',
})

export const unreadable = (message: string, at: Span): Finding => ({
  rule: 'surface/unreadable',
  type: 'unparseable',
  severity: 'high',
  message,
  recommendation: 'Write the code so that it can be read before it runs.',
  cwe: 'CWE-1120',
  start: at.start,
  end: at.end,
})

/** Characters that make a reviewer see something else than the interpreter: bidirectional controls, zero width, tags. */
const bidirectional = /[\u202a-\u202e\u2066-\u2069]/g
const invisible = new RegExp(
  [
    '[\\u200b\\u200c\\u2060-\\u2064\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u3164\\uffa0]',
    '[\\u{e0000}-\\u{e007f}]',
    '(?<!^)\\ufeff',
    // A joiner is at home between the parts of an emoji.
    '(?<![\\u{1f000}-\\u{1faff}\\u2600-\\u27bf]|\\ufe0f)\\u200d',
  ].join('|'),
  'gu',
)
/** A name that mixes Latin with Greek or Cyrillic look-alikes. */
const lookAlike =
  /(?=[\w\u0370-\u03ff\u0400-\u04ff]*[A-Za-z])(?=[\w\u0370-\u03ff\u0400-\u04ff]*[АВЕКМНОРСТХаеорсухіјѕԁɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧο])[\w\u0370-\u03ff\u0400-\u04ff]{3,}/gu
const control = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]|\x1b\[/g

const broken = /\ufffd|[\ud800-\udfff]/gu

function hidden(source: string): Finding[] {
  // One look over the text is enough for almost every program.
  if (!/[^\x09\x0a\x0c\x0d\x20-\x7e]/.test(source)) return []
  const findings: Finding[] = []
  const say = (pattern: RegExp, rule: string, severity: Finding['severity'], message: string): void => {
    const found = source.matchAll(pattern).next().value
    if (found === undefined) return
    findings.push({
      rule,
      type: 'obfuscation',
      severity,
      message,
      recommendation: 'Remove the characters, or write them as escapes.',
      cwe: 'CWE-1007',
      start: found.index,
      end: found.index + found[0].length,
    })
  }
  say(
    bidirectional,
    'surface/bidirectional',
    'high',
    'Bidirectional control characters make this line read otherwise than it runs.',
  )
  say(invisible, 'surface/invisible', 'medium', 'There are invisible characters in the code.')
  say(lookAlike, 'surface/look-alike', 'medium', 'A name mixes letters of different alphabets that look the same.')
  say(broken, 'surface/encoding', 'medium', 'The text is not valid Unicode; what it said there is lost.')
  say(control, 'surface/control', 'medium', 'There are control characters in the code.')
  return findings
}
