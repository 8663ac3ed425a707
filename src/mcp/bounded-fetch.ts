import type { FetchLike } from '@modelcontextprotocol/client'
import type { Clock } from '../clock.ts'
import { Pace } from './pace.ts'

/** As much as one line of a process may hold. */
const mostBytes = 4 * 1024 * 1024

/**
 * An answer, or one event of a stream of them, that has no end would fill the memory before anything could look at it. A
 * stream of small ones is read no faster than that of a process.
 */
export const boundedFetch =
  (clock: Clock): FetchLike =>
  async (url, init) => {
    const response = await follow(new URL(url), init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(bound(isStream, clock)), { status, statusText, headers })
  }

const mostRedirects = 5

/**
 * Within its origin alone. Elsewhere a server would have us ask the programs that listen on this machine, and whoever it
 * names would be sent the headers that the person gave for it.
 */
async function follow(url: URL, init: RequestInit | undefined, left = mostRedirects): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const to = response.headers.get('location')
  if (to === null || !redirects.includes(response.status)) return response
  await response.body?.cancel()
  const next = URL.canParse(to, url.href) ? new URL(to, url) : null
  if (next?.origin !== url.origin) throw new Error(`it leads to another address: ${to.slice(0, 200)}`)
  if (left === 0) throw new Error('it leads from one address to the next without end')
  return follow(next, init, left - 1)
}

/** Those after which the same is asked again; the others would have a question become another one. */
const redirects: readonly number[] = [307, 308]

function bound(isStream: boolean, clock: Clock): TransformStream<Uint8Array, Uint8Array> {
  const count = isStream ? eventBytes() : allBytes()
  const pace = new Pace(clock)
  return new TransformStream({
    async transform(chunk, controller) {
      if (count(chunk) > mostBytes) {
        controller.error(new Error(`an answer of more than ${mostBytes / 1024 / 1024} MB`))
        return
      }
      const ms = pace.restMs()
      if (ms > 0) await new Promise<void>(resolve => clock.after(ms, resolve))
      pace.took(chunk.length, linesIn(chunk))
      controller.enqueue(chunk)
    },
  })
}

function linesIn(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines += 1
  return lines
}

function allBytes(): (chunk: Uint8Array) => number {
  let bytes = 0
  return chunk => {
    bytes += chunk.length
    return bytes
  }
}

const lineFeed = 10
const carriageReturn = 13

/** Of the event that is under way. An empty line ends it, wherever the pieces are cut. */
function eventBytes(): (chunk: Uint8Array) => number {
  let bytes = 0
  let isEmpty = true
  return chunk => {
    let at = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, at)) {
      isEmpty &&= isBlank(chunk, at, end)
      bytes = isEmpty ? 0 : bytes + end + 1 - at
      isEmpty = true
      at = end + 1
    }
    isEmpty &&= isBlank(chunk, at, chunk.length)
    bytes += chunk.length - at
    return bytes
  }
}

const isBlank = (chunk: Uint8Array, from: number, to: number): boolean =>
  from === to || (to - from === 1 && chunk[from] === carriageReturn)
