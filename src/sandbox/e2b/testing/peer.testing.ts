import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { cp, lstat, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copyKernel, type Kernel, startKernel } from './kernels.testing.ts'

/** A key in the form that the SDK wants. */
export const testKey = `e2b_${'0123456789abcdef'.repeat(3).slice(0, 40)}`

/**
 * `cut`: the connection is broken before the answer; `cut-stream`: after its first line; `until`: the answer comes only
 * when the promise has come.
 */
export type Fault =
  | { readonly status: number; readonly message?: string }
  | { readonly until: Promise<unknown> }
  | 'cut'
  | 'cut-stream'

interface Box {
  readonly id: string
  readonly root: string
  readonly metadata: Record<string, string>
  readonly envs: Record<string, string>
  readonly kernels: Map<string, Kernel>
  readonly processes: Map<number, ChildProcess>
  readonly network: unknown[]
  /** What was asked for when it was made. */
  readonly asked: Record<string, unknown>
  timeouts: number[]
  state: 'running' | 'paused'
}

export type Peer = Awaited<ReturnType<typeof startPeer>>

/**
 * Speaks the protocol of the service on loopback, control plane and machines at one address, with real kernels behind
 * it. What it was sent and what it is to get wrong can be had from outside.
 */
export async function startPeer() {
  const boxes = new Map<string, Box>()
  const requests: { method: string; path: string; body: string }[] = []
  const faults: { match: RegExp; fault: Fault }[] = []
  const skew = { ms: 0 }
  const server = createServer((request, response) => {
    void answer(request, response).catch(error => send(response, 500, { code: 500, message: String(error) }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const body = await bytesOf(request)
    requests.push({ method: request.method ?? '', path: pathname, body: body.toString('utf8') })
    const at = faults.findIndex(({ match }) => match.test(`${request.method} ${pathname}`))
    const [found] = at < 0 ? [] : faults.splice(at, 1)
    const fault = found?.fault
    if (fault === 'cut') return void request.socket.destroy()
    if (fault === 'cut-stream') cutAfterFirst(response)
    else if (fault && 'until' in fault) await fault.until
    else if (fault) return send(response, fault.status, { code: fault.status, message: fault.message })
    const port = request.headers['e2b-sandbox-port']
    if (!port) return control(request, response, pathname, searchParams, body)
    const box = boxes.get(String(request.headers['e2b-sandbox-id']))
    if (box?.state !== 'running') return send(response, 502, { code: 502, message: 'The sandbox was not found' })
    return port === '49999'
      ? code(box, request, response, pathname, body)
      : envd(box, request, response, pathname, searchParams, body)
  }

  async function control(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
    body: Buffer,
  ): Promise<void> {
    if (request.headers['x-api-key'] !== testKey) return send(response, 401, { code: 401, message: 'Invalid API key' })
    const [, id = '', action = ''] = /^(?:\/v2)?\/sandboxes\/?([^/]*)\/?(.*)$/.exec(path) ?? []
    if (id === '' && request.method === 'POST') return send(response, 201, await create(JSON.parse(body.toString())))
    if (id === '') {
      const wanted = [...new URLSearchParams(query.get('metadata') ?? '')]
      const shown = [...boxes.values()].filter(({ metadata }) =>
        wanted.every(([name, value]) => metadata[name] === value),
      )
      return send(
        response,
        200,
        shown.map(box => described(box, skew.ms)),
      )
    }
    const box = boxes.get(id)
    if (!box) return send(response, 404, { code: 404, message: 'not found' })
    if (request.method === 'DELETE') {
      await end(box)
      return send(response, 204)
    }
    if (action === 'metrics')
      return send(response, 200, [
        {
          timestamp: new Date().toISOString(),
          timestampUnix: 1,
          cpuCount: 2,
          cpuUsedPct: 1,
          memUsed: 5_000_000,
          memTotal: 9,
          diskUsed: 7_000,
          diskTotal: 9,
        },
      ])
    const asked = body.length > 0 ? JSON.parse(body.toString()) : {}
    switch (action) {
      case 'timeout':
        if (box.state === 'paused') return send(response, 404, { code: 404, message: 'not running' })
        box.timeouts.push(asked.timeout)
        return send(response, 204)
      case 'pause':
        if (box.state === 'paused') return send(response, 409, { code: 409, message: 'paused already' })
        pause(box)
        return send(response, 204)
      case 'connect':
        box.timeouts.push(asked.timeout)
        wake(box)
        return send(response, 200, described(box, skew.ms))
      case 'network':
        box.network.push(asked)
        return send(response, 204)
      case 'fork':
        return send(response, 201, [{ sandbox: described(await fork(box), skew.ms) }])
    }
    return send(response, 200, described(box, skew.ms))
  }

  async function newBox(asked: { metadata?: Record<string, string>; envVars?: Record<string, string> }): Promise<Box> {
    const root = await mkdtemp(join(tmpdir(), 'countersign-e2b-'))
    await mkdir(join(root, 'home/user'), { recursive: true })
    const box: Box = {
      id: randomBytes(8).toString('hex'),
      root,
      asked,
      metadata: asked.metadata ?? {},
      envs: asked.envVars ?? {},
      kernels: new Map(),
      processes: new Map(),
      network: [],
      timeouts: [],
      state: 'running',
    }
    boxes.set(box.id, box)
    return box
  }

  const create = async (asked: Parameters<typeof newBox>[0]) => described(await newBox(asked), skew.ms)

  /** A real service stops the whole machine; here its kernels stand still. */
  function pause(box: Box): void {
    box.state = 'paused'
    for (const kernel of box.kernels.values()) kernel.signal('SIGSTOP')
  }

  function wake(box: Box): void {
    box.state = 'running'
    for (const kernel of box.kernels.values()) kernel.signal('SIGCONT')
  }

  async function fork(box: Box): Promise<Box> {
    const copy = await newBox(box.asked)
    await cp(box.root, copy.root, { recursive: true, preserveTimestamps: true })
    for (const kernel of box.kernels.values()) {
      const place = { cwd: join(copy.root, 'home/user/work'), env: environment(copy) }
      copy.kernels.set(kernel.id, await copyKernel(kernel, place))
    }
    return copy
  }

  const environment = (box: Box) => ({ PATH: process.env.PATH ?? '', ...box.envs, HOME: join(box.root, 'home/user') })

  /** The port of the code interpreter. */
  async function code(
    box: Box,
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    body: Buffer,
  ): Promise<void> {
    if (path === '/contexts' && request.method === 'POST') {
      const place = { cwd: join(box.root, 'home/user/work'), env: environment(box) }
      const kernel = startKernel(JSON.parse(body.toString()).language ?? 'python', place)
      box.kernels.set(kernel.id, kernel)
      return send(response, 200, contextOf(kernel))
    }
    // The service has kernels of its own, which nobody asked for.
    if (path === '/contexts')
      return send(response, 200, [
        { id: 'default', language: 'python', cwd: '/home/user' },
        ...[...box.kernels.values()].map(contextOf),
      ])
    const asked = path === '/execute' ? JSON.parse(body.toString()) : {}
    const kernel = box.kernels.get(asked.context_id ?? path.split('/')[2] ?? '')
    if (!kernel) return send(response, 404, { code: 404, message: 'no such context' })
    if (request.method === 'DELETE') {
      box.kernels.delete(kernel.id)
      kernel.signal('SIGKILL')
      return send(response, 204)
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
    kernel.listen = line => {
      response.write(`${line ?? '{"type":"unexpected_end_of_execution"}'}\n`)
      if (line !== null && JSON.parse(line).type !== 'end_of_execution') return
      kernel.listen = null
      response.end()
    }
    if (kernel.isOver()) kernel.listen(null)
    else kernel.tell({ ...asked, language: kernel.language })
  }

  /** The port of files and commands. */
  async function envd(
    box: Box,
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
    body: Buffer,
  ): Promise<void> {
    const real = (inside: string) => join(box.root, inside)
    if (path === '/health') return send(response, 204)
    if (path === '/files' && request.method === 'GET') {
      const file = real(query.get('path') ?? '')
      if (!existsSync(file)) return send(response, 404, { code: 404, message: 'file not found' })
      const { size } = await stat(file)
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
      createReadStream(file)
        .on('error', () => response.destroy())
        .pipe(response)
      return
    }
    if (path === '/files') {
      const form = await new Response(body, {
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      }).formData()
      const written = []
      // The parser keeps only the last part of a file's name, and the service all of it.
      const names = [...body.toString('latin1').matchAll(/name="file"; filename="([^"]+)"/g)].map(
        match => match[1] ?? '',
      )
      for (const [index, file] of form.getAll('file').entries()) {
        const name = query.get('path') ?? names[index] ?? ''
        await mkdir(dirname(real(name)), { recursive: true })
        if (typeof file !== 'string') await writeFile(real(name), Buffer.from(await file.arrayBuffer()))
        written.push({ name: name.split('/').at(-1), type: 'file', path: name })
      }
      return send(response, 200, written)
    }
    if (path === '/process.Process/Start') return startCommand(box, response, JSON.parse(body.subarray(5).toString()))
    const asked = JSON.parse(body.toString())
    switch (path) {
      case '/process.Process/SendSignal':
        kill(box.processes.get(asked.process.pid))
        return send(response, 200, {})
      case '/filesystem.Filesystem/MakeDir':
        await mkdir(real(asked.path), { recursive: true })
        return send(response, 200, { entry: await entryOf(box.root, asked.path) })
      case '/filesystem.Filesystem/ListDir':
        if (!existsSync(real(asked.path))) return send(response, 404, { code: 'not_found', message: 'no folder' })
        return send(response, 200, { entries: await entries(box.root, asked.path, asked.depth ?? 1) })
      case '/filesystem.Filesystem/Remove':
        await rm(real(asked.path), { recursive: true, force: true })
        return send(response, 200, {})
    }
    return send(response, 404, { code: 'unimplemented', message: path })
  }

  function startCommand(
    box: Box,
    response: ServerResponse,
    { process: asked }: { process: { cmd: string; args: string[]; cwd?: string; envs?: Record<string, string> } },
  ): void {
    const child = spawn(
      asked.cmd,
      asked.args.filter(each => each !== '-l'),
      {
        cwd: join(box.root, asked.cwd ?? 'home/user'),
        env: { ...environment(box), ...asked.envs },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const pid = child.pid ?? 0
    box.processes.set(pid, child)
    response.writeHead(200, { 'content-type': 'application/connect+json' })
    const tell = (message: unknown, flags = 0) => {
      const text = Buffer.from(JSON.stringify(message))
      const head = Buffer.alloc(5)
      head[0] = flags
      head.writeUInt32BE(text.length, 1)
      response.write(Buffer.concat([head, text]))
    }
    tell({ event: { start: { pid } } })
    child.stdout.on('data', (data: Buffer) => tell({ event: { data: { stdout: data.toString('base64') } } }))
    child.stderr.on('data', (data: Buffer) => tell({ event: { data: { stderr: data.toString('base64') } } }))
    child.on('close', (status, signal) => {
      box.processes.delete(pid)
      tell({
        event: { end: { exitCode: status ?? -1, exited: signal === null, status: signal ?? `exit status ${status}` } },
      })
      tell({}, 2)
      response.end()
    })
  }

  async function end(box: Box): Promise<void> {
    boxes.delete(box.id)
    for (const kernel of box.kernels.values()) kernel.signal('SIGKILL')
    for (const child of box.processes.values()) kill(child)
    await rm(box.root, { recursive: true, force: true, maxRetries: 3 })
  }

  return {
    url,
    requests,
    skew,
    env: { E2B_API_KEY: testKey, E2B_API_URL: url, E2B_SANDBOX_URL: url } as NodeJS.ProcessEnv,
    boxes: () => [...boxes.values()],
    /** The next request whose method and path match goes wrong. */
    failNext(match: RegExp, fault: Fault) {
      faults.push({ match, fault })
    },
    /** As when their time is over: the service pauses them by itself. */
    tireAll() {
      for (const box of boxes.values()) pause(box)
    },
    /** As when the service ends them. */
    loseAll: () => Promise.all([...boxes.values()].map(end)),
    async close() {
      await Promise.all([...boxes.values()].map(end))
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const contextOf = ({ id, language }: Kernel) => ({ id, language, cwd: '/home/user/work' })

/** `skewMs`: how far the clock of the service is off. */
const described = ({ id, metadata, state }: Box, skewMs: number) => ({
  sandboxID: id,
  templateID: 'code-interpreter-v1',
  clientID: 'peer',
  envdVersion: '0.5.0',
  envdAccessToken: 'token',
  metadata,
  startedAt: new Date(Date.now() + skewMs).toISOString(),
  endAt: new Date(Date.now() + skewMs).toISOString(),
  state,
  cpuCount: 2,
  memoryMB: 512,
})

function cutAfterFirst(response: ServerResponse): void {
  const write = response.write.bind(response)
  response.write = ((piece: string) => {
    write(piece)
    response.socket?.destroySoon()
    return true
  }) as typeof response.write
}

/** With all that it has started. */
function kill(child: ChildProcess | undefined): void {
  try {
    if (child?.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function send(response: ServerResponse, status: number, body?: unknown): void {
  if (body === undefined) return void response.writeHead(status).end()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function entryOf(root: string, path: string) {
  const facts = await lstat(join(root, path))
  const type = facts.isDirectory() ? 'DIRECTORY' : facts.isSymbolicLink() ? 'SYMLINK' : 'FILE'
  const modifiedTime = facts.mtime.toISOString()
  return { name: path.split('/').at(-1), type: `FILE_TYPE_${type}`, path, size: String(facts.size), modifiedTime }
}

async function entries(root: string, folder: string, depth: number): Promise<Awaited<ReturnType<typeof entryOf>>[]> {
  const found = []
  for (const name of await readdir(join(root, folder))) {
    const entry = await entryOf(root, `${folder}/${name}`)
    found.push(entry)
    if (entry.type === 'FILE_TYPE_DIRECTORY' && depth > 1) found.push(...(await entries(root, entry.path, depth - 1)))
  }
  return found
}
