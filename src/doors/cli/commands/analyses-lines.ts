import { z } from 'zod'
import type { AnalysisRequest } from '../../../contract/analyses.ts'
import type { Problem } from '../../../contract/problem.ts'
import { type Arguments, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { settling } from './analyses.ts'
import { jsonOf, readLines, readText, write } from './input.ts'

const Line = z.object({
  analysis: z.string(),
  input: z.record(z.string(), z.unknown()).default({}),
  as_of: z.string().optional(),
  version: z.string().optional(),
})

/** A line of JSON is held in memory whole. */
const longestLine = 64 * 1024 * 1024
/** Lines that wait for the sandbox while more are read. */
const mostWaiting = 50_000

type Waiting =
  | { readonly id: unknown; readonly request: AnalysisRequest }
  | { readonly id: unknown; readonly error: Problem }

/** `run --jsonl`: lines that are here together go into the sandbox together; answers come in order. */
export async function answerLines(names: readonly string[], { values }: Arguments, io: Io): Promise<number> {
  const [file = '-', ...more] = names
  if (more.length > 0) throw new UsageError('give one file, or - for standard input')
  const lines = new Queue(readLines(readText(file, io), longestLine))
  return withEngine(io, async engine => {
    const batch = engine.analyses.batch(engine.caller, { signal: io.signal, settle: settling(engine, io, values) })
    let failed = false
    try {
      for (let waiting = await lines.take(); waiting; waiting = await lines.take()) {
        const requests = waiting.flatMap(each => ('request' in each ? [each.request] : []))
        const answers = (await batch.run(requests)).values()
        let text = ''
        for (const each of waiting) {
          const answer = 'request' in each ? answers.next().value : each
          failed ||= !answer || 'error' in answer
          const said = answer && 'output' in answer ? { output: answer.output } : { error: answer?.error }
          text += `${JSON.stringify({ id: each.id, ...said })}\n`
        }
        await write(io.stdout, text)
      }
    } finally {
      await batch.close()
    }
    return failed ? exit.failed : exit.success
  })
}

/** Reads on while answers are worked out, and hands over all that has come meanwhile. */
class Queue {
  #waiting: Waiting[] = []
  #ended = false
  #failure: unknown = null
  #wake = () => {}
  #room = () => {}

  constructor(source: AsyncIterable<(string | null)[]>) {
    void this.#fill(source)
  }

  /** All lines that have come since the last call; null at the end. */
  async take(): Promise<Waiting[] | null> {
    while (this.#waiting.length === 0 && !this.#ended) await new Promise<void>(resolve => (this.#wake = resolve))
    if (this.#failure) throw this.#failure
    if (this.#waiting.length === 0) return null
    const taken = this.#waiting
    this.#waiting = []
    this.#room()
    return taken
  }

  async #fill(source: AsyncIterable<(string | null)[]>): Promise<void> {
    try {
      for await (const lines of source) {
        for (const line of lines) if (line?.trim() !== '') this.#waiting.push(read(line))
        this.#wake()
        while (this.#waiting.length > mostWaiting) await new Promise<void>(resolve => (this.#room = resolve))
      }
    } catch (error) {
      this.#failure = error
    }
    this.#ended = true
    this.#wake()
  }
}

function read(line: string | null): Waiting {
  const { json, id } = line === null ? { json: undefined, id: null } : jsonOf(line)
  const parsed = Line.safeParse(json)
  if (!parsed.success) return { id, error: { code: 'request.invalid', message: wrong(line, json), hint: shape } }
  const { analysis, input: inputs, as_of, version } = parsed.data
  return {
    id,
    request: {
      analysis,
      inputs,
      ...(as_of === undefined ? {} : { as_of }),
      ...(version === undefined ? {} : { version }),
    },
  }
}

const shape = 'Write one JSON object a line; as_of and version, where they are wanted, as text.'

function wrong(line: string | null, json: unknown): string {
  if (line === null) return 'This line is too long.'
  return json === undefined
    ? 'This line is not JSON, or is nested more than a hundred levels deep.'
    : 'This line is not { "id", "analysis", "input" }.'
}
