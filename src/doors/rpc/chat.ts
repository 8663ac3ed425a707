import { api, unwrap } from './api.ts'

const { chat } = api

export const chatRouter = {
  providers: chat.providers.handler(({ context: { engine, session } }) => engine.chat.providers.list(session.caller)),
  saveProvider: chat.saveProvider.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.providers.save(session.caller, input)),
  ),
  removeProvider: chat.removeProvider.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.providers.remove(session.caller, input)),
  ),
  checkProvider: chat.checkProvider.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.providers.check(session.caller, input)),
  ),
  findServers: chat.findServers.handler(({ context: { engine } }) => engine.chat.providers.findServers()),
  open: chat.open.handler(({ context: { engine, session }, input: { path, before } }) =>
    unwrap(engine.chat.open(session.caller, path, before)),
  ),
  turn: chat.turn.handler(({ context: { engine, session }, input }) => unwrap(engine.chat.turn(session.caller, input))),
  prepare: chat.prepare.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.prepare(session.caller, input)),
  ),
  ask: chat.ask.handler(({ context: { engine, session }, input }) => unwrap(engine.chat.ask(session.caller, input))),
  retry: chat.retry.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.retry(session.caller, input)),
  ),
  resend: chat.resend.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.resend(session.caller, input)),
  ),
  goOn: chat.goOn.handler(({ context: { engine, session }, input }) => unwrap(engine.chat.goOn(session.caller, input))),
  stop: chat.stop.handler(({ context: { engine, session }, input }) => unwrap(engine.chat.stop(session.caller, input))),
  preview: chat.preview.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.preview(session.caller, input)),
  ),
  forceTool: chat.forceTool.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.forceTool(session.caller, input)),
  ),
  ledger: chat.ledger.handler(({ context: { engine, session }, input }) => engine.chat.ledger(session.caller, input)),
  spending: chat.spending.handler(({ context: { engine, session }, input }) =>
    engine.chat.spending(session.caller, input),
  ),
  setConfidential: chat.setConfidential.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.chat.setConfidential(session.caller, input.conversation, input.confidential)),
  ),
}
