/** What is measured, under the names that dashboards know. The tables are closed: a name that is not here is not sent. */
export const spanNames = [
  'execution_context.get_or_create',
  'execution_context.execute_code',
  'execution_context.terminate',
  'compliance.tool.run_code',
  'compliance.tool.run_analysis',
  'compliance.chat.answer',
  'workflow.run',
  'workflow.layer',
] as const
export type SpanName = (typeof spanNames)[number]

/** Ids, kinds and figures. Never text that a person or a program wrote. */
export const attributeNames = [
  'app.tenant.id',
  'app.conversation.id',
  'app.path.id',
  'app.workflow.id',
  'sandbox.id',
  'sandbox.type',
  'tool.name',
  'tool.forced',
  'code.language',
  'risk.level',
  'error.type',
  'success',
  'reason',
] as const
export type Attributes = Partial<Record<(typeof attributeNames)[number], string | number | boolean>>

type Kind = 'counter' | 'histogram' | 'gauge'

export const metrics = {
  'execution_context.created.total': { kind: 'counter', unit: '1', description: 'Sandboxes started' },
  'execution_context.terminated.total': { kind: 'counter', unit: '1', description: 'Sandboxes ended, by reason' },
  'execution_context.active.count': { kind: 'gauge', unit: '1', description: 'Sandboxes open now' },
  'execution_context.executions.total': { kind: 'counter', unit: '1', description: 'Runs in sandboxes' },
  'execution_context.execution.duration_ms': { kind: 'histogram', unit: 'ms', description: 'Duration of runs' },
  'execution_context.execution.errors.total': { kind: 'counter', unit: '1', description: 'Runs that failed' },
  code_execution_total: { kind: 'counter', unit: '1', description: 'Runs' },
  code_execution_success: { kind: 'counter', unit: '1', description: 'Runs that succeeded' },
  code_execution_errors_total: { kind: 'counter', unit: '1', description: 'Runs that failed, by type of error' },
  code_execution_duration_ms: { kind: 'histogram', unit: 'ms', description: 'Duration of runs' },
  code_execution_ms: { kind: 'histogram', unit: 'ms', description: 'Processor time of runs' },
  code_execution_risk_level: { kind: 'histogram', unit: '1', description: 'Risk: 1 low, 2 medium, 3 high, 4 critical' },
  code_execution_tokens_used: { kind: 'counter', unit: '1', description: 'Model tokens' },
  chat_cost_usd: { kind: 'counter', unit: 'USD', description: 'Cost of requests to models' },
  chat_first_token_ms: { kind: 'histogram', unit: 'ms', description: 'Time to the first token of a model' },
  chat_request_errors_total: { kind: 'counter', unit: '1', description: 'Requests to models that failed, by code' },
  chat_tool_errors_total: { kind: 'counter', unit: '1', description: 'Tool calls of models that failed, by tool' },
  sandbox_memory_mb: { kind: 'gauge', unit: 'MB', description: 'Peak memory of the last run' },
  sandbox_startup_ms: { kind: 'histogram', unit: 'ms', description: 'Time until a sandbox was ready' },
  tool_discovery_ms: { kind: 'histogram', unit: 'ms', description: 'Time to find tools for an intent' },
  tools_injected_count: { kind: 'histogram', unit: '1', description: 'Tools injected into a sandbox' },
  checkpoint_save_ms: { kind: 'histogram', unit: 'ms', description: 'Time to save a workflow checkpoint' },
} as const satisfies Record<string, { kind: Kind; unit: string; description: string }>

export type MetricName = keyof typeof metrics
