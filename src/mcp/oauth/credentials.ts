import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { KeyStore } from '../../keystore.ts'

/** What a log-in at one server left in the key store. */
export interface Credentials {
  /** What is kept for this address of the server; nothing where the address has changed since. */
  read(): Promise<Kept>
  change(by: (kept: Kept) => Kept): Promise<void>
  forget(): Promise<void>
}

const text = z.string().min(1).max(20_000)

const Kept = z.object({
  /** The address of the server: tokens for one are never sent to another. */
  server: z.string(),
  tokens: z
    .looseObject({ access_token: text, token_type: text, refresh_token: text.optional(), issuer: text.optional() })
    .nullable(),
  /** How this application is registered, by authorization server. */
  clients: z.record(z.string(), z.looseObject({ client_id: text, redirect_uris: z.array(z.string()).optional() })),
  /** Where the tokens can be given back. */
  revocation: z.string().nullable(),
})
export interface Kept {
  readonly server: string
  readonly tokens: StoredOAuthTokens | null
  readonly clients: Readonly<Record<string, StoredOAuthClientInformation & { redirect_uris?: string[] }>>
  readonly revocation: string | null
}

/** Names of servers have no dots, so that no two share a key. */
const keyOf = (name: string): string => `mcp-login.${name.replaceAll('_', '.')}`

export function openCredentials(name: string, server: string, keys: KeyStore): Credentials {
  const none: Kept = { server, tokens: null, clients: {}, revocation: null }
  const read = async (): Promise<Kept> => {
    const bytes = await keys.get(keyOf(name))
    const kept = bytes && bytes.length > 0 ? Kept.safeParse(parseJson(bytes)) : null
    return kept?.success && kept.data.server === server ? (kept.data as Kept) : none
  }
  return {
    read,
    change: async by => keys.set(keyOf(name), Buffer.from(JSON.stringify(by(await read())), 'utf8')),
    forget: () => forgetCredentials(name, keys),
  }
}

export async function forgetCredentials(name: string, keys: KeyStore): Promise<void> {
  if (await keys.get(keyOf(name))) await keys.set(keyOf(name), new Uint8Array())
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
}
