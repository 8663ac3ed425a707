import { connect, type Socket } from 'node:net'
import { HelloReader } from '../client-hello.ts'
import { type Attack, addressOf, attackRules, attacks } from './attacks.testing.ts'
import { forbiddenAddresses } from './forms.testing.ts'
import { startProxy } from './proxy.testing.ts'
import { hello } from './tls.testing.ts'
import { type Arrival, openWorld, publicAddresses, type World, type Zone } from './world.testing.ts'

/**
 * Run inside a namespace by `namespace.testing.ts`: attacks the proxy and prints what got through. What counts is what
 * arrives at the listeners and at the name server, not what the proxy says.
 */
const rebindings = Number(process.argv[2] ?? 500)

let questions = 0
const turns = { 4: 0, 6: 0 }
let reachedWhileRebinding = 0
const zone: Zone = (name, family) => {
  const isFour = (address: string): boolean => address.includes('.') && !address.includes(':')
  const fitting = (addresses: readonly string[]) => addresses.filter(address => isFour(address) === (family === 4))
  const address = addressOf(name)
  if (address) return fitting([address])
  if (name === 'four-inside.example.org') return family === 4 ? ['10.0.0.5'] : fitting(publicAddresses)
  if (name === 'six-inside.example.org') return family === 6 ? ['fd00::1'] : fitting(publicAddresses)
  if (name === 'alias-inside.example.org')
    return { alias: 'inside.evil.net', addresses: fitting(['10.0.0.5', 'fd00::1']) }
  if (name === 'alias-localhost.example.org') return { alias: 'localhost', addresses: fitting(['127.0.0.1', '::1']) }
  if (name === 'many.example.org')
    return fitting([...Array.from({ length: 20 }, (_, at) => `93.184.216.${at + 1}`), '169.254.169.254'])
  if (name === 'none.example.org') return []
  if (name === 'mixed.example.org') return fitting([...publicAddresses, '10.0.0.5', 'fd00::1'])
  if (!name.includes('.rebind.')) return fitting(publicAddresses)
  questions++
  // Another answer at each question: allowed, forbidden, both, in both orders; every other name has no IPv6 address.
  if (family === 6 && name.startsWith('even')) return []
  const turn = turns[family]++
  const bad = fitting(forbiddenAddresses)
  const forbidden = bad[turn % bad.length] ?? '10.0.0.5'
  const allowed = fitting(publicAddresses)
  return [allowed, [forbidden], [...allowed, forbidden], [forbidden, ...allowed]][turn % 4] ?? []
}

const world = await openWorld(zone)
const proxy = await startProxy(attackRules)
const found: { attack: string; what: string }[] = []

/** What of the listeners' notes no rule allows. */
function wrongs(arrivals: readonly Arrival[], asked: readonly string[]): string[] {
  const strange = asked.filter(name => !/^[a-z0-9.-]+\.example\.org$/.test(name) || name === 'denied.example.org')
  return [...new Set(strange)].map(name => `asked for the name ${name}`).concat(arrivals.flatMap(wrongArrival))
}

function wrongArrival({ address, port, bytes }: Arrival): string[] {
  const where = `${address}:${port}`
  if (!publicAddresses.includes(address)) return [`connected to ${where}`]
  if (port === 22) return [`connected to ${where}, which is not granted`]
  if (bytes.length === 0 || port === 5432) return []
  if (port === 443) {
    const state = new HelloReader().feed(bytes)
    const isFine = state.kind === 'named' && /^[a-z0-9.-]+\.example\.org$/.test(state.name ?? '')
    return isFine && !bytes.includes('evil.net') ? [] : [`${bytes.length} strange bytes for ${where}`]
  }
  return wrongRequest(bytes.toString('latin1')).map(what => `${what} for ${where}`)
}

function wrongRequest(text: string): string[] {
  const end = text.indexOf('\r\n\r\n')
  const head = text.slice(0, end)
  const hosts = head.match(/^host\s*:.*$/gim) ?? []
  const isPost = text.startsWith('POST / HTTP/1.1\r\nHost: post.example.org\r\n')
  return [
    ...(/^(?:GET|HEAD|OPTIONS) \/\S* HTTP\/1\.1\r\n/.test(text) || isPost ? [] : ['a strange first line']),
    ...(hosts.length === 1 && /^Host: [a-z0-9.-]+\.example\.org$/.test(hosts[0] ?? '') ? [] : ['a strange host']),
    ...(end + 4 === text.length || (isPost && isWholeBody(head, text.slice(end + 4)))
      ? []
      : ['bytes behind a request']),
    ...(/secret|proxy-|override|upgrade|evil\.net|transfer_/i.test(head) || (!isPost && /transfer-/i.test(head))
      ? ['a field that must not travel']
      : []),
  ]
}

/** A body that ends, or has not ended yet, where its one length says; nothing is hidden in or behind it. */
function isWholeBody(head: string, body: string): boolean {
  const lengths = head.match(/^(?:content-length|transfer-encoding): .*$/gim) ?? []
  const [, digits] = /^Content-Length: (\d+)$/i.exec(lengths[0] ?? '') ?? []
  if (lengths.length !== 1) return false
  if (digits !== undefined) return body.length <= Number(digits) && !body.includes('hidden')
  // Each chunk is `abc` or a part of it; then the end, and nothing. The last of it may still be on its way.
  return /^(?:[1-3]\r\n[abc]{1,3}\r\n)*(?:[1-3](?:\r(?:\n[abc]{0,3}\r?)?)?|0(?:\r(?:\n(?:\r\n?)?)?)?)?$/.test(body)
}

