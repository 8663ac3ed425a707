/** Settings as the record may have them: of an address only the host, since the rest of a webhook is its password. */
export function hostsOnly<T>(value: T): T {
  if (typeof value === 'string') return hostOf(value) as T
  if (Array.isArray(value)) return value.map(hostsOnly) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hostsOnly(item)])) as T
}

function hostOf(text: string): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text
  const { origin, pathname, search, hash, username } = new URL(text)
  return pathname === '/' && search === '' && hash === '' && username === '' ? text : `${origin}/…`
}
