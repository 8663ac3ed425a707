import type { AnyRouter, Context, InferRouterInitialContext } from '@orpc/server'
import { RPCHandler } from '@orpc/server/websocket'
import { maxMessageBytes } from '../../contract/rpc/base.ts'
import type { Log } from '../../log.ts'

/** A two-way line to one window: a WebSocket in the browser, a message port on the desktop. */
export interface Channel {
  send(data: string | ArrayBufferLike | Uint8Array): void
  onMessage(listener: (data: unknown) => void): void
  onClose(listener: () => void): void
  /** Ends the line and says why, in the words and numbers of WebSocket close codes. */
  close(code: number, reason: string): void
}

const tooLarge = { code: 1009, reason: 'A message was larger than 8 MB.' }
const malformed = { code: 1007, reason: 'A message could not be read.' }

/** Answers calls that come over a channel. Nothing that a window sends can throw past this point. */
export function serveChannel<Router extends AnyRouter>(
  router: Router,
  channel: Channel,
  context: InferRouterInitialContext<Router> & Context,
  log: Log,
): void {
  const handler = new RPCHandler(router)
  const peer = {
    send: (data: string | ArrayBufferLike | ArrayBufferView | Blob) => channel.send(data as Uint8Array),
    addEventListener: () => undefined,
  }
  const refuse = ({ code, reason }: { code: number; reason: string }, why?: unknown) => {
    log.warn({ code, why: why instanceof Error ? why.message : undefined }, reason)
    channel.close(code, reason)
  }
  channel.onMessage(async data => {
    if (typeof data !== 'string' && !(data instanceof ArrayBuffer)) return refuse(malformed)
    const bytes = typeof data === 'string' ? data.length : data.byteLength
    if (bytes > maxMessageBytes) return refuse(tooLarge)
    try {
      await handler.message(peer as unknown as WebSocket, data, { context })
    } catch (error) {
      refuse(malformed, error)
    }
  })
  channel.onClose(() => handler.close(peer as unknown as WebSocket))
}