/** A name of its own for each attack, of the same length: the limit of requests a host would stop the later ones. */
function fresh(sends: readonly Buffer[], turn: number): Buffer[] {
  const name = `g${turn.toString(36).padStart(3, '0')}.example.org`
  return sends.map(each => Buffer.from(each.toString('latin1').replaceAll('good.example.org', name), 'latin1'))
}

async function perform({ name, sends, isStepwise }: Attack, turn: number): Promise<void> {
  const arrivalsBefore = world.arrivals.length
  const askedBefore = world.asked.length
  await converse(fresh(sends, turn), isStepwise)
  for (const what of wrongs(world.arrivals.slice(arrivalsBefore), world.asked.slice(askedBefore)))
    found.push({ attack: name, what })
}

/** Sends each piece when the one before was answered or taken, then half-closes and waits for the end. */
function converse(sends: readonly Buffer[], isStepwise = false): Promise<string> {
  return new Promise(resolve => {
    let heard = ''
    const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    socket.setTimeout(3_000, () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('data', data => {
      heard += data.toString('latin1')
    })
    socket.on('close', () => resolve(heard))
    socket.on('end', () => socket.end())
    const [first, ...rest] = sends
    if (isStepwise) return step(socket, sends)
    socket.write(first ?? Buffer.alloc(0), () => {
      const later = (): void => {
        for (const each of rest) socket.write(each)
        socket.end()
      }
      if (rest.length === 0) later()
      else socket.once('data', later).once('close', later)
    })
  })
}

/** One piece after each answer, up to three; the rest follows the third. */
function step(socket: Socket, sends: readonly Buffer[]): void {
  const [first = Buffer.alloc(0), second = Buffer.alloc(0), ...rest] = sends
  socket.write(first)
  socket.once('data', () => {
    socket.write(second)
    socket.once('data', () => {
      for (const each of rest) socket.write(each)
      socket.end()
    })
  })
}

/** Without these a proxy that does nothing at all would pass. */
async function controls(): Promise<string[]> {
  const direct = async (address: string, port: number): Promise<boolean> => {
    const before = world.arrivals.length
    await new Promise(resolve => connect(port, address).on('close', resolve).on('error', resolve).end())
    return wrongs(world.arrivals.slice(before), []).length === 1
  }
  const reached = [await direct('10.0.0.5', 80), await direct('169.254.169.254', 80), await direct('fd00::1', 22)]
  const plain = await converse([Buffer.from('GET http://good.example.org/ HTTP/1.1\r\nHost: good.example.org\r\n\r\n')])
  const before = world.arrivals.length
  const tunnel = await converse([
    Buffer.from('CONNECT good.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'),
    hello('good.example.org'),
  ])
  const greeted = world.arrivals.slice(before).some(each => each.port === 443 && each.bytes.length > 0)
  const interim = await converse([Buffer.from('GET http://good.example.org/interim HTTP/1.1\r\nHost: x\r\n\r\n')])
  const posted = await converse([
    Buffer.from('POST http://post.example.org/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'),
  ])
  const beforeAgain = world.arrivals.length
  await converse(
    [Buffer.from('CONNECT again.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'), ...twice('again.example.org')],
    true,
  )
  const greetedTwice = world.arrivals
    .slice(beforeAgain)
    .some(each => each.bytes.equals(Buffer.concat(twice('again.example.org'))))
  return [
    ...(/100 Continue[\s\S]*103 [\s\S]*200 OK[\s\S]*ok$/.test(interim) ? [] : [`an answer in steps fails: ${interim}`]),
    ...(posted.includes('200 OK') ? [] : [`a granted POST fails: ${posted}`]),
    ...(greetedTwice ? [] : ['a second greeting that is right fails']),
    ...(reached.every(Boolean) ? [] : ['the forbidden side does not see who comes']),
    ...(plain.includes('200 OK') ? [] : [`a granted request fails: ${plain}`]),
    ...(tunnel.includes('200') && greeted ? [] : ['a granted tunnel fails']),
  ]
}

const twice = (name: string): Buffer[] => [hello(name), hello(name)]

async function rebind(count: number, arrivals: World['arrivals']): Promise<void> {
  let next = 0
  const before = arrivals.length
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const host = `${n % 2 === 0 ? 'even' : 'odd'}${n}.rebind.example.org`
      const isTls = n % 3 === 0
      await converse(
        isTls
          ? [Buffer.from(`CONNECT ${host}:443 HTTP/1.1\r\nHost: x\r\n\r\n`), hello(host)]
          : [Buffer.from(`GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`)],
      )
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  reachedWhileRebinding = arrivals.length - before
  for (const what of wrongs(arrivals.slice(before), [])) found.push({ attack: 'rebinding', what })
}

const controlProblems = await controls()
for (const [turn, each] of attacks.entries()) await perform(each, turn)
await rebind(rebindings, world.arrivals)
const alive = (await converse([Buffer.from('GET http://last.example.org/ HTTP/1.1\r\nHost: x\r\n\r\n')])).includes(
  '200 OK',
)
console.log(
  JSON.stringify({
    attacks: attacks.length,
    found,
    controlProblems,
    alive,
    rebindings,
    questions,
    reachedWhileRebinding,
    logged: proxy.log.length,
  }),
)
world.close()
proxy.stop()
process.exit(0)
