import { api, unwrap } from './api.ts'
import { working } from './progress.ts'

const { figures } = api

export const figuresRouter = {
  candidates: figures.candidates.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.candidates(session.caller, input)),
  ),
  list: figures.list.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.list(session.caller, input)),
  ),
  pin: figures.pin.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.pin(session.caller, input)),
  ),
  unpin: figures.unpin.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.unpin(session.caller, input)),
  ),
  rename: figures.rename.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.rename(session.caller, input)),
  ),
  move: figures.move.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.move(session.caller, input)),
  ),
  compare: figures.compare.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.compare(session.caller, input)),
  ),
  lineage: figures.lineage.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.figures.lineage(session.caller, input)),
  ),
  report: figures.report.handler(({ context: { engine, session }, input, signal }) =>
    working(signal, async (stop, onProgress) => {
      const made = await unwrap(engine.figures.report(session.caller, input, { signal: stop, onProgress }))
      return session.downloads.hold({ name: made.fileName, mediaType: made.mediaType }, async () => made.bytes)
    }),
  ),
  printPath: figures.printPath.handler(({ context: { engine, session }, input, signal }) =>
    working(signal, async () => {
      const { fileName, mediaType, bytes } = await unwrap(engine.printPath(session.caller, input))
      return session.downloads.hold({ name: fileName, mediaType }, async () => bytes)
    }),
  ),
}
