import { z } from 'zod'
import * as m from '../mcp-servers.ts'
import { procedure } from './base.ts'

const named = z.object({ server: m.ServerName })

/** How other assistants reach this application. */
export const ConnectInfo = z.object({
  /** What a client starts to speak over standard input and output. */
  command: z.string(),
  args: z.array(z.string()),
  /** The door over HTTP; null where this process opens none. */
  http: z.object({ open: z.boolean(), url: z.string(), problem: m.ServerHealth.shape.problem }).nullable(),
})
export type ConnectInfo = z.infer<typeof ConnectInfo>

export const mcpContract = {
  servers: procedure.output(z.array(m.ServerView)),
  add: procedure
    .input(z.object({ server: m.ServerName, config: m.ServerConfig }))
    .output(z.object({ added: z.array(z.string()) })),
  /** As pasted from the configuration of another client. */
  paste: procedure.input(z.object({ text: z.string().max(200_000) })).output(z.object({ added: z.array(z.string()) })),
  remove: procedure.input(named).output(z.null()),
  restart: procedure.input(named).output(z.null()),
  /** Starts the server where it is not running, and asks it for its tools. */
  tools: procedure.input(named).output(m.ListedTools),
  /** Accepts tools as they were shown. */
  accept: procedure
    .input(named.extend({ tools: z.array(z.object({ name: z.string().max(64), hash: z.string().max(64) })).max(2000) }))
    .output(z.null()),
  log: procedure.input(named).output(z.object({ text: z.string() })),
  call: procedure.input(m.CallTool).output(m.ToolAnswer.extend({ durationMs: z.number() })),
  search: procedure.input(z.object({ intent: m.Intent })).output(m.ToolSearch),
  /** Finds out where to log in. The page is opened by the door where it can, else shown as a link. */
  login: procedure.input(named).output(z.object({ url: z.string(), opened: z.boolean() })),
  cancelLogin: procedure.input(named).output(z.null()),
  logout: procedure.input(named).output(z.null()),
  connect: procedure.output(ConnectInfo),
  /** What a client over HTTP must send. Whoever has it acts as the person of this machine. */
  token: procedure.output(z.object({ token: z.string() })),
}
