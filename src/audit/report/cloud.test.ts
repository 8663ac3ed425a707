import { expect, it } from 'vitest'
import type { AuditAction, AuditEntry } from '../../contract/audit.ts'
import { CloudTime } from './cloud.ts'

const entry = (action: AuditAction, at: number, context = 'c1', isolation = 'cloud') =>
  ({
    action,
    at,
    details: { context, sandbox: { id: `s-${context}`, kind: 'e2b', isolation } },
  }) as unknown as AuditEntry

it('counts from the record how long sandboxes of the cloud were awake, and leaves out those of this machine', () => {
  const time = new CloudTime()
  for (const each of [
    entry('cloud.allowed', 0),
    entry('context.created', 1_000),
    entry('context.paused', 61_000),
    entry('context.created', 61_000, 'c2', 'jail'),
    entry('context.resumed', 100_000),
    entry('context.ended', 130_000),
    entry('context.ended', 900_000, 'c2', 'jail'),
    entry('context.created', 200_000, 'c3'),
    entry('cloud.revoked', 200_000),
    entry('context.ended', 200_000, 'never-seen'),
  ])
    time.take(each)
  expect(time.figures(210_000)).toEqual({ sandboxes: 2, seconds: 100, allowed: 1, revoked: 1 })
})
