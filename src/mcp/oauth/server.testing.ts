import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What an authorization server answers, to be spoilt by a test. */
export interface Answers {
  resource: Record<string, unknown>
  metadata: Record<string, unknown>
  /** What the browser is sent back with, beside the code. */
  callback: Record<string, string>
  /** Refuses to renew. */
  refuses: boolean
  /** What it says about a failure, word for word. */
  failure: string | null
}

/** A server whose one tool is for people who logged in at the authorization server beside it, on the same port. */
export async function protectedServer() {
  const seen: { path: string; body: URLSearchParams }[] = []
  const valid = new Set<string>()
  const codes = new Map<string, { challenge: string; resource: string | null }>()
  const refreshable = new Set<string>()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answers: Answers = {
    resource: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['ledger'] },
    metadata: {
      ...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
      ...{ registration_endpoint: `${origin}/register`, revocation_endpoint: `${origin}/revoke` },
      ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
      authorization_response_iss_parameter_supported: true,
    },
    callback: { iss: origin },
    refuses: false,
    failure: null,
  }

  function newTokens() {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    valid.add(access)
    refreshable.add(refresh)
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600, scope: 'ledger' }
  }

  function token(body: URLSearchParams): object | null {
    if (body.get('grant_type') === 'refresh_token') {
      const refresh = body.get('refresh_token') ?? ''
      // Each may be used once, as the better ones have it.
      return !answers.refuses && refreshable.delete(refresh) ? newTokens() : null
    }
    const code = codes.get(body.get('code') ?? '')
    codes.delete(body.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    return code?.challenge === challenge && code.resource === body.get('resource') ? newTokens() : null
  }

  function authorize(url: URL): string {
    const given = url.searchParams
    const code = randomUUID()
    codes.set(code, { challenge: given.get('code_challenge') ?? '', resource: given.get('resource') })
    const back = new URL(given.get('redirect_uri') ?? '')
    for (const [key, value] of Object.entries({ code, state: given.get('state') ?? '', ...answers.callback }))
      back.searchParams.set(key, value)
    return back.href
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin)
    const body = await text(request)
    seen.push({ path: url.pathname, body: new URLSearchParams(body) })
    const json = (value: unknown, status = 200, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof value === 'string' ? value : JSON.stringify(value))
    }
    const failure = () => json(answers.failure ?? { error: 'invalid_grant' }, 400)
    if (url.pathname === '/.well-known/oauth-protected-resource/mcp') return json(answers.resource)
    if (url.pathname === '/.well-known/oauth-authorization-server') return json(answers.metadata)
    if (url.pathname === '/register')
      return json({ ...(JSON.parse(body) as object), client_id: `client-${randomUUID()}` }, 201)
    if (url.pathname === '/authorize') return json('', 302, { location: authorize(url) })
    if (url.pathname === '/token') {
      const tokens = token(new URLSearchParams(body))
      return tokens ? json(tokens) : failure()
    }
    if (url.pathname === '/revoke') {
      refreshable.delete(new URLSearchParams(body).get('token') ?? '')
      return json('')
    }
    if (url.pathname !== '/mcp') return json('', 404)
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (!valid.has(bearer)) {
      const where = `${origin}/.well-known/oauth-protected-resource/mcp`
      return json('', 401, { 'www-authenticate': `Bearer resource_metadata="${where}", scope="ledger"` })
    }
    if (request.method !== 'POST') return json('', 405)
    return speak(body, json)
  }

  return {
    ...{ url: `${origin}/mcp`, origin, seen, valid, refreshable, answers },
    /** As a day later. */
    expire: () => valid.clear(),
    paths: () => seen.map(({ path }) => path),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The older generation of the protocol, as far as listing and calling one tool goes. */
function speak(body: string, json: (value: unknown, status?: number) => void): void {
  const { id, method } = JSON.parse(body) as { id?: number; method: string }
  const results: Record<string, object> = {
    initialize: {
      ...{ protocolVersion: '2025-11-25', capabilities: { tools: {} } },
      serverInfo: { name: 'protected', version: '1' },
    },
    'tools/list': { tools: [{ name: 'balance', description: 'Tells the balance.', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: '42' }] },
  }
  const result = results[method]
  if (id === undefined) json('', 202)
  else if (!result) json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })
  else json({ jsonrpc: '2.0', id, result })
}

/** What a browser does with the page of a log-in. */
export async function visit(page: string): Promise<number> {
  const sent = await fetch(page, { redirect: 'manual' })
  const back = await fetch(sent.headers.get('location') ?? '')
  return back.status
}
