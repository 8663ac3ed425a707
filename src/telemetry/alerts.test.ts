import { describe, expect, it } from 'vitest'
import { finished, renamed, temporaryAudit, tenant } from '../audit/testing.ts'
import { type Outcome, ok, problem } from '../contract/problem.ts'
import type { Passed } from '../privacy/privacy.ts'
import { passed } from '../privacy/testing.ts'
import { type Alert, alertSinks, createAlerts, tellOfWorkflows, type WebhookMessage } from './alerts.ts'

const run = '01900000-0000-7000-8000-0000000000a1'
const risky = (risk: string) => ({
  ...finished(run, { risk, sandbox: 'local', language: 'bash' }),
  action: 'run.intended' as const,
})

interface Posted {
  readonly url: string
  readonly body: Record<string, unknown>
}

async function watched(answers: number[] = [], pass?: (message: WebhookMessage) => Outcome<Passed<WebhookMessage>>) {
  const record = await temporaryAudit()
  const shown: Alert[] = []
  const posted: Posted[] = []
  const send = (async (url: string, init: RequestInit) => {
    posted.push({ url, body: JSON.parse(String(init.body)) })
    return new Response(null, { status: answers.shift() ?? 204 })
  }) as typeof fetch
  const sinks = alertSinks({
    show: alert => shown.push(alert),
    webhook: () => 'https://hooks.example.org/x',
    passEgress: async message => (pass ? pass(message) : ok(passed(message))),
    clock: record.clock,
    send,
  })
  const alerts = createAlerts({ audit: record.audit, sinks, tenant, clock: record.clock })
  /** Lets what follows the record do its work, retries included. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) {
      record.clock.advance(400)
      await new Promise(resolve => setImmediate(resolve))
      await record.storage.write(async () => undefined)
    }
  }
  return { ...record, alerts, shown, posted, settle }
}

describe('alerts', () => {
  it('tell of high and critical code and of nothing less', async () => {
    const { audit, shown, posted, settle } = await watched()
    await audit.record(risky('low'))
    await audit.record(risky('medium'))
    await audit.record(renamed('harmless'))
    await audit.record(risky('critical'))
    await settle()
    expect(shown).toMatchObject([{ rule: 'risky-run', level: 'critical', title: 'Code of critical risk was started' }])
    expect(posted).toMatchObject([{ body: { source: 'countersign', level: 'critical', entry: 4 } }])
    const { items } = await audit.query({ filter: { actions: ['alert.raised'] } })
    expect(items[0]?.entry.details).toMatchObject({ about: 4, delivered: { app: 'delivered', webhook: 'delivered' } })
  })

  it('put a storm together', async () => {
    const { audit, shown, settle } = await watched()
    for (let count = 0; count < 50; count++) await audit.record(risky('high'))
    await settle()
    expect(shown).toHaveLength(1)
    await settle()
    expect(shown).toHaveLength(2)
    expect(shown[1]?.text).toContain('48 more')
  })

  it('tell of a damaged record', async () => {
    const { audit, shown, settle } = await watched()
    const details = { success: false, findings: [{ kind: 'changed' }] }
    await audit.record({ action: 'audit.verified', tenant, actor: null, details })
    await settle()
    expect(shown).toMatchObject([{ rule: 'damaged-record', level: 'critical' }])
  })

  it('repeat nothing that code or people wrote', async () => {
    const { audit, posted, settle } = await watched()
    const hostile = 'x" onload=steal() 123-45-6789'
    await audit.record({ ...risky('high'), details: { risk: 'high', sandbox: hostile, language: hostile } })
    await settle()
    expect(JSON.stringify(posted)).not.toContain('steal')
    expect(posted).toHaveLength(1)
  })

  it('send what the egress guard gives back, and nothing when it holds the text', async () => {
    const changed = await watched([], message => ok(passed({ ...message, title: '[REDACTED]', text: '[REDACTED]' })))
    await changed.audit.record(risky('high'))
    await changed.settle()
    expect(changed.posted).toMatchObject([{ body: { title: '[REDACTED]', text: '[REDACTED]' } }])
    const held = await watched([], () => ({ ok: false, problem: problem('access.denied', 'held', '') }))
    await held.audit.record(risky('high'))
    await held.settle()
    expect(held.posted).toEqual([])
    expect(held.shown).toHaveLength(1)
  })

  it('try a webhook again, then give up and say so on the record', async () => {
    const { audit, posted, settle } = await watched([500, 500, 500])
    await audit.record(risky('high'))
    await settle()
    expect(posted).toHaveLength(3)
    const { items } = await audit.query({ filter: { actions: ['alert.raised'] } })
    expect(items[0]?.entry.details).toMatchObject({ delivered: { webhook: 'alert.undelivered' } })
  })
})

describe('what becomes of workflows', () => {
  it.each([true, false])(
    'is told to the webhook where that is wanted (%s), without what anybody wrote',
    async wanted => {
      const { audit, clock, storage } = await temporaryAudit()
      const posted: Record<string, unknown>[] = []
      tellOfWorkflows(audit, () => wanted, {
        webhook: () => 'https://hooks.example.org/x',
        passEgress: async message => ok(passed(message)),
        clock,
        send: (async (_url: string, init: RequestInit) => {
          posted.push(JSON.parse(String(init.body)))
          return new Response(null, { status: 204 })
        }) as typeof fetch,
      })
      for (const action of ['workflow.started', 'workflow.checkpoint', 'workflow.completed'] as const)
        await audit.record({ ...renamed(''), action, details: { workflow: run, name: 'SECRET' } })
      for (let turn = 0; turn < 20; turn++) {
        clock.advance(400)
        await new Promise(resolve => setImmediate(resolve))
        await storage.write(async () => undefined)
      }
      const texts = wanted ? [`Workflow ${run} started.`, `Workflow ${run} completed.`] : []
      expect(posted.map(({ text }) => text)).toEqual(texts)
      expect(JSON.stringify(posted)).not.toContain('SECRET')
    },
  )
})
