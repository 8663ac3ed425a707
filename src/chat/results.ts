import type { LastRun, OutputView } from '../contract/conversations.ts'
import type { Output } from '../contract/run.ts'
import type { RunView } from '../contract/runs.ts'

/** What a model is told of a run: short, with the words to ask for more. The whole stays in the cell. */
const mostChars = 4000
const mostOutputs = 8

/** Tokens in the place of values first, then the cut: a cut before it could leave half of a value that nobody knows. */
export type Mask = (text: string) => Promise<string>

/** Row T1's result, as JSON for the model. */
export async function resultOfRun(view: RunView, mask: Mask): Promise<{ ok: boolean; text: string }> {
  const { outcome, problem } = view
  if (!outcome) {
    const why = problem ? `${problem.message} ${problem.hint}` : (view.held?.why ?? 'It did not run.')
    return { ok: false, text: JSON.stringify({ success: false, ran: false, reason: clip(await mask(why)) }) }
  }
  const rich = outcome.outputs.filter(({ type }) => type === 'display' || type === 'result').slice(0, mostOutputs)
  const result = {
    success: outcome.success,
    stdout: clip(await mask(outcome.stdout)),
    stderr: clip(await mask(outcome.stderr), 2000),
    exitCode: outcome.exitCode,
    outputs: await Promise.all(rich.map(async output => clip(await mask(textOf(output)), 2000))),
    executionTimeMs: Math.round(outcome.executionTimeMs),
    sandboxId: outcome.sandboxId,
    ...(outcome.error
      ? {
          error: clip(
            await mask([outcome.error.name, outcome.error.message, ...outcome.error.traceback].join('\n')),
            2000,
          ),
        }
      : {}),
    ...(outcome.files.created.length > 0
      ? { filesCreated: await mask(outcome.files.created.slice(0, 20).join(', ')) }
      : {}),
  }
  return { ok: outcome.success, text: JSON.stringify(result) }
}

/** What the outputs of a cell say, for a prompt and for the figures of an answer. */
export const textOfRun = (run: LastRun): string => run.outputs.map(textOfView).filter(Boolean).join('\n')

const textOfView = (view: OutputView): string => (view.whole ? textOf(view.output) : view.preview)

export function textOf(output: Output): string {
  switch (output.type) {
    case 'stream':
      return output.text
    case 'error':
      return `${output.error.name}: ${output.error.message}`
    case 'notice':
      return output.text
    default: {
      const plain = output.data['text/plain'] ?? output.data['text/markdown']
      if (typeof plain === 'string') return plain
      const json = output.data['application/json'] ?? output.data['application/vnd.dataresource+json']
      return json === undefined ? `[${Object.keys(output.data).join(', ')}]` : JSON.stringify(json)
    }
  }
}

/** Beginning and end: an error stands at the end, what it is about at the beginning. */
export function clip(text: string, most = mostChars): string {
  if (text.length <= most) return text
  const head = Math.floor(most * 0.7)
  const left = text.length - most
  return `${text.slice(0, head)}\n… ${left.toLocaleString('en')} characters left out; print less, or read the rest from a file …\n${text.slice(head - most)}`
}
