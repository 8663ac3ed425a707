import type { FetchLike } from '@modelcontextprotocol/client'
import { z } from 'zod'

/** An address or an answer that is refused. The protocol's library passes a TypeError on and swallows the rest. */
export class Refused extends TypeError {}

const mostBytes = 128 * 1024
const patienceMs = 15_000
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

export const isLoopback = ({ hostname }: URL): boolean => loopbackHosts.includes(hostname)

/**
 * Addresses around a log-in are the word of a server that may be hostile. Plain HTTP is for a server of this machine
 * alone: one from elsewhere would have us ask the programs that listen here.
 */
export function checkAddress(address: string | URL, server: URL): URL {
  if (!URL.canParse(String(address))) throw new Refused(`${String(address).slice(0, 200)} is not an address`)
  const url = new URL(address)
  const isOpen = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url) && isLoopback(server))
  if (!isOpen) throw new Refused(`the address ${url.href.slice(0, 200)} is not https`)
  if (url.username || url.password) throw new Refused('an address with a name and password in it')
  return url
}

/** Asks an authorization server: only where it is safe, within a time, and for a short answer. */
export function safeFetch(server: URL, signal?: AbortSignal): FetchLike {
  return async (address, init) => {
    const url = checkAddress(address, server)
    const signals = [
      AbortSignal.timeout(patienceMs),
      ...(signal ? [signal] : []),
      ...(init?.signal ? [init.signal] : []),
    ]
    // A redirect comes back as it is; the library follows it within its origin, through here.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) })
    const body = await readBody(response, url)
    const { status, headers } = response
    const kept = new Headers([...headers].filter(([name]) => ['content-type', 'location'].includes(name)))
    const canHaveBody = ![101, 204, 205, 304].includes(status)
    const shown = status >= 400 ? errorCode(body) : body
    return new Response(canHaveBody ? shown : null, { status, headers: kept })
  }
}

async function readBody(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Refused(`the answer of ${url.host} is longer than ${mostBytes / 1024} KB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const ErrorBody = z.object({ error: z.string().regex(/^[\w.-]{1,64}$/) })

/** The library prints what such a server says about a failure, which may repeat a token. Only the code is kept. */
function errorCode(body: string): string {
  try {
    return JSON.stringify({ error: ErrorBody.parse(JSON.parse(body)).error })
  } catch {
    return JSON.stringify({ error: 'server_error' })
  }
}
