import { z } from 'zod'
import { FileChanges, type RunError, RunError as RunErrorSchema } from '../../contract/run.ts'

/** Why a supervisor ended a run. */
export const endings = ['timeout', 'interrupt', 'memory', 'disk', 'cpu', 'output'] as const
export type Ending = (typeof endings)[number]

/** What the supervisor says when a run is over. `error` is the kernel's word and so may be anything. */
export const Done = z.object({
  type: z.literal('done'),
  run: z.string(),
  exitCode: z.number().int().nullable(),
  error: z.unknown(),
  reason: z.enum(endings).nullable(),
  stateLost: z.boolean(),
  /** The kernel's word, like `error`. */
  state: z.unknown(),
  elapsedMs: z.number(),
  cpuMs: z.number(),
  peakBytes: z.number(),
  files: FileChanges,
  warnings: z.array(z.string()),
})
export type Done = z.infer<typeof Done>

const bySupervisor: Record<Ending, (limits: Described) => RunError> = {
  timeout: ({ timeoutMs }) =>
    ended('timeout', 'TimeLimit', `The run was stopped after ${timeoutMs / 1000} s, its time limit.`),
  interrupt: () => ended('killed', 'Interrupted', 'The run was stopped.'),
  memory: ({ memoryBytes }) =>
    ended('memory', 'MemoryLimit', `The run needed more than ${megabytes(memoryBytes)} MB of memory.`),
  disk: ({ diskBytes }) =>
    ended(
      'killed',
      'DiskLimit',
      `The run filled more than ${megabytes(diskBytes)} MB of disk; the files it made were removed.`,
    ),
  cpu: () => ended('timeout', 'CpuLimit', 'The run used more processor time than its time limit allows.'),
  output: ({ diskBytes }) =>
    ended('killed', 'OutputLimit', `The run wrote more than ${megabytes(diskBytes)} MB of output.`),
}

/** What a run is told whose sandbox did not outlive it. */
export const outOfMemory = (limits: Described): RunError => bySupervisor.memory(limits)

interface Described {
  readonly timeoutMs: number
  readonly memoryBytes: number
  readonly diskBytes: number
}

/** The typed error of a finished run, or null. What the supervisor did outranks what the kernel said. */
export function errorOf(done: Done, language: string, stderr: string, limits: Described): RunError | null {
  if (done.reason) return bySupervisor[done.reason](limits)
  if (language === 'bash') return bashError(done, stderr)
  // What Deno prints when V8 collects a promise that a cell awaits; a cell that forges it misnames only its own error.
  if (done.stateLost && language !== 'python' && stderr.includes('\nDeno has panicked.'))
    return ended(
      'runtime',
      'KernelBroke',
      'The kernel broke down, most likely because the code waits for a promise that nothing can settle any more.',
    )
  const told = RunErrorSchema.safeParse(done.error)
  if (told.success) return told.data
  return done.exitCode === 0
    ? null
    : ended('runtime', 'Exit', `The code ended with exit code ${done.exitCode ?? 'unknown'}.`)
}

function bashError(done: Done, stderr: string): RunError | null {
  const told = RunErrorSchema.safeParse(done.error)
  if (told.success && done.exitCode === null) return told.data
  if (done.exitCode === 0) return null
  // What bash prints of a cell that it cannot read; a cell that forges it misnames only its own error.
  const syntax = /^bash: (?:[^\n]*\/)?cell: line (\d+): (syntax error[^\n]*|unexpected EOF[^\n]*)/m.exec(stderr)
  if (done.exitCode === 2 && syntax?.[1] && syntax[2])
    return { ...ended('syntax', 'SyntaxError', syntax[2]), line: Math.max(1, Number(syntax[1])) }
  return ended('runtime', 'ExitStatus', `The last command ended with exit status ${done.exitCode}.`)
}

const ended = (kind: RunError['kind'], name: string, message: string): RunError => ({
  kind,
  name,
  message,
  traceback: [],
})
const megabytes = (bytes: number) => Math.round(bytes / (1024 * 1024))
