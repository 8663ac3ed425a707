import { api, unwrap } from './api.ts'

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
}
