import type { ServerConfig } from '../../src/contract/mcp-servers.ts'

/** The form for a server, as it is typed. */
export interface ServerForm {
  readonly name: string
  readonly command: string
  readonly url: string
  /** One to a line: `NAME=value` for a program, `Name: value` for an address. */
  readonly secrets: string
  /** Of a client that somebody registered for this application; empty where it registers itself. */
  readonly clientId: string
  readonly clientSecret: string
  readonly network: boolean
}

export const emptyForm: ServerForm = {
  name: '',
  command: '',
  url: '',
  secrets: '',
  clientId: '',
  clientSecret: '',
  network: true,
}

export function configOf(kind: 'process' | 'http', form: ServerForm): ServerConfig {
  const { command, url, secrets, clientId, clientSecret, network } = form
  if (kind === 'http') {
    const client = { clientId: clientId.trim(), ...(clientSecret ? { clientSecret } : {}) }
    return { url: url.trim(), headers: pairs(secrets, ':'), ...(client.clientId ? { oauth: client } : {}) }
  }
  const [program = '', ...args] = shellWords(command)
  const confined = network ? {} : { confined: { read: [], write: [], network: false } }
  return { command: program, args, env: pairs(secrets, '='), ...confined }
}

/** Words of a command line: blanks part them, quotes keep them together. Nothing else has a meaning. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
}

function pairs(text: string, separator: ':' | '='): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap(line => {
      const at = line.indexOf(separator)
      return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
    }),
  )
}
