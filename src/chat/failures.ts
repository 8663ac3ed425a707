import { plainName } from '../contract/plain-name.ts'
import { Failure, type Problem, problem } from '../contract/problem.ts'

/** What goes wrong at a provider, in words for the person who asked. The provider's own words are shown without any key. */

export interface Retry {
  /** How long the provider asked to wait; null when it did not say. */
  readonly afterMs: number | null
}

/** Whether asking again may help, and when. */
export function retryOf(error: unknown): Retry | null {
  const call = callError(error)
  if (!call) return null
  const status = call.statusCode ?? 0
  if (!(status === 408 || status === 429 || status >= 500)) return null
  if (isNoCredit(status, call.responseBody ?? '')) return null
  return { afterMs: waitOf(new Headers(call.responseHeaders ?? {})) }
}

/** `key`: what must not be quoted back, in whatever form a provider has its keys. */
export function explain(error: unknown, key: string | null): Problem {
  const call = callError(error)
  const why =
    call?.statusCode && call.statusCode !== 200
      ? explainResponse(call.statusCode, new Headers(call.responseHeaders ?? {}), call.responseBody ?? '')
      : explainThrown(error)
  return withoutKey(why, key)
}

export const withoutKey = (why: Problem, key: string | null): Problem =>
  key ? { ...why, message: why.message.replaceAll(key, '…') } : why

/** What was thrown before or while an answer came. */
export function explainThrown(error: unknown): Problem {
  const failure = causes(error).find(each => each instanceof Failure)
  if (failure instanceof Failure) return failure.problem
  const codes = causes(error).map(each => (each instanceof Error && 'code' in each ? String(each.code) : ''))
  const words = causes(error)
    .map(each => (each instanceof Error ? `${each.name} ${each.message}` : String(each)))
    .join(' ')
  if (/unexpected redirect|redirect mode/i.test(words))
    return problem(
      'chat.provider',
      'The provider sent the request on to another address, and nothing follows it there.',
      'Check the address of the provider in the settings. Nothing was sent to the other address.',
    )
  if (/TimeoutError|timed? ?out/i.test(words) || codes.includes('ETIMEDOUT'))
    return problem('chat.slow', 'The provider did not answer in time.', 'Ask again, or choose another model.')
  if (
    codes.some(code =>
      /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code),
    )
  )
    return problem(
      'chat.no-network',
      'The provider cannot be reached from here.',
      'Check the network and the address; for a local server, that it is running.',
    )
  if (
    /without a finish reason|terminated|ECONNRESET|socket|other side closed|premature|aborted/i.test(
      `${words} ${codes.join(' ')}`,
    )
  )
    return problem(
      'chat.cut',
      'The connection to the provider was cut.',
      'What has arrived is kept. Go on, or ask again.',
    )
  if (/fetch failed/i.test(words))
    return problem('chat.no-network', 'The provider cannot be reached from here.', 'Check the network and the address.')
  return problem(
    'chat.garbled',
    `The provider sent something that cannot be read: ${short(words)}`,
    'What has arrived is kept. Go on, ask again, or choose another model.',
  )
}

export function explainResponse(status: number, headers: Headers, body: string): Problem {
  const said = saidBy(body)
  const quoted = said ? ` It said: “${said.replace(/\.$/, '')}”.` : ''
  if (status === 401 || status === 403)
    return problem('chat.key', `The provider refused the key.${quoted}`, 'Enter the key again in the settings.')
  if (isNoCredit(status, body))
    return problem(
      'chat.credit',
      `The provider asks for payment first.${quoted}`,
      'Add credit at the provider, or choose another one.',
    )
  if (status === 404)
    return problem(
      'chat.unknown-model',
      `The provider does not know this model or address.${quoted}`,
      'Choose another model, or check the address in the settings.',
    )
  if (status === 429) {
    const wait = waitOf(headers)
    return problem(
      'chat.rate-limit',
      `The provider lets no more requests through for now.${quoted}`,
      wait === null ? 'Ask again in a minute.' : `Ask again in ${seconds(wait)}.`,
    )
  }
  if (status === 413 || /context.{0,20}(?:length|window)|too long|maximum.{0,20}tokens/i.test(body))
    return problem(
      'chat.too-long',
      `The request is too long for this model.${quoted}`,
      'Choose a model with a larger window, or branch from an earlier message.',
    )
  if (status === 529 || status === 503)
    return problem(
      'chat.overloaded',
      `The provider is overloaded.${quoted}`,
      'Ask again in a moment, or choose another model.',
    )
  return problem(
    'chat.provider',
    `The provider answered with an error (${status}).${quoted}`,
    'Ask again, or choose another model.',
  )
}

export const seconds = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1000))} s`

const isNoCredit = (status: number, body: string): boolean =>
  status === 402 || /insufficient_quota|credit balance|billing/i.test(body)

function waitOf(headers: Headers): number | null {
  const ms = Number(headers.get('retry-after-ms'))
  if (ms > 0) return ms
  const after = headers.get('retry-after')
  if (!after) return null
  const secs = Number(after)
  if (Number.isFinite(secs)) return secs * 1000
  const date = Date.parse(after)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

/** The sentence in an error body, without what looks like a key. */
function saidBy(body: string): string {
  try {
    const { error, message } = JSON.parse(body) as { error?: { message?: unknown } | string; message?: unknown }
    const text = typeof error === 'object' ? error?.message : (error ?? message)
    return typeof text === 'string' ? short(text) : ''
  } catch {
    return ''
  }
}

const short = (text: string): string =>
  plainName(text)
    .replace(/\b(?:sk|pk|key|api)[-_][\w*.-]{4,}/gi, '…')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)

/** The library's error for an answer that was none, as far as it is of use here. */
interface CallError {
  readonly statusCode?: number
  readonly responseHeaders?: Record<string, string>
  readonly responseBody?: string
}

const callError = (error: unknown): CallError | null =>
  (causes(error).find(each => each instanceof Error && each.name === 'AI_APICallError') as CallError | undefined) ??
  null

function causes(error: unknown): unknown[] {
  const list: unknown[] = []
  for (let each = error; each && list.length < 8; each = each instanceof Error ? each.cause : undefined) list.push(each)
  return list
}
