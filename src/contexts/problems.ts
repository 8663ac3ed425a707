import { fail, type Problem, problem } from '../contract/problem.ts'
import { maxCodeBytes, type SandboxKind } from '../contract/run.ts'
import type { ClearedRun } from '../runs/run.ts'
import { type ContextRecord, expiresAt, minutes } from './lifecycle.ts'
import type { ContextLimits } from './limits.ts'

/** What can go wrong before code runs, in words for the person who asked. */

const longestRunMs = 600_000

/** Whether a request must go on without tools that run code: no sandbox can be had for it now. */
export const meansNoSandbox = ({ code }: Problem): boolean =>
  code === 'context.unavailable' ||
  code === 'context.too-many' ||
  code === 'context.elsewhere' ||
  code === 'context.closed'

/** The figures that a run must keep whatever made it; null when it does. */
export function refuseRun(run: ClearedRun): Problem | null {
  const bytes = Buffer.byteLength(run.code)
  if (bytes > maxCodeBytes) {
    return problem(
      'request.too-large',
      `The code has ${bytes.toLocaleString('en')} bytes; at most ${maxCodeBytes.toLocaleString('en')} can run at once.`,
      'Split it over several cells, or put data in a file of the working folder.',
    )
  }
  const { timeoutMs } = run.placement.limits
  if (!(timeoutMs >= 1 && timeoutMs <= longestRunMs)) {
    return problem(
      'request.invalid',
      `A run of ${timeoutMs / 1000} s was asked for; it can take from 1 ms to 10 minutes.`,
      'Choose a shorter time, or split the work over several cells.',
    )
  }
  return null
}

export function tooManyOfTenant(active: readonly ContextRecord[], now: number, limits: ContextLimits) {
  return fail(
    'context.too-many',
    `${active.length} sandboxes are open, which is the most at one time.`,
    endOne(active, now, limits),
  )
}

export function tooManyInConversation(active: readonly ContextRecord[], now: number, limits: ContextLimits) {
  return fail(
    'context.too-many',
    `${active.length} paths of this conversation have a sandbox open, which is the most at one time.`,
    endOne(active, now, limits),
  )
}

function endOne(active: readonly ContextRecord[], now: number, limits: ContextLimits): string {
  const soonest = Math.min(...active.map(record => expiresAt(record, limits)))
  return `End one that is no longer needed, or wait: unless it is used, the next ends by itself in ${minutes(soonest - now)}.`
}

export const heldElsewhere = (record: ContextRecord) =>
  fail(
    'context.elsewhere',
    `Another Countersign (${record.owner.split('/').slice(0, 2).join(', process ')}) has the sandbox of this path open.`,
    'Run it there, end the sandbox there, or branch to go on here.',
  )

export const noSandbox = () =>
  fail('context.none', 'This path has no sandbox at the moment.', 'Run a cell: that starts one.')

export const notInstalled = (kind: SandboxKind) =>
  fail(
    'context.unavailable',
    `No sandbox could be started: ${kind} is not set up here.`,
    '`countersign doctor` says what is missing; another kind of sandbox can be chosen in the settings.',
  )

export const notOpened = (why: Pick<Problem, 'message' | 'hint'>) =>
  fail('context.unavailable', `No sandbox could be started: ${why.message}`, why.hint)

/** A back end that gives something else than was approved is not used, whatever it gives. */
export const notAsPlaced = (other: readonly string[]) =>
  fail(
    'sandbox.mismatch',
    `The sandbox that was opened is not the one that was meant: its ${new Intl.ListFormat('en').format(other)} differ.`,
    'Nothing was run. Run it again; when it keeps happening, `countersign doctor` may know why.',
  )

export const tooSlow = (limits: ContextLimits) =>
  notOpened({
    message: `it was not ready after ${limits.creationMs / 1000} s.`,
    hint: 'Try again; when it keeps happening, `countersign doctor` may know why.',
  })

export const stopped = () =>
  fail(
    'request.cancelled',
    'This was stopped before the sandbox was ready.',
    'Nothing of it ran. Run it again when you like.',
  )

export const lost = () =>
  fail(
    'context.unavailable',
    'The sandbox does not answer any more.',
    'Run a cell: that starts a new one. Its variables are gone; the files of the path are kept.',
  )

export const closing = () =>
  fail('context.closed', 'Countersign is closing and starts nothing new.', 'Start it again to go on.')

export const cannotFork = (kind: SandboxKind) =>
  fail(
    'context.cannot-fork',
    `A ${kind} sandbox cannot hand its variables to a branch.`,
    'Branch without them and run the cells again on the new path.',
  )

export const alreadyHasOne = () =>
  fail('conflict', 'The new path already has a sandbox of its own.', 'End that first, or branch again.')

export const notAnotherPath = () =>
  fail(
    'request.invalid',
    'Variables can be handed only to another path of the same conversation.',
    'Branch from the path that has them.',
  )
