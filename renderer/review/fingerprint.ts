import { useQuery } from '@tanstack/react-query'

/** SHA-256 of a public key's 32 raw bytes, as the audit record's verifier counts it. */
export async function fingerprint(publicKey: string): Promise<string> {
  const key = Uint8Array.from(atob(publicKey), character => character.charCodeAt(0)).slice(-32)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', key))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Its first half, in groups that people can compare; nothing until it is known. */
export function useFingerprint(publicKey: string | undefined): string {
  const { data } = useQuery({
    queryKey: ['fingerprint', publicKey],
    queryFn: () => fingerprint(publicKey ?? ''),
    enabled: publicKey !== undefined,
  })
  return data ? inGroups(data.slice(0, 16)) : ''
}

export const inGroups = (hex: string): string => hex.match(/.{1,4}/g)?.join(' ') ?? ''
