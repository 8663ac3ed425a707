import type { ApprovalRequest, RequestState } from '../../src/contract/approval.ts'
import type { Isolation, SandboxKind } from '../../src/contract/run.ts'

export const stateWords: Record<RequestState, string> = {
  waiting: 'being asked now',
  saved: 'waits for a decision',
  approved: 'approved',
  used: 'approved and started',
  denied: 'denied',
  expired: 'expired',
  cancelled: 'withdrawn',
  voided: 'void',
}

export const isolationWords: Record<Isolation, string> = {
  unconfined: 'Nothing confines it: the code can do all that you can.',
  jail: 'A jail on this machine: own folder, no home folder, no secrets.',
  container: 'A container: own files, no capabilities.',
  'user-space kernel': 'A container whose system calls a program answers, not the kernel of this machine.',
  microvm: 'A virtual machine of its own.',
  cloud: 'A machine in the cloud: code and files leave this one.',
}

export const sandboxWords: Record<SandboxKind, string> = {
  local: 'Local sandbox',
  docker: 'Docker',
  gvisor: 'gVisor',
  microvm: 'microVM',
  e2b: 'E2B cloud sandbox',
}

/** What came of an approved run, as far as the record tells. */
export type RunEnd = 'success' | 'failure' | 'unknown'

const endWords: Record<RunEnd, string> = {
  success: 'The run succeeded.',
  failure: 'The run failed.',
  unknown: 'The run was started.',
}

/** Why a request can no longer be answered; null while it can. */
export function closedWhy(
  request: Pick<ApprovalRequest, 'state' | 'reviewer' | 'note'>,
  end: RunEnd = 'unknown',
): string | null {
  const who = request.reviewer?.name ?? 'a reviewer'
  switch (request.state) {
    case 'waiting':
    case 'saved':
      return null
    case 'approved':
      return `Approved by ${who}. The run is about to begin.`
    case 'used':
      return `Approved by ${who}. ${endWords[end]} An approval counts for one run.`
    case 'denied':
      return `Denied by ${who}. It was not run.`
    case 'expired':
      return request.note || 'Nobody decided in time. It was not run.'
    case 'cancelled':
      return request.note || 'The requester withdrew it. It was not run.'
    case 'voided':
      return request.note || 'The code changed after this was asked, which voids it. It was not run.'
  }
}

const stamp = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })

export const when = (ms: number): string => stamp.format(ms)
export const whenExactly = (ms: number): string => exact.format(ms)

/** `4 min`, `3 h`, `2 d`: for a list, where the order says the rest. */
export function age(ms: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - ms) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`
}

/** `0:42`; never below nothing. */
export function clockFace(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export const bytes = (count: number): string =>
  count >= 1024 ** 3 ? `${+(count / 1024 ** 3).toFixed(1)} GB` : `${Math.round(count / 1024 ** 2)} MB`
