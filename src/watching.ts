import type { Audit } from './audit/audit.ts'
import type { Clock } from './clock.ts'
import type { Alert } from './contract/alerts.ts'
import type { TenantId } from './contract/ids.ts'
import { problemOf } from './contract/problem.ts'
import type { Events } from './events.ts'
import type { Log } from './log.ts'
import type { Privacy } from './privacy/privacy.ts'
import type { SettingsStore } from './settings/settings.ts'
import {
  alertSinks,
  createAlerts,
  type MetricPoint,
  measureRecord,
  openTelemetry,
  type Telemetry,
  tellOfWorkflows,
  type WebhookMessage,
} from './telemetry/telemetry.ts'
import { version } from './version.ts'

export interface WatchOptions {
  readonly audit: Audit
  readonly events: Events
  readonly privacy: Privacy
  readonly settings: SettingsStore
  readonly tenant: TenantId
  readonly clock: Clock
  readonly log: Log
  /** The system's own notification, where there is a desktop. */
  readonly notify?: (alert: Alert) => void
  /** False for a command that runs once: nobody would look at its figures. */
  readonly lasting: boolean
  /** What posts to the webhook; the system's own unless a test stands in for the network. */
  readonly send?: typeof fetch
}

export interface Watching {
  /** Figures since the start, for the metrics view. */
  metrics(): Promise<MetricPoint[]>
  /** For work that is not on the record: what it took, never what it was. */
  readonly measuring: Pick<Telemetry, 'span' | 'measure'>
  close(): Promise<void>
}

/** What follows the record once it is durable: windows are told, people are alerted, figures are kept. */
export function watchRecord(options: WatchOptions): Watching {
  const { audit, events, privacy, settings, tenant, clock, log, notify, lasting, send } = options
  const untell = audit.follow(items => {
    const last = items.at(-1)
    if (last) events.publish(tenant, { type: 'audit', last: last.entry.seq })
  })
  const toWebhook = {
    webhook: () => settings.current.alerts.webhook,
    passEgress: (message: WebhookMessage) =>
      privacy.egress.pass('alert', message, { to: 'webhook', conversation: null }),
    clock,
    ...(send ? { send } : {}),
  }
  const sinks = alertSinks({
    show: alert => events.publish(tenant, { type: 'alert', alert }),
    ...(notify ? { notify: (alert: Alert) => void (settings.current.alerts.desktop && notify(alert)) } : {}),
    ...toWebhook,
  })
  const untellOfWorkflows = tellOfWorkflows(audit, () => settings.current.alerts.workflows, toWebhook)
  const alerts = createAlerts({ audit, sinks, tenant, clock })

  const { endpoint } = settings.current.telemetry
  const telemetry = lasting || endpoint !== '' ? openTelemetry({ endpoint, version }) : null
  // In the order of the record, however long the library takes to load.
  const measure = telemetry?.then(measureRecord)
  measure?.catch(error => log.warn({ reason: problemOf(error).message }, 'telemetry is not available'))
  const unmeasure = audit.follow(items => void measure?.then(take => take(items)).catch(() => undefined))

  const opened = telemetry?.catch(() => null) ?? Promise.resolve(null)
  return {
    measuring: {
      span: async (name, attributes, work) => (await opened)?.span(name, attributes, work) ?? work(() => {}),
      measure: (name, value, attributes) => void opened.then(each => each?.measure(name, value, attributes)),
    },
    metrics: async () => (await telemetry)?.snapshot() ?? [],
    async close() {
      untell()
      untellOfWorkflows()
      unmeasure()
      alerts.close()
      await telemetry?.then(
        opened => opened.close(),
        () => undefined,
      )
    },
  }
}
