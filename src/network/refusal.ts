import type { RefusalCode } from '../contract/network.ts'

/** Why a request goes no further. Thrown inside the proxy only, where it ends as an answer and a line of the log. */
export class Refusal extends Error {
  readonly code: RefusalCode
  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

const statuses: Record<RefusalCode, number> = {
  malformed: 400,
  name: 400,
  address: 403,
  'not-granted': 403,
  denied: 403,
  method: 403,
  rate: 429,
  unresolved: 502,
  unreachable: 502,
  'tls-name': 403,
  'too-much': 413,
  'time-out': 504,
  'taken-back': 403,
  resolver: 403,
}

/**
 * The answer to a refused request. Its first line carries the sentence, since that is all that most programs show of an
 * answer to CONNECT.
 */
export function refusalAnswer(refusal: Refusal, retryMs: number | null): Buffer {
  const sentence = refusal.message.replace(/[^\x20-\x7e]/g, '?').slice(0, 400)
  const body = `${sentence}\n`
  return Buffer.from(
    `HTTP/1.1 ${statuses[refusal.code]} ${sentence}\r\n` +
      `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n` +
      (retryMs === null ? '' : `Retry-After: ${Math.max(1, Math.ceil(retryMs / 1000))}\r\n`) +
      `Connection: close\r\n\r\n${body}`,
    'latin1',
  )
}
