import type { FetchLike } from '@modelcontextprotocol/client'
import type { OAuthClient } from '../../contract/mcp-servers.ts'
import type { Kept } from './credentials.ts'

/** Gives tokens back. Where that fails they are forgotten all the same, and end by themselves. */
export async function revoke({ tokens, clients, revocation }: Kept, given: OAuthClient, ask: FetchLike): Promise<void> {
  if (!tokens || !revocation) return
  const known = clients[tokens.issuer ?? '']
  const id = given.clientId ?? known?.client_id
  const secret = given.clientSecret ?? known?.client_secret
  const body = new URLSearchParams({ token: tokens.refresh_token ?? tokens.access_token })
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  if (id && secret) {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else if (id) body.set('client_id', id)
  await ask(revocation, { method: 'POST', headers, body }).catch(() => undefined)
}
