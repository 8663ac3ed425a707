import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { startProxy } from './proxy.testing.ts'
import { hello } from './tls.testing.ts'
import { openWorld, publicAddresses } from './world.testing.ts'

/** Run inside a namespace: a thousand tunnels at once, clients that stop half-way, and clients that never read. */
const waves = Number(process.argv[2] ?? 2)
const atOnce = 1000
const step = 100

const world = await openWorld((_, family) => publicAddresses.filter(each => each.includes(':') === (family === 6)))
const proxy = await startProxy([
  { host: '*.example.org', port: 443, protocol: 'https' },
  { host: '*.example.org', port: 80, protocol: 'http' },
])
const residentMb = (): number =>
  (Number(readFileSync(`/proc/${proxy.pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1024 / 1024

function open(first: string | Buffer): Socket {
  const socket = connect({ port: proxy.port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  socket.write(first)
  return socket
}

const until = async (what: () => boolean): Promise<void> => {
  const end = performance.now() + 60_000
  while (!what()) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

async function wave(number: number): Promise<number> {
  const arrived = world.arrivals.length
  const logged = proxy.log.length
  const open443 = () => world.arrivals.slice(arrived).filter(each => each.bytes.length > 0 && !each.isEnded).length
  const sockets: Socket[] = []
  // In steps, so that a busy machine answers for each name in time; at the end all of them are open.
  while (sockets.length < atOnce) {
    const host = `w${number}n${sockets.length}.example.org`
    sockets.push(open(Buffer.concat([Buffer.from(`CONNECT ${host}:443 HTTP/1.1\r\nHost: x\r\n\r\n`), hello(host)])))
    if (sockets.length % step === 0) await until(() => open443() === sockets.length)
  }
  const together = open443()
  for (const socket of sockets) socket.destroy()
  await until(() => proxy.log.length === logged + atOnce)
  return together
}

const get = (name: string, path: string): string => `GET http://${name}.example.org${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const answered = (socket: Socket): Promise<string> =>
  new Promise(resolve => {
    let heard = ''
    socket.on('data', data => (heard += data.toString('latin1')))
    socket.on('close', () => resolve(heard))
  })

const together: number[] = []
const resident: number[] = []
for (let number = 0; number < waves; number++) {
  together.push(await wave(number))
  resident.push(Math.round(residentMb()))
}

// Half a request, half a greeting, half of SOCKS: each stays open and must not keep anybody else from being served.
const halves = Array.from({ length: 300 }, (_, index) =>
  open([get('half', '/').slice(0, 30), 'CONNECT half.exa', Buffer.from([5, 1])][index % 3] ?? ''),
)
const slow = open(get('slow', '/').slice(0, 1))
for (const byte of get('slow', '/').slice(1)) slow.write(byte)
const slowAnswer = (await answered(slow)).includes('200 OK')

const beforeFlood = residentMb()
const floods = Array.from({ length: 40 }, (_, index) => open(get(`f${index}`, '/flood')).pause())
await until(() => world.arrivals.filter(each => each.bytes.includes('/flood')).length === floods.length)
const servedMeanwhile = (await answered(open(get('meanwhile', '/')))).includes('200 OK')
const floodMb = Math.round(residentMb() - beforeFlood)
for (const socket of [...halves, ...floods]) socket.destroy()

// Chunks of a byte are much work; whoever asks for something small meanwhile is not kept waiting for all of them.
const beforeCrumbs = residentMb()
let crumbsMb = 0
let isOver = false
const crumbs = answered(open(get('crumbs', '/crumbs'))).finally(() => (isOver = true))
let servedBetween = 0
while (!isOver) {
  const answer = await answered(open(get(`between${servedBetween}`, '/')))
  if (!isOver && answer.includes('200 OK')) servedBetween++
  crumbsMb = Math.max(crumbsMb, Math.round(residentMb() - beforeCrumbs))
}
const crumbsWhole = (await crumbs).match(/x/g)?.length

console.log(
  JSON.stringify({ together, resident, floodMb, slowAnswer, servedMeanwhile, servedBetween, crumbsMb, crumbsWhole }),
)
world.close()
proxy.stop()
process.exit(0)
