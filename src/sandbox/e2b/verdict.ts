import type { Problem } from '../../contract/problem.ts'
import type { RunError } from '../../contract/run.ts'
import { errorOf } from './forms.ts'
import type { Ran } from './service.ts'

/** Why we stopped a run. */
export type Stop = 'timeout' | 'interrupt' | 'output'

/** The typed error of a run that ended by itself, or null. */
export function verdict(ran: Ran): RunError | null {
  switch (ran.kind) {
    case 'kernel-ended':
      return runError('killed', 'KernelEnded', 'The kernel ended while the code was running.')
    case 'command':
      return ran.exitCode === 0
        ? null
        : runError('runtime', 'ExitStatus', `The last command ended with exit status ${ran.exitCode}.`)
    case 'code':
      return ran.error && errorOf(ran.error)
  }
}

export function exitCodeOf(ran: Ran, error: RunError | null): number | null {
  if (ran.kind === 'command') return ran.exitCode
  if (ran.kind === 'kernel-ended') return null
  if (error?.name === 'SystemExit') return /^\d+$/.test(error.message) ? Number(error.message) : 1
  return error ? 1 : 0
}

export function stopError(why: Stop, timeoutMs: number): RunError {
  switch (why) {
    case 'timeout':
      return runError('timeout', 'TimeLimit', `The run was stopped after ${timeoutMs / 1000} s, its time limit.`)
    case 'output':
      return runError('killed', 'OutputLimit', 'The run wrote more output than its disk limit allows.')
    case 'interrupt':
      return runError('killed', 'Interrupted', 'The run was stopped.')
  }
}

export const runError = (kind: RunError['kind'], name: string, message: string): RunError => ({
  kind,
  name,
  message,
  traceback: [],
})
export const sentence = (name: string, { message, hint }: Problem): RunError =>
  runError('sandbox', name, [message, hint].filter(Boolean).join(' '))
