import { api, unwrap } from './api.ts'

const { cloud } = api

export const cloudRouter = {
  state: cloud.state.handler(({ context: { engine, session } }) => engine.cloud.state(session.caller)),
  preview: cloud.preview.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.cloud.preview(session.caller, input)),
  ),
  allow: cloud.allow.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.cloud.allow(session.caller, input)),
  ),
  revoke: cloud.revoke.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.cloud.revoke(session.caller, input)),
  ),
  setKey: cloud.setKey.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.cloud.setKey(session.caller, input.key)),
  ),
  test: cloud.test.handler(({ context: { engine, session } }) => unwrap(engine.cloud.test(session.caller))),
}
