import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { openMcpDoor } from '../../mcp/http.ts'
import { createMcp } from '../../mcp/server.ts'
import { mcpToken } from '../../mcp/token.ts'
import { type Command, exit, type Io, UsageError } from '../command.ts'
import { withManySandboxes } from '../open.ts'
import { runServerCommand, serverCommands } from './mcp-servers.ts'

const standardPort = 7118

export const command: Command = {
  help: `
Usage: countersign mcp [--http [--port N]]
       countersign mcp list [--json]
       countersign mcp add NAME [--env K=V]… -- COMMAND [ARGUMENTS]
       countersign mcp add NAME --url URL [--header K:V]… [--client-id ID [--client-secret S]] [--scope S]
       countersign mcp add -|FILE.json        as pasted from another client: { "mcpServers": … }
       countersign mcp remove NAME
       countersign mcp login NAME             prints the page to log in at, and waits
       countersign mcp logout NAME
       countersign mcp test NAME [--accept] [--json]
       countersign mcp call NAME TOOL [JSON]
       countersign mcp search INTENT… [--json]
       countersign mcp search --again ENTRY   the same search among the tools of then

Lets other assistants run code here: each call is inspected, approved where it must be, run in a sandbox and recorded.
Without options it speaks MCP on standard input and output, as clients start it:

  { "mcpServers": { "countersign": { "command": "countersign", "args": ["mcp"] } } }

  --http     listen on 127.0.0.1 instead; prints the address and the token that clients must send
  --port N   port to listen on; 0 means any that is free (default ${standardPort})

Tools: execute_code, wait_for_run, list_analyses, run_analysis, search_tools. Resources: conversations, analyses, record.

The user's own servers: each is a process group of its own and sees PATH, HOME, LANG and what --env gives. A tool is
called only when it is what was accepted with test --accept: a changed description or schema is asked about again.
Arguments of a call pass the egress guard. A server over HTTP that wants you to log in says so; tokens are kept in the
key store, renewed as long as they can be, and given back by logout. Where this application may not register itself, paste
"oauth": { "clientId", "clientSecret", "issuer", "scope", "redirectPort", "clientMetadataUrl" } beside "url".

Exit: 0 when the client left or Ctrl+C was pressed, or the command did its work; 1 it failed, 3 not accepted or
not logged in, 4 unreachable.
`,
  options: {
    http: { type: 'boolean' },
    port: { type: 'string' },
    url: { type: 'string' },
    header: { type: 'string', multiple: true },
    'client-id': { type: 'string' },
    'client-secret': { type: 'string' },
    scope: { type: 'string' },
    env: { type: 'string', multiple: true },
    accept: { type: 'boolean' },
    json: { type: 'boolean' },
    again: { type: 'string' },
  },
  async run({ values, positionals }, io) {
    const named = serverCommands.find(each => each === positionals[0])
    if (named) return runServerCommand(named, { values, positionals }, io)
    if (positionals.length > 0) throw new UsageError(`there is nothing named '${positionals[0]}' here`)
    const port = Number(values.port ?? standardPort)
    if (!(Number.isInteger(port) && port >= 0 && port < 65536))
      throw new UsageError(`--port must be a number from 0 to 65535, not '${values.port}'`)
    return withManySandboxes(io, async engine => {
      const mcp = createMcp({ engine })
      // A client connects long before a model searches. A search that has no vectors all the same says so itself.
      void engine.mcp.warm(engine.caller).catch(() => undefined)
      try {
        if (!values.http) await stdio(mcp.factory, io)
        else {
          const door = await openMcpDoor({ factory: mcp.factory, port, token: mcpToken(engine.home), log: engine.log })
          io.stdout.write(`Countersign speaks MCP at ${door.url}\nAuthorization: Bearer ${mcpToken(engine.home)}\n`)
          await until(io.signal)
          await door.close()
        }
      } finally {
        mcp.close()
      }
      return exit.success
    })
  },
}

/** Until the client closes its end, or Ctrl+C. */
async function stdio(factory: Parameters<typeof serveStdio>[0], io: Io): Promise<void> {
  const ended = new AbortController()
  io.stdin.once('end', () => ended.abort())
  io.stdin.once('close', () => ended.abort())
  const onerror = (error: Error) => io.stderr.write(`countersign mcp: ${error.message}\n`)
  const handle = serveStdio(factory, { transport: new StdioServerTransport(io.stdin, io.stdout), onerror })
  await until(AbortSignal.any([io.signal, ended.signal]))
  await handle.close()
}

const until = (signal: AbortSignal) =>
  new Promise<void>(resolve => {
    if (signal.aborted) return resolve()
    // Timers of the engine never keep the process up, and standard input may be closed to us.
    const hold = setInterval(() => undefined, 1 << 30)
    signal.addEventListener('abort', () => {
      clearInterval(hold)
      resolve()
    })
  })
