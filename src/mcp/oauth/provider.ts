import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client'
import type { OAuthClient } from '../../contract/mcp-servers.ts'
import type { Credentials } from './credentials.ts'
import { checkAddress, Refused } from './safe-fetch.ts'

export interface ProviderOptions {
  readonly server: URL
  readonly client: OAuthClient
  readonly credentials: Credentials
  readonly redirectUrl: string
  readonly state: string
  /** Told where the person logs in. */
  readonly open: (url: URL, issuer: string) => void
}

/** What the protocol's library asks and tells during one log-in or one renewal. */
export function oauthProvider(options: ProviderOptions): OAuthClientProvider {
  const { server, client, credentials, redirectUrl, state, open } = options
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined
  const saveClientInformation: OAuthClientProvider['saveClientInformation'] = async (information, of) => {
    const issuer = of?.issuer ?? information.issuer ?? ''
    await credentials.change(kept => ({ ...kept, clients: { ...kept.clients, [issuer]: information } }))
  }
  return {
    redirectUrl,
    ...(client.clientMetadataUrl ? { clientMetadataUrl: client.clientMetadataUrl } : {}),
    clientMetadata: {
      client_name: 'Countersign',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(client.scope ? { scope: client.scope } : {}),
    },
    state: () => state,
    async clientInformation(of) {
      const { tokens, clients } = await credentials.read()
      const issuer = of?.issuer ?? tokens?.issuer ?? ''
      const known = Object.hasOwn(clients, issuer) ? clients[issuer] : undefined
      if (client.clientId === undefined) {
        // Some authorization servers compare ports, so a client is used where it is called back at.
        const isSame = !known?.redirect_uris || known.redirect_uris.includes(redirectUrl)
        return isSame || redirectUrl === nowhere ? known : undefined
      }
      const first = client.issuer ?? Object.keys(clients)[0]
      if (first !== undefined && first !== issuer)
        throw new Refused(`the server names another authorization server than before: ${issuer.slice(0, 200)}`)
      return {
        ...{ client_id: client.clientId, issuer },
        ...(client.clientSecret ? { client_secret: client.clientSecret } : {}),
      }
    },
    // A renewal registers nothing: what it would register could never be called back.
    ...(redirectUrl === nowhere ? {} : { saveClientInformation }),
    async tokens(of) {
      const { tokens } = await credentials.read()
      return tokens && (!of || tokens.issuer === of.issuer) ? tokens : undefined
    },
    async saveTokens(tokens, of) {
      const revocation = revocationOf(discovery, server)
      const issuer = of?.issuer ?? tokens.issuer ?? ''
      await credentials.change(kept => ({
        ...{ ...kept, tokens, revocation },
        // A pre-registered client stays with the authorization server it was first shown to.
        clients: client.clientId ? { [issuer]: { client_id: client.clientId, issuer } } : kept.clients,
      }))
    },
    saveDiscoveryState(found) {
      const metadata = found.authorizationServerMetadata
      if (!metadata) throw new Refused('the server does not say where to log in')
      const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata
      for (const each of [authorization_endpoint, token_endpoint, registration_endpoint])
        if (each) checkAddress(each, server)
      discovery = found
    },
    discoveryState: () => discovery,
    redirectToAuthorization(url) {
      const metadata = discovery?.authorizationServerMetadata
      open(checkAddress(url, server), metadata?.issuer ?? url.origin)
    },
    saveCodeVerifier(value) {
      verifier = value
    },
    codeVerifier: () => verifier,
    async invalidateCredentials(which) {
      if (which === 'discovery') discovery = undefined
      if (which === 'all' || which === 'tokens') await credentials.change(kept => ({ ...kept, tokens: null }))
      // Forgetting a pre-registered client would forget where it may be shown.
      if ((which === 'all' || which === 'client') && client.clientId === undefined)
        await credentials.change(kept => ({ ...kept, clients: {} }))
    },
  }
}

/** Where a renewal would be called back: it never is. */
export const nowhere = 'http://127.0.0.1/callback'

function revocationOf(discovery: OAuthDiscoveryState | undefined, server: URL): string | null {
  const metadata = discovery?.authorizationServerMetadata
  const at = metadata && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined
  try {
    return typeof at === 'string' ? checkAddress(at, server).href : null
  } catch {
    return null
  }
}
