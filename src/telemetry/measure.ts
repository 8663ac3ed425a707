import { z } from 'zod'
import type { AuditAction, AuditItem } from '../contract/audit.ts'
import { riskLevels } from '../contract/run.ts'
import type { Attributes, Telemetry } from './telemetry.ts'

/** What the record says of a run or a context, as far as it is measured. */
const Measured = z.object({
  language: z.string().optional().catch(undefined),
  risk: z.enum(riskLevels).optional().catch(undefined),
  sandbox: z
    .union([z.string(), z.object({ kind: z.string() })])
    .optional()
    .catch(undefined),
  sandboxId: z.string().optional().catch(undefined),
  success: z.boolean().optional().catch(undefined),
  error: z.object({ kind: z.string() }).nullish().catch(undefined),
  executionTimeMs: z.number().optional().catch(undefined),
  cpuTimeMs: z.number().optional().catch(undefined),
  peakMemoryBytes: z.number().optional().catch(undefined),
  reason: z.string().nullish().catch(undefined),
  startupMs: z.number().optional().catch(undefined),
  workflow: z.uuid().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
})

/**
 * Measures what is durable on the record: every run and context counts once, whichever door it came through, and
 * nothing that was rolled back counts. Hand it to `audit.follow`.
 */
export function measureRecord(telemetry: Telemetry): (items: readonly AuditItem[]) => void {
  let active = 0
  const workflows = new Workflows(telemetry)
  return items => {
    for (const { entry } of items) {
      const details = Measured.safeParse(entry.details).data
      if (!details) continue
      const sandbox = typeof details.sandbox === 'object' ? details.sandbox.kind : details.sandbox
      const shared = {
        ...(sandbox && { 'sandbox.type': sandbox }),
        ...(details.risk && { 'risk.level': details.risk }),
      }
      const place: Attributes = {
        'app.tenant.id': entry.tenant,
        ...(entry.conversation && { 'app.conversation.id': entry.conversation }),
        ...(entry.path && { 'app.path.id': entry.path }),
        ...shared,
      }
      if (entry.action === 'context.created') {
        telemetry.measure('execution_context.created.total', 1, shared)
        telemetry.measure('execution_context.active.count', ++active)
        const { startupMs = 0 } = details
        if (details.startupMs !== undefined) telemetry.measure('sandbox_startup_ms', startupMs, shared)
        telemetry.past('execution_context.get_or_create', place, entry.at - startupMs, entry.at)
      }
      if (entry.action === 'context.ended') {
        const reason = details.reason ?? 'unknown'
        telemetry.measure('execution_context.terminated.total', 1, { ...shared, reason })
        active = Math.max(0, active - 1)
        telemetry.measure('execution_context.active.count', active)
        telemetry.past('execution_context.terminate', { ...place, reason }, entry.at, entry.at)
      }
      if (details.workflow) workflows.take(entry.action, details.workflow, place, entry.at, details.code)
      if (entry.action === 'run.finished') measureRun(telemetry, details, shared, place, entry.at)
    }
  }
}

/** A span for each workflow and each of its layers. One that was started before this process began has its end alone. */
class Workflows {
  readonly #telemetry: Telemetry
  /** Since when each runs, and since when its layer does. */
  readonly #since = new Map<string, { readonly begun: number; layer: number }>()

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

  take(action: AuditAction, id: string, place: Attributes, at: number, code: string | undefined): void {
    const since = this.#since.get(id) ?? { begun: at, layer: at }
    const attributes = { ...place, 'app.workflow.id': id }
    if (action === 'workflow.started') this.#since.set(id, since)
    if (action === 'workflow.checkpoint') {
      this.#telemetry.past('workflow.layer', attributes, since.layer, at)
      since.layer = at
    }
    if (action !== 'workflow.completed' && action !== 'workflow.failed' && action !== 'workflow.aborted') return
    const success = action === 'workflow.completed'
    const failed = success ? undefined : action === 'workflow.aborted' ? 'aborted' : (code ?? 'unknown')
    this.#telemetry.past('workflow.run', { ...attributes, success }, since.begun, at, failed)
    // One that failed may be resumed, and then ends again.
    if (action !== 'workflow.failed') this.#since.delete(id)
  }
}

function measureRun(
  telemetry: Telemetry,
  details: z.infer<typeof Measured>,
  shared: Attributes,
  place: Attributes,
  at: number,
): void {
  const { executionTimeMs = 0, success = false, language } = details
  const failure = success ? undefined : (details.error?.kind ?? 'unknown')
  telemetry.measure('code_execution_total', 1, { ...shared, success })
  telemetry.measure('execution_context.executions.total', 1, shared)
  telemetry.measure('code_execution_duration_ms', executionTimeMs, shared)
  telemetry.measure('execution_context.execution.duration_ms', executionTimeMs, shared)
  if (details.cpuTimeMs !== undefined) telemetry.measure('code_execution_ms', details.cpuTimeMs, shared)
  if (details.peakMemoryBytes !== undefined) {
    telemetry.measure('sandbox_memory_mb', details.peakMemoryBytes / 2 ** 20, shared)
  }
  if (details.risk) telemetry.measure('code_execution_risk_level', riskLevels.indexOf(details.risk) + 1, shared)
  if (failure === undefined) telemetry.measure('code_execution_success', 1, shared)
  else {
    telemetry.measure('code_execution_errors_total', 1, { ...shared, 'error.type': failure })
    telemetry.measure('execution_context.execution.errors.total', 1, { ...shared, 'error.type': failure })
  }
  const attributes = {
    ...place,
    success,
    ...(language && { 'code.language': language }),
    ...(details.sandboxId && { 'sandbox.id': details.sandboxId }),
  }
  telemetry.past('execution_context.execute_code', attributes, at - executionTimeMs, at, failure)
}
