import type { ViolationType } from '../contract/inspection.ts'
import type { RiskLevel } from '../contract/run.ts'

/** What is said of the text itself and of policy, whatever the language; found in `surface.ts`, `inspect.ts` and `guard.ts`. */
export const surfaceRules: readonly {
  readonly id: string
  readonly type: ViolationType
  readonly severity: RiskLevel
  readonly cwe: string
  readonly description: string
  readonly recommendation: string
}[] = [
  {
    id: 'surface/unparseable',
    type: 'unparseable',
    severity: 'medium',
    cwe: 'CWE-1120',
    description: 'The code cannot be parsed.',
    recommendation: 'Correct the syntax, and check that the language is the one that was named.',
  },
  {
    id: 'surface/unreadable',
    type: 'unparseable',
    severity: 'high',
    cwe: 'CWE-1120',
    description: 'The code is nested too deeply, too large or too tangled to be followed to its end.',
    recommendation: 'Write the code so that it can be read before it runs.',
  },
  {
    id: 'surface/time-limit',
    type: 'unparseable',
    severity: 'high',
    cwe: 'CWE-1120',
    description: 'The code could not be read within the time limit.',
    recommendation: 'Simplify or split the code so that it can be read before it runs.',
  },
  {
    id: 'surface/size',
    type: 'unparseable',
    severity: 'high',
    cwe: 'CWE-1120',
    description: 'The code is too long to be read.',
    recommendation: 'Keep data in files, and code short.',
  },
  {
    id: 'surface/worker',
    type: 'unparseable',
    severity: 'high',
    cwe: 'CWE-1120',
    description: 'The guard failed on this code.',
    recommendation: 'Report it; until then the code counts as unread.',
  },
  {
    id: 'surface/language',
    type: 'unparseable',
    severity: 'medium',
    cwe: 'CWE-1120',
    description: 'The code reads like another language than the one it is labelled with.',
    recommendation: 'Name the language that it is written in.',
  },
  {
    id: 'surface/complexity',
    type: 'complexity',
    severity: 'medium',
    cwe: 'CWE-1121',
    description: 'One function takes more than 50 decisions.',
    recommendation: 'Split it into functions that each do one thing.',
  },
  {
    id: 'surface/bidirectional',
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-1007',
    description: 'Bidirectional control characters make a line read otherwise than it runs.',
    recommendation: 'Remove the characters, or write them as escapes.',
  },
  {
    id: 'surface/invisible',
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-1007',
    description: 'There are invisible characters in the code.',
    recommendation: 'Remove the characters, or write them as escapes.',
  },
  {
    id: 'surface/look-alike',
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-1007',
    description:
      'A name mixes letters of different alphabets that look the same, or is written in letters or escapes that run as others.',
    recommendation: 'Write names in plain letters of one alphabet.',
  },
  {
    id: 'surface/control',
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-1007',
    description: 'There are control characters in the code.',
    recommendation: 'Remove the characters, or write them as escapes.',
  },
  {
    id: 'surface/encoding',
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-176',
    description: 'The text is not valid Unicode; what it said there is lost.',
    recommendation: 'Save the file as UTF-8.',
  },
  {
    id: 'surface/encoded-text',
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'A text is written in escapes, or is long and encoded, so that a reviewer does not see what it says.',
    recommendation: 'Keep data in files, and code readable.',
  },
  {
    id: 'surface/signs',
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'The program, or a long piece of it, is written in signs instead of names.',
    recommendation: 'Keep data in files, and code readable.',
  },
]
