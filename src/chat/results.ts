import type { LastRun } from '../contract/conversations.ts'
import type { Output } from '../contract/run.ts'
import type { RunView } from '../contract/runs.ts'
import type { TextPart } from '../privacy/privacy.ts'

/** What a model is told of a run: short, with the words to ask for more. The whole stays in the cell. */
const mostChars = 4000
const mostOutputs = 8
/** The end that is left out of what was cut: longer than the values that are looked for. */
const cutEndChars = 4000

/** Tokens in the place of values first, then the cut: a cut before it could leave half of a value that nobody knows. */
export type Mask = (text: string, part?: TextPart) => Promise<string>

/** With tokens, and without the end where the text was cut before: half of a value stands there, which nobody recognises. */
export async function maskedBeginning(text: string, mask: Mask, left = cutEndChars): Promise<string> {
  return (await mask(text)).slice(0, -left)
}

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

/** What the outputs of a cell say, for a prompt. */
export async function textOfRun({ outputs }: LastRun, mask: Mask): Promise<string> {
  const texts = outputs.map(view =>
    view.whole ? textOf(view.output) : maskedBeginning(view.preview, mask, Math.ceil(view.preview.length / 2)),
  )
  return mask((await Promise.all(texts)).filter(Boolean).join('\n'))
}

const structured = ['application/json', 'application/vnd.dataresource+json']

/** All that an output says, for the search of figures: a printed table leaves out rows and digits that its data has. */
export function wholeTextOf(output: Output): string {
  if (output.type !== 'display' && output.type !== 'result') return textOf(output)
  // A line each: numbers with only a comma between them would read as one.
  const data = structured.flatMap(mime => JSON.stringify(output.data[mime], null, 1) ?? [])
  return [textOf(output), ...data].join('\n')
}

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
  return `${text.slice(0, head).toWellFormed()}\n… ${left.toLocaleString('en')} characters left out; print less, or read the rest from a file …\n${text.slice(head - most).toWellFormed()}`
}
