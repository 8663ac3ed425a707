import { chmodSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { type FromProxy, ToProxy, tokenBytes } from './protocol.ts'
import { EgressProxy } from './proxy.ts'
import { parseRule, type Rule } from './rules.ts'
import { Session } from './session.ts'

/**
 * The process with the proxy. It reads what hostile code and foreign servers send, so it holds nothing of the user's: no
 * keys, no files, no database. Connections come by a socket in a private folder and say by a token whose they are.
 */
const [, , address = ''] = process.argv
const tell = (message: FromProxy): void => void process.send?.(message)
const proxy = new EgressProxy()
const sessions = new Map<string, { id: number; session: Session }>()

const server = createServer({ allowHalfOpen: true }, socket => greet(socket))
server.listen({ path: address, backlog: 1024 }, () => {
  if (process.platform !== 'win32') chmodSync(address, 0o600)
  tell({ type: 'listening' })
})

/** The token comes first; what follows it is the client's. */
function greet(socket: Socket): void {
  let first = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  const listen = (data: Buffer): void => {
    first = Buffer.concat([first, data])
    if (first.length < tokenBytes) return
    socket.off('data', listen)
    const found = sessions.get(first.toString('latin1', 0, tokenBytes))
    if (!found) {
      socket.destroy()
      return
    }
    socket.pause()
    if (first.length > tokenBytes) socket.unshift(first.subarray(tokenBytes))
    proxy.accept(socket, found.session)
    socket.resume()
  }
  socket.on('data', listen)
}

process.on('message', message => {
  const order = ToProxy.parse(message)
  switch (order.type) {
    case 'rules': {
      const known = sessions.get(order.token)
      const rules = order.rules.flatMap(readRule)
      if (known) known.session.change(rules)
      else {
        const { id } = order
        sessions.set(order.token, { id, session: new Session(rules, entry => tell({ type: 'log', id, entry })) })
      }
      break
    }
    case 'rest':
      sessions.get(order.token)?.session.rest()
      break
    case 'end':
      sessions.get(order.token)?.session.rest()
      sessions.delete(order.token)
      break
    case 'sync':
      tell({ type: 'synced', n: order.n })
      break
  }
})

/** A rule that cannot be read grants nothing. */
function readRule(text: string): Rule[] {
  const rule = parseRule(text)
  return rule.ok ? [rule.value] : []
}

// The application may have been killed: nobody else would ever end this process.
process.on('disconnect', () => process.exit())
