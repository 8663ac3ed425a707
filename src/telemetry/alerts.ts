import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { AuditAction, AuditEntry, Finding } from '../contract/audit.ts'
import type { TenantId } from '../contract/ids.ts'
import { fail, type Outcome, ok, problemOf } from '../contract/problem.ts'
import type { Passed } from '../privacy/privacy.ts'
import { type Alert, type AlertRule, alertFor } from './rules.ts'

export type { Alert, AlertLevel, AlertRule } from './rules.ts'

/** A way to reach a person. */
export interface AlertSink {
  readonly name: 'app' | 'desktop' | 'webhook'
  deliver(alert: Alert): Promise<Outcome<void>>
}

export interface AlertsOptions {
  readonly audit: Pick<Audit, 'follow' | 'record' | 'damageAtStart'>
  readonly sinks: readonly AlertSink[]
  readonly tenant: TenantId
  readonly clock: Clock
}

/** More of the same within this time become one: a loop of failing runs must not ring a thousand times. */
const quietMs = 10_000

/** Watches the record and tells people. What was told, and whether it arrived, is on the record too. */
export function createAlerts({ audit, sinks, tenant, clock }: AlertsOptions): { close(): void } {
  const quiet = new Map<AlertRule, Alert[]>()
  const timers = new Set<() => void>()

  const tell = async (alert: Alert): Promise<void> => {
    const delivered: Record<string, string> = {}
    for (const sink of sinks) {
      const outcome = await sink.deliver(alert).catch(error => ({ ok: false as const, problem: problemOf(error) }))
      delivered[sink.name] = outcome.ok ? 'delivered' : outcome.problem.code
    }
    const { rule, level, title, seq } = alert
    await audit.record({
      action: 'alert.raised',
      tenant,
      actor: null,
      details: { rule, level, title, about: seq, delivered },
    })
  }

  const raise = (alert: Alert): void => {
    const waiting = quiet.get(alert.rule)
    if (waiting) {
      waiting.push(alert)
      return
    }
    quiet.set(alert.rule, [])
    const cancel = clock.after(quietMs, () => {
      timers.delete(cancel)
      const more = quiet.get(alert.rule) ?? []
      quiet.delete(alert.rule)
      const worst = more.find(each => each.level === 'critical') ?? more.at(-1)
      if (worst)
        raise(more.length === 1 ? worst : { ...worst, text: `${worst.text} And ${more.length - 1} more like it.` })
    })
    timers.add(cancel)
    // A failure is on the record or, when that fails, with whoever watches the record's own problems.
    void tell(alert).catch(() => undefined)
  }

  const stop = audit.follow(items => {
    for (const { entry } of items) {
      const alert = alertFor(entry)
      if (alert) raise(alert)
    }
  })
  if (audit.damageAtStart.length > 0) raise(damageAlert(audit.damageAtStart, clock.now()))
  return {
    close() {
      stop()
      for (const cancel of timers) cancel()
    },
  }
}

const damageAlert = (findings: readonly Finding[], at: number): Alert => ({
  rule: 'damaged-record',
  level: 'critical',
  title: 'The audit record is damaged',
  text: findings.map(each => each.message).join(' '),
  at,
  seq: findings[0]?.seq ?? null,
  run: null,
})

/** What the webhook is sent. */
export interface WebhookMessage extends Omit<Alert, 'at' | 'seq' | 'run' | 'rule' | 'level'> {
  readonly source: 'countersign'
  readonly rule: AlertRule | 'workflow'
  readonly level: Alert['level'] | 'info'
  readonly at: string
  readonly entry: number | null
}

export interface SinkOptions {
  /** Shows it in the window. */
  readonly show: (alert: Alert) => void
  /** The system's notification; absent where there is no desktop, or when switched off. */
  readonly notify?: (alert: Alert) => void
  /** Address from the settings; read anew for each alert. Empty means none. */
  readonly webhook: () => string
  /** The message on its way to the webhook. */
  readonly passEgress: (message: WebhookMessage) => Promise<Outcome<Passed<WebhookMessage>>>
  readonly clock: Clock
  readonly send?: typeof fetch
}

const workflowWords: Partial<Record<AuditAction, string>> = {
  'workflow.started': 'started',
  'workflow.completed': 'completed',
  'workflow.failed': 'failed',
  'workflow.aborted': 'aborted',
}

/** Tells the webhook what becomes of workflows: ids and states, never what somebody wrote. */
export function tellOfWorkflows(
  audit: Pick<Audit, 'follow'>,
  isWanted: () => boolean,
  { webhook, passEgress, clock, send = fetch }: Omit<SinkOptions, 'show' | 'notify'>,
): () => void {
  const tell = async ({ action, details, at, seq }: AuditEntry): Promise<void> => {
    const how = workflowWords[action]
    const id = (details as { workflow?: unknown } | null)?.workflow
    const address = webhook()
    if (how === undefined || address === '' || !isWanted()) return
    const text = `Workflow ${typeof id === 'string' ? id : 'unknown'} ${how}.`
    const about = { source: 'countersign', rule: 'workflow', level: 'info', title: `A workflow ${how}` } as const
    const passed = await passEgress({ ...about, text, at: new Date(at).toISOString(), entry: seq })
    if (passed.ok) await post(address, passed.value, send, clock)
  }
  return audit.follow(items => {
    // What cannot be told is on the record all the same; whoever waits for the message asks there.
    for (const { entry } of items) void tell(entry).catch(() => undefined)
  })
}

export function alertSinks({ show, notify, webhook, passEgress, clock, send = fetch }: SinkOptions): AlertSink[] {
  const simply = (name: 'app' | 'desktop', call: (alert: Alert) => void): AlertSink => ({
    name,
    async deliver(alert) {
      call(alert)
      return ok(undefined)
    },
  })
  const toWebhook: AlertSink = {
    name: 'webhook',
    async deliver(alert) {
      const address = webhook()
      if (address === '') return ok(undefined)
      const { rule, level, title, text, at, seq } = alert
      const time = new Date(at).toISOString()
      const passed = await passEgress({ source: 'countersign', rule, level, title, text, at: time, entry: seq })
      return passed.ok ? post(address, passed.value, send, clock) : passed
    },
  }
  return [simply('app', show), ...(notify ? [simply('desktop', notify)] : []), toWebhook]
}

const pausesMs = [1000, 5000]

/** Takes what has passed the guard and nothing else: the compiler refuses an alert as it is. */
async function post(
  address: string,
  message: Passed<WebhookMessage>,
  send: typeof fetch,
  clock: Clock,
): Promise<Outcome<void>> {
  const body = JSON.stringify(message.value)
  for (let attempt = 0; ; attempt++) {
    const headers = { 'content-type': 'application/json' }
    const said = await send(address, {
      method: 'POST',
      headers,
      body,
      // A redirect would send the text to a place that nobody configured.
      redirect: 'error',
      signal: AbortSignal.timeout(10_000),
    }).then(
      response => (response.ok ? null : `it answered ${response.status}`),
      error => (error instanceof Error ? error.message : String(error)),
    )
    if (said === null) return ok(undefined)
    const pause = pausesMs[attempt]
    if (pause === undefined) {
      return fail(
        'alert.undelivered',
        `The webhook did not take an alert: ${said}.`,
        'Check its address in the settings.',
      )
    }
    await new Promise<void>(resolve => clock.after(pause, resolve))
  }
}
