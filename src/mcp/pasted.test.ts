import { describe, expect, it } from 'vitest'
import { pastedServers } from './pasted.ts'
import { must, openServers, who } from './testing.ts'

const server = { command: 'npx', args: ['-y', '@example/server'] }
const address = { url: 'https://mcp.example/mcp' }

describe('what other clients keep', () => {
  it.each([
    ['Claude Desktop', JSON.stringify({ mcpServers: { Ledger: server } }), { ledger: server }],
    [
      'Cursor',
      JSON.stringify({ mcpServers: { ledger: { ...address, headers: { a: 'b' } } } }),
      { ledger: { ...address, headers: { a: 'b' } } },
    ],
    [
      'VS Code, with comments and a comma too many',
      `{
        // what I use
        "inputs": [],
        "servers": { "ledger": { "type": "stdio", "command": "npx", /* in a hurry */ "args": ["-y", "@example/server",], }, },
      }`,
      { ledger: { type: 'stdio', ...server } },
    ],
    ['settings of VS Code', JSON.stringify({ mcp: { servers: { ledger: server } } }), { ledger: server }],
    ['Zed', JSON.stringify({ context_servers: { ledger: server } }), { ledger: server }],
    ['Windsurf', JSON.stringify({ mcpServers: { ledger: { serverUrl: address.url } } }), { ledger: address }],
    [
      'Cline',
      JSON.stringify({ mcpServers: { ledger: { ...server, disabled: false, autoApprove: ['a'], timeout: 60 } } }),
      { ledger: server },
    ],
    ['a bare list', JSON.stringify({ ledger: server }), { ledger: server }],
    ['a piece of a list', `"ledger": ${JSON.stringify(server)},`, { ledger: server }],
    ['a single server', JSON.stringify({ name: 'ledger', ...server }), { ledger: server }],
    [
      'numbers in the environment',
      JSON.stringify({ mcpServers: { ledger: { ...server, env: { PORT: 3000, ON: true } } } }),
      { ledger: { ...server, env: { PORT: '3000', ON: 'true' } } },
    ],
    [
      'a registered client',
      JSON.stringify({ mcpServers: { ledger: { ...address, auth: { CLIENT_ID: 'a', scopes: ['x', 'y'] } } } }),
      { ledger: { ...address, oauth: { clientId: 'a', scope: 'x y' } } },
    ],
    [
      'names of any kind',
      JSON.stringify({ mcpServers: { 'Sequential Thinking': server, 'io.github.user/Büro': server, '2nd': server } }),
      { 'sequential-thinking': server, 'io-github-user-buro': server, nd: server },
    ],
    [
      'addresses in strings that look like comments',
      '{"mcpServers":{"a":{"url":"https://x.example//mcp/*,]*/"}}}',
      { a: { url: 'https://x.example//mcp/*,]*/' } },
    ],
  ])('is read as it stands: %s', async (_client, text, servers) => {
    expect(pastedServers(text)).toEqual({ ok: true, value: servers })
    const { servers: opened } = await openServers()
    expect(must(await opened.addPasted(who, text))).toEqual(Object.keys(servers))
  })

  it.each([
    ['nothing', '', '"mcpServers"'],
    ['no list', '[]', '"mcpServers"'],
    ['a list of nothing', '{"mcpServers":{}}', '"mcpServers"'],
    ['a word for a server', '{"mcpServers":{"a":"npx"}}', '"mcpServers"'],
    ['a value to be filled in', '{"servers":{"a":{"command":"x","env":{"K":"${input:key}"}}}}', '${input:key}'],
    ['the older protocol', '{"mcpServers":{"a":{"type":"sse","url":"https://x.example/sse"}}}', 'SSE'],
    ['two names that become one', '{"mcpServers":{"A b":{"command":"x"},"a-b":{"command":"y"}}}', 'a-b'],
    ['a field of its own', '{"mcpServers":{"a":{"command":"x","envFile":".env"}}}', 'envFile'],
    ['a name of no letters', '{"mcpServers":{"42":{"command":"x"}}}', 'the name must be'],
    ['a reserved name', '{"mcpServers":{"__proto__":{"command":"x","args":7}}}', ''],
  ])('is refused with the reason: %s', async (_what, text, reason) => {
    const { servers } = await openServers()
    const added = await servers.addPasted(who, text)
    expect(added).toMatchObject({ ok: false, problem: { code: 'request.invalid' } })
    expect(added.ok ? '' : added.problem.message).toContain(reason)
    expect(await servers.list(who)).toEqual([])
  })

  it('is all added or nothing of it', async () => {
    const { servers } = await openServers()
    const text = JSON.stringify({ mcpServers: { good: server, bad: { args: [] } } })
    expect(await servers.addPasted(who, text)).toMatchObject({ ok: false })
    expect(await servers.list(who)).toEqual([])
  })
})

it('a server that is not there is not removed, whatever it is called', async () => {
  const { servers } = await openServers()
  for (const name of ['constructor', 'toString', 'none'])
    expect(await servers.remove(who, name)).toMatchObject({ ok: false, problem: { code: 'not-found' } })
})
