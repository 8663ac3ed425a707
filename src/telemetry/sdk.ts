import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Counter,
  type Gauge,
  type Histogram,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { type Attributes, type MetricName, metrics } from './names.ts'
import type { MetricPoint, Telemetry, TelemetryOptions } from './telemetry.ts'

export async function openTelemetry({ endpoint, version, exports }: TelemetryOptions): Promise<Telemetry> {
  const { spans, readers } = exports ?? (await exportsTo(endpoint))
  const resource = resourceFromAttributes({ 'service.name': 'countersign', 'service.version': version })
  const looker = new Looker()
  const meters = new MeterProvider({ resource, readers: [looker, ...readers] })
  const tracers = new NodeTracerProvider({ resource, spanProcessors: spans })
  const tracer: Tracer = tracers.getTracer('countersign', version)
  /** The span that a piece of work stands in. Ours, so that no library can hang anything on it. */
  const around = new AsyncLocalStorage<Span>()
  const meter = meters.getMeter('countersign', version)

  const instruments = new Map<MetricName, Counter | Histogram | Gauge>()
  const instrument = (name: MetricName) => {
    const known = instruments.get(name)
    if (known) return known
    const { kind, unit, description } = metrics[name]
    const options = { unit, description }
    const made =
      kind === 'counter'
        ? meter.createCounter(name, options)
        : kind === 'gauge'
          ? meter.createGauge(name, options)
          : meter.createHistogram(name, options)
    instruments.set(name, made)
    return made
  }

  return {
    async span(name, attributes, work) {
      const parent = around.getStore()
      const span = tracer.startSpan(name, { attributes }, parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT)
      try {
        return await around.run(span, () => work(more => span.setAttributes(more)))
      } catch (error) {
        failed(span, error instanceof Error ? error.name : 'unknown')
        throw error
      } finally {
        span.end()
      }
    },
    past(name, attributes, from, to, failure) {
      const span = tracer.startSpan(name, { attributes, startTime: from })
      if (failure !== undefined) failed(span, failure)
      span.end(Math.max(from, to))
    },
    measure(name, value, attributes = {}) {
      const target = instrument(name)
      if ('add' in target) target.add(value, attributes)
      else target.record(value, attributes)
    },
    snapshot: () => looker.look(),
    async close() {
      // A collector that is gone must not keep the application from closing.
      await Promise.allSettled([tracers.shutdown(), meters.shutdown()])
    },
  }
}

/** By its class only: a message may quote what must not leave. */
function failed(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', type)
}

async function exportsTo(endpoint: string): Promise<NonNullable<TelemetryOptions['exports']>> {
  if (endpoint === '') return { spans: [], readers: [] }
  const base = endpoint.replace(/\/+$/, '')
  const [{ OTLPTraceExporter }, { OTLPMetricExporter }, { BatchSpanProcessor }, { PeriodicExportingMetricReader }] =
    await Promise.all([
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/exporter-metrics-otlp-http'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/sdk-metrics'),
    ])
  return {
    spans: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${base}/v1/traces`, timeoutMillis: 10_000 }))],
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics`, timeoutMillis: 10_000 }),
        exportIntervalMillis: 30_000,
      }),
    ],
  }
}

/** Reads the figures inside the application, for the metrics view. */
class Looker extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE })
  }

  async look(): Promise<MetricPoint[]> {
    const { resourceMetrics } = await this.collect()
    return resourceMetrics.scopeMetrics.flatMap(scope =>
      scope.metrics.flatMap(metric =>
        metric.dataPoints.map(point => {
          const histogram = metric.dataPointType === DataPointType.HISTOGRAM
          const value = point.value as number | { sum?: number; count: number; max?: number }
          return {
            name: metric.descriptor.name as MetricName,
            unit: metric.descriptor.unit,
            description: metric.descriptor.description,
            attributes: point.attributes as Attributes,
            value: typeof value === 'number' ? value : (value.sum ?? 0),
            count: histogram && typeof value === 'object' ? value.count : null,
            most: histogram && typeof value === 'object' ? (value.max ?? null) : null,
          }
        }),
      ),
    )
  }

  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}
