import { api } from './api.ts'

export const toolsRouter = {
  known: api.tools.known.handler(({ context: { engine, session } }) => engine.tools.known(session.caller)),
}
