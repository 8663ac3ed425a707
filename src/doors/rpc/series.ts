import { api, unwrap } from './api.ts'

const { series } = api

export const seriesRouter = {
  start: series.start.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.series.start(session.caller, input)),
  ),
  of: series.of.handler(({ context: { engine, session }, input }) => unwrap(engine.series.of(session.caller, input))),
  end: series.end.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.series.end(session.caller, input)),
  ),
  resume: series.resume.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.series.resume(session.caller, input)),
  ),
}
