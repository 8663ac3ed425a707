/**
 * The head of an HTTP/1.x message, read strictly: lines end with CR LF, names are tokens, values hold no control
 * characters, and nothing is folded. What two readers could understand differently is not a message here.
 */
export interface Field {
  readonly name: string
  readonly value: string
}

export interface Head {
  readonly start: string
  readonly fields: readonly Field[]
}

export const maxHead = 64 * 1024
const maxFields = 200
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const badValue = /[\x00-\x08\x0a-\x1f\x7f]/
const badStart = /[^\x20-\x7e]/

/** `text` is the head in Latin-1, with its empty line. Null when it cannot be read. */
export function parseHead(text: string): Head | null {
  if (!text.endsWith('\r\n\r\n')) return null
  const [start = '', ...lines] = text.slice(0, -4).split('\r\n')
  if (badStart.test(start) || lines.length > maxFields) return null
  const fields: Field[] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    const value = trimmed(line.slice(colon + 1))
    if (!token.test(name) || badValue.test(value)) return null
    fields.push({ name, value })
  }
  return { start, fields }
}

/** Without blanks around it. By hand: a pattern would look at blanks in the middle once for each of them. */
function trimmed(text: string): string {
  const isBlank = (at: number): boolean => text[at] === ' ' || text[at] === '\t'
  let from = 0
  let to = text.length
  while (from < to && isBlank(from)) from++
  while (to > from && isBlank(to - 1)) to--
  return text.slice(from, to)
}

export const valuesOf = (head: Head, name: string): string[] =>
  head.fields.filter(field => field.name.toLowerCase() === name).map(field => field.value)

/** How the body of a message is bounded. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-end' }

/** Null when the head bounds its body in two ways or in an odd one: that is how requests are smuggled. */
export function framingOf(head: Head, isHttp11: boolean): Framing | null {
  const lengths = valuesOf(head, 'content-length')
  const codings = valuesOf(head, 'transfer-encoding')
  if (codings.length > 0) {
    const isPlain = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked'
    return isPlain && lengths.length === 0 && isHttp11 ? { kind: 'chunked' } : null
  }
  if (lengths.length === 0) return { kind: 'until-end' }
  const [length = ''] = lengths
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) return null
  return Number(length) === 0 ? { kind: 'none' } : { kind: 'length', bytes: Number(length) }
}

const hopByHop = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'content-length', 'proxy-authorization', 'proxy-authenticate', 'proxy-authentication-info'],
])
/** A read that a server takes for a write. */
const overriding = new Set(['x-http-method-override', 'x-http-method', 'x-method-override'])

/** What may travel on: nothing of the proxy's own, nothing that `Connection` names, nothing that bounds the body. */
export function endToEnd(head: Head): Field[] {
  const named = new Set(
    valuesOf(head, 'connection').flatMap(value => value.split(',').map(each => each.trim().toLowerCase())),
  )
  return head.fields.filter(({ name }) => {
    // Servers that hand fields on as variables take `Transfer_Encoding` for `Transfer-Encoding`.
    const lower = name.toLowerCase().replaceAll('_', '-')
    return !hopByHop.has(lower) && !lower.startsWith('proxy-') && !overriding.has(lower) && !named.has(lower)
  })
}

/** Fields that bound a body as `framing` says. */
export function framingFields(framing: Framing): Field[] {
  if (framing.kind === 'chunked') return [{ name: 'Transfer-Encoding', value: 'chunked' }]
  if (framing.kind === 'length') return [{ name: 'Content-Length', value: String(framing.bytes) }]
  return framing.kind === 'none' ? [{ name: 'Content-Length', value: '0' }] : []
}

export function writeHead(start: string, fields: readonly Field[]): Buffer {
  return Buffer.from(`${start}\r\n${fields.map(({ name, value }) => `${name}: ${value}\r\n`).join('')}\r\n`, 'latin1')
}
