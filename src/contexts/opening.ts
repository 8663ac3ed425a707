import type { Clock } from '../clock.ts'
import type { Outcome } from '../contract/problem.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ContextLimits } from './limits.ts'
import { notOpened, stopped, tooSlow } from './problems.ts'

/**
 * Waits for a sandbox as long as its creation may take. One that comes after its time, or after the person gave up, is
 * closed on arrival, or dropped some other way: nobody else knows of it.
 */
export function openInTime(
  open: (signal: AbortSignal) => Promise<Outcome<Sandbox>>,
  signal: AbortSignal,
  clock: Clock,
  limits: ContextLimits,
  drop: (sandbox: Sandbox) => Promise<unknown> = sandbox => sandbox.close('error'),
): Promise<Outcome<Sandbox>> {
  if (signal.aborted) return Promise.resolve(stopped())
  return new Promise(resolve => {
    const giveUp = new AbortController()
    let settled = false
    const settle = (outcome: Outcome<Sandbox>) => {
      if (settled) {
        if (outcome.ok) void drop(outcome.value).catch(() => undefined)
        return
      }
      settled = true
      stopTimer()
      signal.removeEventListener('abort', onAbort)
      resolve(outcome)
      if (!outcome.ok) giveUp.abort()
    }
    const onAbort = () => settle(stopped())
    const stopTimer = clock.after(limits.creationMs, () => settle(tooSlow(limits)))
    signal.addEventListener('abort', onAbort, { once: true })
    attempt(open, giveUp.signal).then(settle)
  })
}

/** A back end that throws is broken; the person is told like of any other failure to start. */
async function attempt(
  open: (signal: AbortSignal) => Promise<Outcome<Sandbox>>,
  signal: AbortSignal,
): Promise<Outcome<Sandbox>> {
  try {
    const opened = await open(signal)
    return opened.ok ? opened : notOpened(opened.problem)
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return notOpened({ message, hint: 'Try again; `countersign doctor` says what works here.' })
  }
}
