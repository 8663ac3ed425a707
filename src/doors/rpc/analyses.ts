import type { Answer } from '../../analyses/analyses.ts'
import { api, unwrap } from './api.ts'

const { analyses } = api

/** Rows that go into the sandbox together: enough to be quick, few enough to show progress and to stop. */
const together = 1_000
/** Up to this many rows come whole, with steps and law. */
const few = 50

/** A table of rows has no room for the law behind each of them, and a message none for a thousand copies of it. */
function figuresOf(answer: Answer): Answer {
  if ('error' in answer) return answer
  const { parameters_used, steps, ...output } = answer.output
  return { output }
}

export const analysesRouter = {
  list: analyses.list.handler(({ context: { engine } }) => engine.analyses.list()),
  show: analyses.show.handler(({ context: { engine }, input }) =>
    unwrap(engine.analyses.show(input.id, input.version)),
  ),
  start: analyses.start.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.analyses.start(session.caller, input)),
  ),
  batch: analyses.batch.handler(async function* ({ context: { engine, session }, input, signal }) {
    const { path, rows, ...request } = input
    const within = path
      ? { path, conversation: await unwrap(engine.conversations.locate(session.caller, path)) }
      : undefined
    const batch = engine.analyses.batch(session.caller, {
      ...(signal ? { signal } : {}),
      ...(within ? { within } : {}),
    })
    try {
      for (let from = 0; from < rows.length && !signal?.aborted; from += together) {
        const part = rows.slice(from, from + together)
        const answers = await batch.run(part.map(inputs => ({ ...request, inputs })))
        yield {
          done: from + part.length,
          total: rows.length,
          rows: answers.map((answer, at) => ({ row: from + at, ...(rows.length > few ? figuresOf(answer) : answer) })),
        }
      }
    } finally {
      await batch.close()
    }
  }),
  original: analyses.original.handler(async ({ context: { engine }, input }) => ({
    code: await engine.analyses.original(input.code),
  })),
}
