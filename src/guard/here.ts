import { runInNewContext } from 'node:vm'
import type { Inspection } from '../contract/inspection.ts'
import type { Guard, GuardSettings } from './guard.ts'
import { asCompiled, inspectProgram } from './inspect.ts'

/** Longer texts go to the thread at once: it has a limit of memory as well. */
const longest = 64 * 1024
const longestMs = 1_000

/**
 * Reads programs where it is, because a thread takes longer to start than a program or two take to be read. What is
 * long, takes long, needs a grammar or cannot be read to its end is left to the thread of `guard`, made with the same
 * settings, whose answer counts.
 */
export function readingHere(guard: Guard, settings: GuardSettings = {}): Guard {
  const { timeLimitMs = longestMs, python = async () => null } = settings
  const patienceMs = Math.min(timeLimitMs, longestMs)
  let willing = true
  return {
    async inspect(code, language, signal) {
      signal?.throwIfAborted()
      if (willing && code.length <= longest) {
        const found = attempt(() => inspectProgram(code, language), patienceMs)
        if (found?.complete) {
          const isAsked = language === 'python' && found.risk !== 'low'
          return asCompiled(found, code, language, isAsked ? await python().catch(() => null) : null)
        }
        // Whatever was interrupted may have been left in the middle of something.
        willing = found !== null
      }
      return guard.inspect(code, language, signal)
    },
    dependencies: (code, language, signal) => guard.dependencies(code, language, signal),
    close: () => guard.close(),
  }
}

/** Null when it did not come to an end by itself and in time. */
function attempt(inspect: () => Inspection, timeout: number): Inspection | null {
  try {
    return runInNewContext('inspect()', { inspect }, { timeout })
  } catch {
    return null
  }
}
