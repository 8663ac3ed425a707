import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { forbiddenAddress, ownAddresses, sameAddress } from './address.ts'
import type { Host } from './host.ts'
import { ReadBuffers } from './read-buffers.ts'
import { Refusal } from './refusal.ts'
import type { Turns } from './turns.ts'

const lookupMs = 5_000
const connectMs = 10_000
/** A name with more addresses than this is tried by the first ones only. All of them must be allowed all the same. */
const maxTries = 4

/** Takes bytes as they come in one buffer that is used again: false stops reading until the socket is resumed. */
export type Reader = (data: Buffer) => boolean

/**
 * The addresses of a host, each checked; asks the resolver once. A name of which one address is forbidden is refused as
 * a whole: whoever owns it would otherwise decide by the order of answers.
 */
export async function resolveHost(host: Host, turns: Turns): Promise<string[]> {
  const addresses = host.kind === 'address' ? [host.text] : await askResolver(host.text, turns)
  const own = ownAddresses()
  for (const address of addresses) {
    const why = forbiddenAddress(address, own)
    if (why !== null) {
      const what = host.kind === 'address' ? host.text : `${host.text} is ${address}, which`
      throw new Refusal('address', `${what} may not be reached: ${why}.`)
    }
  }
  return addresses
}

async function askResolver(name: string, turns: Turns): Promise<string[]> {
  // Always this machine (RFC 6761), whatever a name server may say of it.
  if (/(?:^|\.)localhost$/.test(name)) throw new Refusal('address', `${name} may not be reached: loopback.`)
  // The dot keeps the resolver from trying the search domains of this machine behind the name.
  const asked = turns.take(() => lookup(`${name}.`, { all: true, order: 'verbatim' }))
  const answer = await inTime(asked, lookupMs).catch(() => [])
  if (answer.length === 0) throw new Refusal('unresolved', `${name} has no address.`)
  return [...new Set(answer.map(each => each.address))]
}

/** A connection to one of the checked addresses, and to nothing else. */
export async function dial(addresses: readonly string[], port: number, read: Reader, signal: AbortSignal) {
  let failure = 'it has no address'
  for (const address of addresses.slice(0, maxTries)) {
    try {
      return { socket: await dialOne(address, port, read, signal), address }
    } catch (error) {
      if (signal.aborted || error instanceof Refusal) throw error
      failure = error instanceof Error ? error.message : String(error)
    }
  }
  throw new Refusal('unreachable', `It cannot be reached: ${failure}.`)
}

const buffers = new ReadBuffers()

function dialOne(address: string, port: number, read: Reader, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const lent = buffers.lend()
    const socket = connect({
      host: address,
      port,
      family: isIP(address),
      autoSelectFamily: false,
      noDelay: true,
      allowHalfOpen: true,
      // An address needs no resolver. Should this one ever be asked, something else than the checked address would be.
      lookup: () => socket.destroy(new Error('a name was about to be dialled')),
      onread: {
        buffer: lent.next,
        callback: (count, buffer) => {
          lent.filled(count)
          return read((buffer as Buffer).subarray(0, count))
        },
      },
    })
    socket.once('close', lent.giveBack)
    // Nothing is read before its taker is ready; `resume` begins.
    socket.pause()
    const give = (error: Error): void => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(error)
    }
    const abort = (): void => give(new Error('the client has gone'))
    signal.addEventListener('abort', abort, { once: true })
    socket.setTimeout(connectMs, () => give(new Error('no answer within 10 s')))
    socket.on('error', give)
    socket.once('connect', () => {
      const reached = socket.remoteAddress ?? ''
      // Not even a wrong route inside this machine may lead elsewhere.
      if (!sameAddress(reached, address)) return give(new Refusal('address', `${reached} answered for ${address}.`))
      signal.removeEventListener('abort', abort)
      socket.off('error', give)
      socket.removeAllListeners('timeout')
      socket.setTimeout(0)
      resolve(socket)
    })
  })
}

function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('too late')), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
