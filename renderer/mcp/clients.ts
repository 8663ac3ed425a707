import type { ConnectInfo } from '../../src/contract/rpc/mcp.ts'

/** What a person pastes into another client so that it can reach this application. */
export interface ClientLines {
  readonly client: string
  /** Where it goes. */
  readonly place: string
  readonly text: string
}

type Command = Pick<ConnectInfo, 'command' | 'args'>

/** Clients that start the program themselves. */
export function processLines({ command, args }: Command): ClientLines[] {
  const server = { command, args }
  const shell = [command, ...args].map(quoted).join(' ')
  return [
    {
      client: 'Claude Desktop',
      place: 'claude_desktop_config.json',
      text: json({ mcpServers: { countersign: server } }),
    },
    { client: 'Claude Code', place: 'in a terminal', text: `claude mcp add countersign -- ${shell}` },
    {
      client: 'VS Code',
      place: '.vscode/mcp.json',
      text: json({ servers: { countersign: { type: 'stdio', ...server } } }),
    },
    { client: 'Cursor', place: '~/.cursor/mcp.json', text: json({ mcpServers: { countersign: server } }) },
    {
      client: 'Codex',
      place: '~/.codex/config.toml',
      text: `[mcp_servers.countersign]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
    },
    { client: 'Any other', place: 'its list of servers', text: json({ mcpServers: { countersign: server } }) },
  ]
}

/** Clients that connect to the door over HTTP; `token` is what they must send. */
export function httpLines(url: string, token: string): ClientLines[] {
  const Authorization = `Bearer ${token}`
  const headers = { Authorization }
  return [
    {
      client: 'Claude Code',
      place: 'in a terminal',
      text: `claude mcp add --transport http countersign ${url} --header ${quoted(`Authorization: ${Authorization}`)}`,
    },
    {
      client: 'VS Code',
      place: '.vscode/mcp.json',
      text: json({ servers: { countersign: { type: 'http', url, headers } } }),
    },
    { client: 'Cursor', place: '~/.cursor/mcp.json', text: json({ mcpServers: { countersign: { url, headers } } }) },
    {
      client: 'Codex',
      place: '~/.codex/config.toml',
      text: `[mcp_servers.countersign]\nurl = ${JSON.stringify(url)}\nhttp_headers = { Authorization = ${JSON.stringify(Authorization)} }`,
    },
    {
      client: 'Any other',
      place: 'its list of servers',
      text: json({ mcpServers: { countersign: { type: 'http', url, headers } } }),
    },
  ]
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** For a POSIX shell; a plain word stays as it is. */
const quoted = (word: string): string => (/^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
