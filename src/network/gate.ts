import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkRequest } from '../contract/network.ts'
import { workerFile } from '../places.ts'
import { Kept, type Taken } from './kept.ts'
import { FromProxy, type ToProxy, tokenBytes } from './protocol.ts'

/** The way of sandboxes to the proxy, which runs in a process of its own and starts when it is first wanted. */
export interface NetworkGate {
  open(): NetworkSession
  close(): Promise<void>
}

/** What one sandbox may reach now. It begins with nothing, and every request is kept until somebody takes the list. */
export interface NetworkSession {
  /** A connection to the proxy that counts for this session. */
  connect(): Promise<Socket>
  /** Grants these rules and no others. What they no longer cover has been cut off when this resolves. */
  grant(rules: readonly string[]): Promise<void>
  /** A name was asked of the resolver in the sandbox. */
  asked(name: string): void
  /** The run is over: takes every grant away, and gives requests, refusals and names since the last time, in order. */
  end(): Promise<Taken>
  close(): void
}

/** More entries of one run than these are not listed one by one. */
const maxKept = 1000
const startLimitMs = 20_000

export interface GateOptions {
  readonly log?: (message: string) => void
  readonly now?: () => number
}

export function createGate(options: GateOptions = {}): NetworkGate {
  const now = options.now ?? Date.now
  const sessions = new Map<number, OpenSession>()
  let running: Promise<RunningProxy> | null = null
  let next = 0

  const proxy = (): Promise<RunningProxy> => {
    running ??= startProxy((id, entry) => sessions.get(id)?.keep(entry)).then(started => {
      void started.ended.then(() => {
        running = null
        options.log?.('the egress proxy ended')
      })
      return started
    })
    running.catch(() => {
      running = null
    })
    return running
  }

  class OpenSession implements NetworkSession {
    readonly #id = ++next
    readonly #token = randomBytes(tokenBytes / 2).toString('hex')
    #rules: readonly string[] = []
    readonly #kept = new Kept(maxKept)
    /** Whether the proxy may know of requests that are not here yet. */
    #isUsed = false
    /** The process that knows of this session. Another one starts when that has ended. */
    #knownTo: RunningProxy | null = null

    constructor() {
      sessions.set(this.#id, this)
    }

    async #tellRules(started: RunningProxy): Promise<void> {
      started.tell({ type: 'rules', id: this.#id, token: this.#token, rules: [...this.#rules] })
      await started.sync()
      this.#knownTo = started
    }

    keep(entry: NetworkRequest): void {
      this.#kept.add(entry)
    }

    async connect(): Promise<Socket> {
      this.#isUsed = true
      const started = await proxy()
      // Also without a grant: whoever is not known is turned away without a word, and nothing is on the record.
      if (this.#knownTo !== started) await this.#tellRules(started)
      return new Promise((resolve, reject) => {
        const socket = connect({ path: started.address, allowHalfOpen: true })
        socket.once('error', reject)
        socket.once('connect', () => {
          socket.off('error', reject)
          socket.write(this.#token)
          resolve(socket)
        })
      })
    }

    async grant(rules: readonly string[]): Promise<void> {
      if (rules.length === this.#rules.length && rules.every((rule, at) => rule === this.#rules[at])) return
      this.#rules = [...rules]
      this.#isUsed = true
      await this.#tellRules(await proxy())
    }

    asked(name: string): void {
      // Bytes of a question to a name server may be anything; in a list they must not look like something else.
      this.keep(nameEntry(name.slice(0, 253).replace(/[^\x21-\x7e]/g, '?'), now()))
    }

    async end(): Promise<Taken> {
      this.#rules = []
      const started = this.#isUsed ? await running?.catch(() => null) : null
      started?.tell({ type: 'rest', token: this.#token })
      await started?.sync()
      this.#isUsed = false
      return this.#kept.take()
    }

    close(): void {
      sessions.delete(this.#id)
      const token = this.#token
      running?.then(started => started.tell({ type: 'end', token })).catch(() => undefined)
    }
  }

  return {
    open: () => new OpenSession(),
    async close() {
      const started = await running?.catch(() => null)
      await started?.stop()
    },
  }
}

interface RunningProxy {
  readonly address: string
  readonly ended: Promise<void>
  tell(order: ToProxy): void
  sync(): Promise<void>
  stop(): Promise<void>
}

async function startProxy(onLog: (id: number, entry: NetworkRequest) => void): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-egress-'))
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replaceAll(/\W/g, '-')}` : join(folder, 'proxy')
  const child = fork(workerFile('egress'), [address], {
    env: environment(),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const waiting = new Map<number, () => void>()
  let syncs = 0
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  void ended.then(() => {
    rmSync(folder, { recursive: true, force: true })
    for (const settle of waiting.values()) settle()
  })
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the egress proxy did not start')), startLimitMs)
    void ended.then(() => reject(new Error('the egress proxy ended while it was starting')))
    child.on('error', reject)
    child.on('message', message => {
      const said = FromProxy.parse(message)
      if (said.type === 'log') onLog(said.id, said.entry)
      else if (said.type === 'synced') {
        waiting.get(said.n)?.()
        waiting.delete(said.n)
      } else {
        clearTimeout(timer)
        resolve()
      }
    })
  }).catch(error => {
    child.kill('SIGKILL')
    throw error
  })
  // Idle, it keeps nobody from ending; whoever waits for it is kept alive by its own work.
  child.unref()
  child.channel?.unref()
  return {
    address,
    ended,
    tell: order => void (child.connected && child.send(order)),
    sync: () =>
      new Promise(resolve => {
        if (!child.connected) return resolve()
        const n = ++syncs
        child.channel?.ref()
        waiting.set(n, () => {
          if (waiting.size <= 1) child.channel?.unref()
          resolve()
        })
        child.send({ type: 'sync', n } satisfies ToProxy)
      }),
    stop: () => stop(child, ended),
  }
}

function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.ref()
  child.kill('SIGKILL')
  return ended
}

/** Only what a program needs to start: keys and proxies of this user are none of its business. */
function environment(): NodeJS.ProcessEnv {
  const wanted = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SYSTEMROOT', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']
  const given = Object.entries(process.env).filter(([name]) => wanted.includes(name.toUpperCase()))
  // Names are looked up in threads; one slow name server must not hold up the other names.
  return { ...Object.fromEntries(given), ELECTRON_RUN_AS_NODE: '1', UV_THREADPOOL_SIZE: '64' }
}

const nameEntry = (name: string, at: number): NetworkRequest => ({
  at,
  host: name,
  address: null,
  port: 53,
  protocol: 'dns',
  method: null,
  allowed: false,
  rule: null,
  refusal: 'resolver',
  reason: `${name} was asked of the resolver in the sandbox, which knows no names.`,
  bytesSent: 0,
  bytesReceived: 0,
  ms: 0,
})
