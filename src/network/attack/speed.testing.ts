import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { startProxy } from './proxy.testing.ts'
import { openNames } from './world.testing.ts'

/** Run inside a namespace: the same requests straight to a server and through the proxy, in turns. */
const address = '93.184.216.34'
const host = 'data.example.org'
const bytes = 100 * 1024 * 1024
const congestion = '/proc/sys/net/ipv4/tcp_congestion_control'

if (process.argv[2] === 'serve') {
  const big = Buffer.alloc(1024 * 1024, 'x')
  createServer((asked, answer) => {
    if (asked.url !== '/big') return void answer.end('ok')
    answer.setHeader('content-length', bytes)
    let left = bytes
    const more = (): void => {
      while (left > 0) {
        left -= big.length
        if (!answer.write(big)) return void answer.once('drain', more)
      }
      answer.end()
    }
    more()
  }).listen(80, () => process.send?.('ready'))
} else {
  const server = fork(process.argv[1] ?? '', ['serve'])
  await new Promise(resolve => server.once('message', resolve))
  const names = await openNames(
    (_, family) => (family === 4 ? [address] : []),
    () => undefined,
  )
  const proxy = await startProxy([{ host: '*.example.org', port: 80, protocol: 'http' }])

  const get = (options: object): Promise<number> =>
    new Promise((resolve, reject) => {
      const started = performance.now()
      request({ agent: false, headers: { host }, ...options }, answer => {
        answer.on('data', () => undefined)
        answer.on('end', () => resolve(performance.now() - started))
        answer.on('error', reject)
      })
        .on('error', reject)
        .end()
    })
  // The limit counts requests by host, so each has a name of its own.
  let turn = 0
  const ways = {
    direct: (path: string) => get({ host: address, port: 80, path }),
    proxied: (path: string) =>
      get({ host: '127.0.0.1', port: proxy.port, path: `http://n${Math.floor(turn++ / 90)}.example.org${path}` }),
  }
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const measured = async (path: string, rounds: number) => {
    const taken: Record<keyof typeof ways, number[]> = { direct: [], proxied: [] }
    for (let round = 0; round < rounds; round++) {
      for (const way of ['direct', 'proxied'] as const) taken[way].push(await ways[way](path))
    }
    return { direct: median(taken.direct), proxied: median(taken.proxied) }
  }
  await measured('/', 50)
  const small = await measured('/', 300)
  const mbPerSecond = (ms: number): number => Math.round(bytes / 1024 / 1024 / (ms / 1000))
  const download = async () => {
    const { direct, proxied } = await measured('/big', 31)
    return {
      congestionControl: readFileSync(congestion, 'utf8').trim(),
      downloadMbPerSecond: { direct: mbPerSecond(direct), proxied: mbPerSecond(proxied) },
      downloadRatio: round(direct / proxied),
    }
  }
  const asConfigured = await download()
  // BBR sends by a timer for each 64 KB. On a loopback that costs more than all that the proxy does, and twice as often
  // where there are two connections. Each kernel has Reno, which like the usual CUBIC sends without a timer.
  writeFileSync(congestion, 'reno')
  console.log(
    JSON.stringify({
      requestMs: { direct: round(small.direct), proxied: round(small.proxied) },
      addedMs: round(small.proxied - small.direct),
      ...(await download()),
      asConfigured,
    }),
  )
  names.close()
  proxy.stop()
  server.kill()
  process.exit(0)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
