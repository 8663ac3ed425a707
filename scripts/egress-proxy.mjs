#!/usr/bin/env node
// The egress proxy alone, for anybody who wants to attack it: HTTP, CONNECT and SOCKS5 on one port of the loopback.
//   EGRESS_RULES='[{"host":"*.example.org","port":443,"protocol":"https"}]' node scripts/egress-proxy.mjs
import { createServer } from 'node:net'
import { ensureNode24, ensurePackages } from './ready.mjs'

const help = `EGRESS_RULES='[…]' node scripts/egress-proxy.mjs

Starts the egress proxy alone: plain HTTP, CONNECT and SOCKS5 on one port of the loopback. Prints
{"address":"127.0.0.1:PORT"}, then one {"log":{…}} line a request, allowed or refused, when it is over.

  EGRESS_RULES   a list of rules as JSON; left out or [], everything is refused
  EGRESS_PORT    the port to listen on; left out: any that is free

A rule is an object:
  host       a name, an address, or *. and a name: its subdomains, and not the name itself
  port       left out: 80 for http, 443 for https; tcp needs one
  protocol   https (left out): a tunnel by CONNECT or SOCKS5 in which the TLS greeting names the host
             http: requests for http://host/path, never a tunnel
             tcp: a tunnel by CONNECT or SOCKS5 that nobody reads
  methods    of http; left out: GET, HEAD, OPTIONS
  effect     allow (left out) or deny; deny beats allow

Rules that cannot be read end it with exit status 2 and a sentence. Names are looked up as the system does it
(/etc/hosts, the name server of /etc/resolv.conf), once a request.

To let it reach servers of a test: loopback, private and reserved addresses and those of this machine's interfaces
are refused whatever the rules say, and no switch changes that. So use a network namespace in which every address of
the Internet is the machine itself; one that the proxy must not reach is then really reached if it can be:

  echo 'nameserver 127.0.0.1' > /tmp/resolv.conf
  unshare -rnm sh -c '
    ip link set lo up
    ip route add local 0.0.0.0/0 dev lo
    ip -6 route add local ::/0 dev lo
    mount --bind /tmp/resolv.conf /etc/resolv.conf
    exec sh'

In that shell a name server on 127.0.0.1:53 answers as it likes, and a server on 0.0.0.0 or :: is reached at any
address, such as 93.184.216.34; the local address of a connection says which one was dialled. Routes only: an address
that is added to an interface counts as this machine's own. scripts/egress-battery.mjs attacks it in this way.
`
const giveUp = message => {
  process.stderr.write(`egress-proxy: ${message}\n`)
  process.exit(2)
}
const [option] = process.argv.slice(2)
if (option === '--help' || option === '-h') {
  process.stdout.write(help)
  process.exit()
}
if (option !== undefined) giveUp(`"${option}" means nothing here. Rules come in EGRESS_RULES; --help says how.`)

// Names are looked up in threads; one slow name server must not hold up the other names.
process.env.UV_THREADPOOL_SIZE ??= '64'
const startedBy = Number(process.env.EGRESS_STARTED_BY)
process.env.EGRESS_STARTED_BY = String(process.pid)
ensurePackages()
await ensureNode24(process.argv[1], process.argv.slice(2))

const { EgressProxy, parseRules, Session } = await import('../src/network/network.ts')

let given
try {
  given = JSON.parse(process.env.EGRESS_RULES || '[]')
} catch (error) {
  giveUp(`EGRESS_RULES is not JSON: ${error.message}`)
}
const rules = parseRules(given)
if (!rules.ok) giveUp(`${rules.problem.message} --help says how they are written.`)
const { EGRESS_PORT = '0' } = process.env
if (!/^\d{1,5}$/.test(EGRESS_PORT) || Number(EGRESS_PORT) > 65_535) giveUp(`EGRESS_PORT is no port: "${EGRESS_PORT}".`)

// Nobody reads the log any more: what cannot be written down is not done.
process.stdout.on('error', () => process.exit(1))
const print = line => process.stdout.write(`${JSON.stringify(line)}\n`)

const proxy = new EgressProxy()
const session = new Session(rules.value, entry => print({ log: entry }))
const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => proxy.accept(socket, session))
server.on('error', error => giveUp(error.message))
server.listen({ host: '127.0.0.1', port: Number(EGRESS_PORT), backlog: 1024 }, () =>
  print({ address: `127.0.0.1:${server.address().port}` }),
)

function end() {
  session.rest()
  process.stdout.write('', () => process.exit())
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
// Started by an older Node, this is a child of it; when that one is killed nobody else would end this one.
if (startedBy === process.ppid) setInterval(() => process.ppid !== startedBy && end(), 1_000).unref()
