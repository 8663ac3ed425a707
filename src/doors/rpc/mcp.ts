import { Failure } from '../../contract/problem.ts'
import { commandOf } from '../mcp/command.ts'
import { mcpToken } from '../mcp/token.ts'
import { api, type DoorContext, unwrap } from './api.ts'

const { mcp } = api
const searchPatienceMs = 3_000

export const mcpRouter = {
  servers: mcp.servers.handler(({ context: { engine, session } }) => engine.mcp.list(session.caller)),
  add: mcp.add.handler(async ({ context: { engine, session }, input }) => ({
    added: await unwrap(engine.mcp.add(session.caller, input.server, input.config)),
  })),
  paste: mcp.paste.handler(async ({ context: { engine, session }, input }) => ({
    added: await unwrap(engine.mcp.addPasted(session.caller, input.text)),
  })),
  remove: mcp.remove.handler(async ({ context: { engine, session }, input }) => {
    await unwrap(engine.mcp.remove(session.caller, input.server))
    return null
  }),
  restart: mcp.restart.handler(async ({ context: { engine, session }, input }) => {
    await unwrap(engine.mcp.restart(session.caller, input.server))
    return null
  }),
  tools: mcp.tools.handler(({ context: { engine, session }, input, signal }) =>
    unwrap(engine.mcp.tools(session.caller, input.server, signal)),
  ),
  accept: mcp.accept.handler(async ({ context: { engine, session }, input }) => {
    await unwrap(engine.mcp.accept(session.caller, input.server, input.tools))
    return null
  }),
  log: mcp.log.handler(async ({ context: { engine, session }, input }) => ({
    text: await unwrap(engine.mcp.log(session.caller, input.server)),
  })),
  call: mcp.call.handler(async ({ context: { engine, session }, input, signal }) => {
    const begun = performance.now()
    const answer = await unwrap(engine.mcp.call(session.caller, input, signal))
    return { ...answer, durationMs: Math.round(performance.now() - begun) }
  }),
  search: mcp.search.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.mcp.search(session.caller, input.intent, { patienceMs: searchPatienceMs })),
  ),
  login: mcp.login.handler(async ({ context: { engine, session, openPage }, input }) => {
    const { url } = await unwrap(engine.mcp.login(session.caller, input.server))
    const opened = await openPage?.(url).then(
      () => true,
      () => false,
    )
    return { url, opened: opened ?? false }
  }),
  cancelLogin: mcp.cancelLogin.handler(async ({ context: { engine, session }, input }) => {
    await unwrap(engine.mcp.cancelLogin(session.caller, input.server))
    return null
  }),
  logout: mcp.logout.handler(async ({ context: { engine, session }, input }) => {
    await unwrap(engine.mcp.logout(session.caller, input.server))
    return null
  }),
  connect: mcp.connect.handler(({ context }) => ({ ...commandOf(), http: context.mcpDoor?.state() ?? null })),
  token: mcp.token.handler(({ context }) => ({ token: mcpToken(ours(context).home) })),
}

/** The token lets its holder act as the person of this machine: nobody else is shown it. */
function ours({ engine, session }: DoorContext): DoorContext['engine'] {
  if (session.caller.tenant === engine.caller.tenant) return engine
  throw new Failure('access.denied', 'The token belongs to somebody else.', 'Sign in as its owner.')
}
