import type { IncomingMessage } from 'node:http'

/** What a request asks for, after nothing but its first line was read. */
export type Asked =
  | { readonly kind: 'file'; readonly path: string }
  /** Another link, asked for by somebody who can read the data folder. */
  | { readonly kind: 'link'; readonly secret: string }
  | { readonly kind: 'wrong'; readonly status: 400 | 405; readonly text: string }

/**
 * Reads a request without ever throwing. Only a plain path is taken: `//`, a whole address or `*` are no paths of ours,
 * and a parser of addresses would throw on some of them.
 */
export function readRequest(request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Asked {
  const path = (request.url ?? '').split(/[?#]/, 1)[0] ?? ''
  if (!path.startsWith('/') || path.startsWith('//')) return { kind: 'wrong', status: 400, text: 'That is no path.' }
  if (request.method === 'POST' && path === '/link') {
    const secret = /^Bearer ([\w-]{43})$/.exec(request.headers.authorization ?? '')?.[1]
    return { kind: 'link', secret: secret ?? '' }
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { kind: 'wrong', status: 405, text: 'Only GET.' }
  }
  return { kind: 'file', path }
}
