import { createORPCClient, ORPCError } from '@orpc/client'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import { create } from 'zustand'
import type { Problem } from '../../src/contract/problem.ts'
import { closeCodes } from '../../src/contract/rpc/app.ts'
import { maxMessageBytes } from '../../src/contract/rpc/base.ts'
import type { Client } from '../../src/contract/rpc.ts'
import { linkShown, offer } from './entry.ts'

/** Whether the engine can be reached, for the bar that says so. */
export const useConnection = create<Connection>(() => ({ state: 'connecting', reason: '' }))

/** `locked`: this window has to come in by a new link; the reason is the name of the close code. */
export interface Connection {
  state: 'connecting' | 'open' | 'lost' | 'locked'
  reason: string
}

type Link = Pick<SocketLink<Record<never, never>>, 'call'>

/** The desktop preload announces itself; without it the page was loaded by a browser. */
export const desktop = (window as { countersign?: DesktopBridge }).countersign ?? null

export interface DesktopBridge {
  readonly platform: string
  /** Asks for a line to the engine; its port arrives as a window message. */
  connect(): void
  /** Commands chosen in the native menu. */
  onCommand(listener: (id: string) => void): void
}

/** Opened by the first call: what only loads this file, such as a test of a component, connects to nothing. */
let current: Promise<Link> | null = null

/** Delegates to whatever line is open now, so that the client survives a lost connection. */
const link: Link = {
  async call(path, input, options) {
    if (JSON.stringify(input ?? null).length > maxMessageBytes) throw tooLarge()
    current ??= connect()
    return (await current).call(path, input, options)
  },
}

export const client: Client = createORPCClient(link as SocketLink<Record<never, never>>)

function connect(): Promise<Link> {
  return desktop ? connectDesktop(desktop) : connectBrowser(0)
}

function connectDesktop(bridge: DesktopBridge): Promise<Link> {
  return new Promise(resolve => {
    window.addEventListener('message', function receive(event) {
      const [port] = event.ports
      if (event.source !== window || event.data !== 'countersign:port' || !port) return
      window.removeEventListener('message', receive)
      port.start()
      useConnection.setState({ state: 'open' })
      resolve(new PortLink({ port }))
    })
    bridge.connect()
  })
}

function connectBrowser(attempt: number): Promise<Link> {
  return new Promise(resolve => {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}/rpc`, offer())
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      attempt = 0
      linkShown()
      useConnection.setState({ state: 'open', reason: '' })
      resolve(new SocketLink({ websocket: socket }))
    })
    socket.addEventListener('close', event => {
      // Trying again would be refused again: the person has to come in by a new link.
      if (event.code === closeCodes.link) return useConnection.setState({ state: 'locked', reason: 'link' })
      if (event.code === closeCodes.session) return useConnection.setState({ state: 'locked', reason: 'session' })
      useConnection.setState({ state: 'lost', reason: event.reason })
      const wait = Math.min(250 * 2 ** attempt, 5000)
      const again = new Promise<Link>(next => setTimeout(() => next(connectBrowser(attempt + 1)), wait))
      // Calls that come meanwhile wait for the new line instead of failing.
      current = again
      resolve(again)
    })
  })
}

const tooLarge = () =>
  new ORPCError('PROBLEM', {
    data: {
      code: 'request.too-large',
      message: 'This is larger than 8 MB.',
      hint: 'Send it as a file.',
    } satisfies Problem,
  })

/** What went wrong, whoever noticed it. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof ORPCError && error.code === 'PROBLEM') return error.data as Problem
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST') {
    const issues = (error.data as { issues?: { message: string }[] } | undefined)?.issues ?? []
    const message = issues.map(issue => issue.message).join(' ') || 'This cannot be sent as it is.'
    return { code: 'request.invalid', message, hint: 'Nothing was changed.' }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal.bug', message, hint: 'Try again; the log has the details.' }
}
