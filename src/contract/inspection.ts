import { z } from 'zod'
import { RiskLevel } from './run.ts'

export const violationTypes = [
  'eval',
  'dynamic-import',
  'command-injection',
  'path-traversal',
  'sql-injection',
  'xss',
  'secret',
  'destructive-command',
  'deletion',
  'network',
  'database',
  'deserialisation',
  'privilege',
  'persistence',
  'exfiltration',
  'system-access',
  'process',
  'weak-crypto',
  'resource-exhaustion',
  'obfuscation',
  'complexity',
  'unparseable',
  'unsafe-file',
] as const
export const ViolationType = z.enum(violationTypes)
export type ViolationType = z.infer<typeof ViolationType>

/** Something in the code that a rule speaks of, where it stands, and what to do instead. */
export const Violation = z.object({
  rule: z.string(),
  type: ViolationType,
  severity: RiskLevel,
  line: z.number().int().positive(),
  column: z.number().int().positive(),
  endLine: z.number().int().positive(),
  endColumn: z.number().int().positive(),
  message: z.string(),
  recommendation: z.string(),
  cwe: z.string().optional(),
})
export type Violation = z.infer<typeof Violation>

/** A thing that the code would touch, and the lines it was read from. A target that cannot be resolved is `null`. */
export const Target = z.object({
  target: z.string().nullable(),
  /** What the code says where the target stands, for the case that it cannot be resolved. */
  expression: z.string(),
  lines: z.array(z.number().int().positive()),
})
export type Target = z.infer<typeof Target>

export const blastRadii = ['contained', 'local', 'system', 'network'] as const
/** Where nothing is known, because the code could not be read or calls a library that no table knows. */
export const reaches = [...blastRadii, 'unknown'] as const
export const Impact = z.object({
  filesRead: z.array(Target),
  filesWritten: z.array(Target),
  filesDeleted: z.array(Target),
  hosts: z.array(Target),
  commands: z.array(Target),
  dataModified: z.array(Target),
  /** How much it touches: one thing, a few, many (a loop, a glob, a recursive call) or not known. */
  volume: z.enum(['none', 'single', 'few', 'many', 'unknown']),
  reversible: z.enum(['yes', 'no', 'unknown']),
  blastRadius: z.enum(reaches),
  /** Calls into libraries of which nothing is known: they may touch more than is listed. */
  unknownCalls: z.array(Target).optional(),
  estimate: z.object({
    time: z.enum(['instant', 'seconds', 'minutes', 'unbounded', 'unknown']),
    memory: z.enum(['small', 'large', 'unknown']),
  }),
})
export type Impact = z.infer<typeof Impact>

/** Why the language's own compiler does not take a text, and where; the place is null when it does not say. */
export const SyntaxRejection = z.object({
  message: z.string(),
  line: z.number().int().positive().nullable(),
  column: z.number().int().positive().nullable(),
})
export type SyntaxRejection = z.infer<typeof SyntaxRejection>

/** What the guard says of a program before it runs. */
export const Inspection = z.object({
  risk: RiskLevel,
  violations: z.array(Violation),
  impact: Impact,
  complexity: z.number().int().nonnegative(),
  /** Names of modules that the program imports, for policies that block some. */
  imports: z.array(z.string()),
  /** The lines on which they are imported, by name; for code inside a string, the line of the call that runs it. */
  importLines: z.record(z.string(), z.array(z.number().int().positive())).optional(),
  /** False when the program could not be read to its end: too deep, too slow or not in its language. */
  complete: z.boolean(),
  /** Set when the compiler rejects the text: it cannot run, and is not started. */
  syntaxError: SyntaxRejection.optional(),
})
export type Inspection = z.infer<typeof Inspection>
