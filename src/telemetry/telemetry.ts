import type { IMetricReader } from '@opentelemetry/sdk-metrics'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node'
import type { Attributes, MetricName, SpanName } from './names.ts'

export { alertSinks, createAlerts, tellOfWorkflows, type WebhookMessage } from './alerts.ts'
export { measureRecord } from './measure.ts'
export type { Attributes, MetricName, SpanName } from './names.ts'

/** One series as the metrics view shows it. */
export interface MetricPoint {
  readonly name: MetricName
  readonly unit: string
  readonly description: string
  readonly attributes: Attributes
  /** Of a histogram: how often, and the sum; else the value alone. */
  readonly value: number
  readonly count: number | null
  readonly most: number | null
}

/** Spans and metrics. Nothing leaves unless a collector is configured; the figures can be looked at all the same. */
export interface Telemetry {
  /** Times a piece of work; what it throws is noted by its class and thrown on. */
  /** `note` adds what is known only later, such as the sandbox that was opened. */
  span<T>(
    name: SpanName,
    attributes: Attributes,
    work: (note: (attributes: Attributes) => void) => Promise<T>,
  ): Promise<T>
  /** A span for something that is over already. */
  past(name: SpanName, attributes: Attributes, from: number, to: number, failed?: string): void
  measure(name: MetricName, value: number, attributes?: Attributes): void
  snapshot(): Promise<MetricPoint[]>
  close(): Promise<void>
}

export interface TelemetryOptions {
  /** OTLP over HTTP, e.g. `http://localhost:4318`; empty means that nothing is sent. */
  readonly endpoint: string
  readonly version: string
  /** For tests: other ways out than OTLP. */
  readonly exports?: { readonly spans: SpanProcessor[]; readonly readers: IMetricReader[] }
}

/** The library comes in when it is wanted: it takes longer to load than many commands take to run. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const sdk = await import('./sdk.ts')
  return sdk.openTelemetry(options)
}
