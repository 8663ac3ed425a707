import { api, unwrap } from './api.ts'

const { environments } = api

export const environmentsRouter = {
  list: environments.list.handler(({ context: { engine, session } }) =>
    engine.environments.list(session.caller.tenant),
  ),
  show: environments.show.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.environments.show(session.caller.tenant, input.name)),
  ),
  inspect: environments.inspect.handler(({ context: { engine }, input }) =>
    unwrap(engine.environments.inspect(input.path)),
  ),
  add: environments.add.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.environments.add(session.caller, input)),
  ),
  remove: environments.remove.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.environments.remove(session.caller, input.name)),
  ),
  chosen: environments.chosen.handler(({ context: { engine, session }, input }) =>
    engine.environments.chosen(session.caller.tenant, input),
  ),
  choose: environments.choose.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.environments.choose(session.caller, input)),
  ),
  having: environments.having.handler(({ context: { engine, session }, input }) =>
    engine.environments.having(session.caller.tenant, input.module),
  ),
}
