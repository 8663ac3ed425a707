import { expect } from 'vitest'
import type { NetworkRequest } from '../../contract/network.ts'

export interface Seen {
  readonly stdout: string
  readonly error: string | null
  readonly traceback: string[]
  readonly network: NetworkRequest[]
}

/** What `granted.testing.ts` saw, in whatever kind of sandbox. */
export interface Reached {
  readonly seen: Record<string, Seen>
  readonly bigHash: string
}

/** What people use reached the granted host, and nothing reached another. */
export function expectOnlyGranted({ seen, bigHash }: Reached): void {
  const shown = Object.fromEntries(Object.entries(seen).map(([name, { stdout }]) => [name, stdout.trim()]))
  expect(shown).toMatchObject({
    urllib: '{"path":"/a","method":"GET"}',
    requests: '{"path":"/b","method":"GET"}',
    pandas: '1.9392999999999998',
    plain: '{"path":"/c","method":"GET"}',
    curl: '{"path":"/d","method":"GET"}',
    fetch: '{"path":"/e","method":"GET"}',
    'fetch tls': '{"path":"/f","method":"GET"}',
    download: bigHash,
    many: String(60 * 200),
    kept: "b'HTTP/1.1 200 OK'",
    'kept, later': 'True',
    'own server': '200',
  })
  expect(seen.urllib?.network).toMatchObject([{ host: 'data.example.org', allowed: true, address: '93.184.216.34' }])
  expect(seen['not granted']?.error).toContain('other.example.org is not granted; ask for it')
  expect(shown['nothing granted']).toBe('data.example.org is not granted; ask for it')
  expect(shown['around the proxy']?.split('\n')).toEqual(['101', '101', '101'])
  expect(seen['name asked']?.network).toMatchObject([{ host: 'c2vjcmv0.evil.net', protocol: 'dns', allowed: false }])
  expect(shown['taken back']).toContain('cut off')
  expect(seen['taken back']?.error).toContain('data.example.org is not granted')
}
