#!/usr/bin/env node
// The egress proxy alone, for anybody who wants to attack it: HTTP, CONNECT and SOCKS5 on one port of the loopback.
//   EGRESS_RULES='[{"host":"*.example.org","port":443,"protocol":"https"}]' node scripts/egress-proxy.mjs
// Prints {"address":"127.0.0.1:PORT"}, then one {"log":{…}} line a request, allowed or refused. Names are asked of the
// system's resolver. EGRESS_PORT chooses the port; without it the system does.
import { createServer } from 'node:net'
import { ensureNode24, ensurePackages } from './ready.mjs'

// Names are looked up in threads; one slow name server must not hold up the other names.
process.env.UV_THREADPOOL_SIZE ??= '16'
ensurePackages()
await ensureNode24(process.argv[1], process.argv.slice(2))

const { EgressProxy, parseRules, Session } = await import('../src/network/network.ts')

const print = line => process.stdout.write(`${JSON.stringify(line)}\n`)
const giveUp = message => {
  process.stderr.write(`egress-proxy: ${message}\n`)
  process.exit(2)
}

let given
try {
  given = JSON.parse(process.env.EGRESS_RULES || '[]')
} catch {
  giveUp('EGRESS_RULES is not JSON.')
}
const rules = parseRules(given)
if (!rules.ok) giveUp(rules.problem.message)

const proxy = new EgressProxy()
const session = new Session(rules.value, entry => print({ log: entry }))
const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => proxy.accept(socket, session))
server.on('error', error => giveUp(error.message))
server.listen({ host: '127.0.0.1', port: Number(process.env.EGRESS_PORT ?? 0), backlog: 1024 }, () =>
  print({ address: `127.0.0.1:${server.address().port}` }),
)

// Started by an older Node, this is a child of it; when that one is killed nobody else would end this one.
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.exit(), 1_000).unref()
