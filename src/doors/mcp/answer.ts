import type { LastRun } from '../../contract/conversations.ts'
import type { ConversationId, PathId } from '../../contract/ids.ts'
import type { CallResult } from '../../contract/mcp.ts'
import type { Outcome, Problem } from '../../contract/problem.ts'
import { ok } from '../../contract/problem.ts'
import type { Output } from '../../contract/run.ts'
import type { RunView } from '../../contract/runs.ts'
import type { Engine } from '../../engine/engine.ts'

type Status = CallResult['state']['status']

/** What is known of a run, before it is masked. */
export interface Told {
  readonly status: Status
  readonly path: PathId
  readonly conversation: ConversationId
  readonly view?: RunView
  /** From the cell, where another process carried the run out. */
  readonly last?: LastRun
  readonly resume?: string
  readonly problem?: Problem | null
}

/** Each text of an answer is cut after this many characters, once values are tokens: half a value is recognised by nobody. */
const mostChars = 50_000

/** The answer to a call. Every text that the sandbox could have written goes through the egress guard. */
export async function answerOf(
  engine: Pick<Engine, 'privacy'>,
  client: string,
  told: Told,
): Promise<Outcome<CallResult>> {
  const raw = rawAnswer(told)
  const { state, metrics, ...texts } = raw
  const journey = { to: `MCP client ${client}`, conversation: told.conversation, knowsTokens: true }
  const payload = { ...texts, variables: state.variables ?? null, files: state.files ?? null }
  const passed = await engine.privacy.egress.pass('model', payload, journey)
  if (!passed.ok) return passed
  const { variables, files, ...rest } = clipped(passed.value.value) as typeof payload
  return ok({
    ...rest,
    metrics: { ...metrics, sent_bytes: Buffer.byteLength(JSON.stringify(rest)) },
    state: { ...state, ...(variables ? { variables } : {}), ...(files ? { files } : {}) },
  })
}

function rawAnswer({ status, path, view, last, resume, problem }: Told): CallResult {
  const outcome = view?.outcome
  const outputs: Output[] =
    outcome?.outputs ??
    last?.outputs.map(each =>
      each.whole ? each.output : printed(`[${each.bytes} bytes of ${each.mimeTypes.join(', ') || each.type}]\n`),
    ) ??
    []
  const of = (name: 'stdout' | 'stderr') =>
    outputs.flatMap(each => (each.type === 'stream' && each.name === name ? [each.text] : [])).join('')
  const failed = outputs.findLast(each => each.type === 'error')
  const error = outcome?.error ?? (failed?.type === 'error' ? failed.error : null)
  const why = problem ?? view?.problem
  const shown = outputs.flatMap(each => (each.type === 'display' || each.type === 'result' ? [textOf(each.data)] : []))
  return {
    result: shown.join('\n'),
    logs: {
      stdout: outcome?.stdout ?? of('stdout'),
      stderr: outcome?.stderr ?? of('stderr'),
      notices: outputs.flatMap(each => (each.type === 'notice' ? [each.text] : [])),
    },
    metrics: {
      execution_ms: outcome?.executionTimeMs ?? last?.durationMs ?? 0,
      cpu_ms: outcome?.cpuTimeMs ?? 0,
      peak_memory_bytes: outcome?.peakMemoryBytes ?? 0,
      output_bytes: Buffer.byteLength(JSON.stringify(outputs)),
      sent_bytes: 0,
    },
    state: {
      status,
      context: path,
      ...(view ? { run: view.run } : last?.run ? { run: last.run } : {}),
      ...(resume ? { resume } : {}),
      ...(view?.risk ? { risk: view.risk } : last?.risk ? { risk: last.risk } : {}),
      ...(outcome?.stateChanges ? { variables: outcome.stateChanges } : {}),
      ...(outcome ? { files: outcome.files } : {}),
    },
    ...(error
      ? { error: { name: error.name, message: [error.message, ...error.traceback].join('\n') } }
      : why
        ? { error: { name: why.code, message: why.message, hint: why.hint } }
        : {}),
  }
}

const printed = (text: string): Output => ({ type: 'stream', name: 'stdout', text })

function textOf(data: Readonly<Record<string, unknown>>): string {
  const plain = data['text/plain'] ?? data['text/markdown']
  if (typeof plain === 'string') return plain
  const json = data['application/json']
  return json === undefined ? `[${Object.keys(data).join(', ')}]` : JSON.stringify(json)
}

/** Long texts and lists cut short. */
export function clipped(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= mostChars ? value : `${value.slice(0, mostChars)}\n… cut; print less`
  if (Array.isArray(value)) return value.slice(0, 200).map(clipped)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clipped(each)]))
}
