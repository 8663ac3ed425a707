import type { ConversationId } from '../contract/ids.ts'
import { Failure } from '../contract/problem.ts'
import type { EgressGuard, Passed } from '../privacy/privacy.ts'

/** What a request goes through on its way to a provider. */
export interface Wire {
  readonly egress: Pick<EgressGuard, 'recheck'>
  readonly baseUrl: string
  /** To whom, for the ledger. */
  readonly to: string
  readonly conversation: ConversationId | null
  /** Told how many bytes leave, before they do. */
  readonly onBytes?: (bytes: number) => void
}

/**
 * The one way to a provider: to its own address and no other, following no redirect (an API key and the whole prompt
 * would go along), and only with a body in which the guard finds nothing any more.
 */
export function guardedFetch({ egress, baseUrl, to, conversation, onBytes }: Wire): typeof fetch {
  const base = new URL(baseUrl)
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== base.origin || !url.pathname.startsWith(folder)) throw elsewhere(url)
    const body = init?.body ?? null
    if (body !== null) {
      if (typeof body !== 'string') throw unreadable()
      const checked = await egress.recheck('model', textsOf(body), { to, conversation, knowsTokens: true })
      if (!checked.ok) throw new Failure(checked.problem.code, checked.problem.message, checked.problem.hint)
      onBytes?.(Buffer.byteLength(body))
      return send(url, checked.value, { ...init, body })
    }
    return send(url, null, { ...init })
  }
}

/** `checked` is the proof that the texts of the body have been looked at; without one only an empty request leaves. */
async function send(url: URL, checked: Passed<readonly string[]> | null, init: RequestInit): Promise<Response> {
  if (!checked && init.body) throw unreadable()
  const response = await fetch(url, { ...init, redirect: 'error' })
  return response.body ? new Response(response.body.pipeThrough(bounded()), response) : response
}

/** An answer of a hundred thousand words, a few letters an event, is a fifth of this. */
const mostBytes = 256_000_000
/** Whoever reads events gathers a line until it ends. */
const mostInLine = 16_000_000

/** Ends what would fill the memory: an answer without end, or a line without end. */
function bounded(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  let inLine = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      const end = chunk.lastIndexOf(10)
      inLine = end < 0 ? inLine + chunk.length : chunk.length - end
      if (bytes > mostBytes || inLine > mostInLine) controller.error(endless())
      else controller.enqueue(chunk)
    },
  })
}

/** Every text in a body, names of fields included; JSON inside a string (tool arguments) is read too. */
export function textsOf(body: string): string[] {
  const texts: string[] = []
  const walk = (node: unknown): void => {
    if (typeof node === 'string') {
      const inner = /^\s*[[{"]/.test(node) ? parsed(node) : undefined
      if (inner !== undefined && typeof inner === 'object') walk(inner)
      else texts.push(node)
    } else if (Array.isArray(node)) node.forEach(walk)
    else if (node && typeof node === 'object')
      for (const [key, item] of Object.entries(node)) {
        texts.push(key)
        walk(item)
      }
  }
  const whole = parsed(body)
  if (whole === undefined) throw unreadable()
  walk(whole)
  return texts
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

const elsewhere = (url: URL): Failure =>
  new Failure(
    'privacy.held',
    `A request to ${url.origin} was not sent: the provider was set up with another address.`,
    'Check the address of the provider in the settings.',
  )
const endless = (): Failure =>
  new Failure(
    'chat.garbled',
    'The provider sent more than any answer is.',
    'What has arrived is kept. Ask again, or choose another model.',
  )
const unreadable = (): Failure =>
  new Failure(
    'privacy.held',
    'A request was not sent: it could not be read to be checked for private data.',
    'Remove attachments that are not text, and try again.',
  )
