import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import type { Clock } from '../clock.ts'
import { Pace } from './pace.ts'

export interface ProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  /** All that the child sees of the environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly clock: Clock
}

const maxLineBytes = 4 * 1024 * 1024
/** What may wait for a server to read it. */
const mostUnread = 64 * 1024 * 1024
const logChars = 20_000
const graceMs = 1_500
const lineFeed = 10

/**
 * A server on standard input and output, in a process group of its own: what it started ends with it. The library's
 * own transport starts it in ours and leaves grandchildren behind.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** The end of what it wrote to standard error. */
  log = ''
  readonly #options: ProcessOptions
  #child: ChildProcess | null = null
  #closed: Promise<void> = Promise.resolve()
  /** Of the last chunks, what has not been handed on. */
  #rest: Buffer = Buffer.alloc(0)

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  start(): Promise<void> {
    const { command, args, env, cwd, clock } = this.#options
    const child = spawn(command, [...args], { env, cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child = child
    const { stdout, stderr } = child
    const [pace, logPace] = [new Pace(clock), new Pace(clock)]
    let stopWaiting: () => void = () => undefined
    child.once('exit', () => {
      // A leader that died may have left its group behind.
      killGroup(child, 'SIGKILL')
      // Whoever left the group too may hold the streams open for ever.
      stopWaiting = clock.after(graceMs, () => {
        for (const stream of child.stdio) stream?.destroy()
      })
    })
    this.#closed = new Promise(resolve => {
      child.once('close', () => {
        this.#child = null
        stopWaiting()
        this.onclose?.()
        resolve()
      })
    })
    child.stdin.on('error', error => this.onerror?.(error))
    stdout.on('error', error => this.onerror?.(error))
    stderr.on('data', (chunk: Buffer) => {
      this.log = (this.log + String(chunk)).slice(-logChars)
      logPace.took(chunk.length, 1)
      this.#rests(stderr, logPace, () => undefined)
    })
    stdout.on('data', (chunk: Buffer) => {
      this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
      this.#handOn(stdout, pace)
    })
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', error => {
        this.onerror?.(error)
        reject(error)
      })
    })
  }

  get isUp(): boolean {
    return this.#child !== null
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child
    if (!child?.stdin?.writable) return Promise.reject(new Error('The server is not running.'))
    const { stdin } = child
    if (stdin.writableLength > mostUnread) {
      killGroup(child, 'SIGKILL')
      return Promise.reject(new Error('The server does not read what it is sent.'))
    }
    return new Promise(resolve => stdin.write(serializeMessage(message), () => resolve()))
  }

  /** Asks it to end, then ends it, and all that it started. */
  async close(): Promise<void> {
    const child = this.#child
    if (!child) return this.#closed
    child.stdin?.end()
    killGroup(child, 'SIGTERM')
    const stop = this.#options.clock.after(graceMs, () => killGroup(child, 'SIGKILL'))
    await this.#closed
    stop()
  }

  /** The messages of what has come, line by line; whatever else a server writes is passed over. */
  #handOn(stdout: Readable, pace: Pace): void {
    for (let end = this.#rest.indexOf(lineFeed); end >= 0; end = this.#rest.indexOf(lineFeed)) {
      if (this.#rests(stdout, pace, () => this.#handOn(stdout, pace))) return
      const line = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end + 1)
      pace.took(line.length, 1)
      if (isObject(line)) this.#read(line)
    }
    if (this.#rest.length <= maxLineBytes) return
    // A line without an end would fill the memory: whoever writes one is not spoken to any more.
    this.#rest = Buffer.alloc(0)
    this.onerror?.(new Error(`a line of more than ${maxLineBytes / 1024 / 1024} MB`))
    if (this.#child) killGroup(this.#child, 'SIGKILL')
  }

  /** Whether a stream rests for now; then `go` is called when it goes on. */
  #rests(stream: Readable, pace: Pace, go: () => void): boolean {
    const ms = pace.restMs()
    if (ms === 0) return false
    stream.pause()
    this.#options.clock.after(ms, () => {
      stream.resume()
      go()
    })
    return true
  }

  #read(line: Buffer): void {
    try {
      this.onmessage?.(deserializeMessage(line.toString('utf8')))
    } catch (error) {
      this.onerror?.(error as Error)
    }
  }
}

/** Noise on standard output is not parsed first. */
const isObject = (line: Buffer): boolean => line.toString('latin1', 0, 64).trimStart().startsWith('{')

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
