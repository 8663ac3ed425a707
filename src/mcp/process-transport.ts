import { type ChildProcess, spawn } from 'node:child_process'
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import type { Clock } from '../clock.ts'

export interface ProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  /** All that the child sees of the environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly clock: Clock
}

const maxLineBytes = 4 * 1024 * 1024
const logChars = 20_000
const graceMs = 1_500

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
  readonly #buffer = new ReadBuffer({ maxBufferSize: maxLineBytes })
  #child: ChildProcess | null = null
  #closed: Promise<void> = Promise.resolve()

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#options
    const child = spawn(command, [...args], { env, cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child = child
    this.#closed = new Promise(resolve => {
      child.once('close', () => {
        this.#child = null
        // A leader that died may have left its group behind.
        killGroup(child, 'SIGKILL')
        this.onclose?.()
        resolve()
      })
    })
    child.stdin.on('error', error => this.onerror?.(error))
    child.stdout.on('error', error => this.onerror?.(error))
    child.stderr.on('data', chunk => {
      this.log = (this.log + String(chunk)).slice(-logChars)
    })
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
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
    const stdin = this.#child?.stdin
    if (!stdin?.writable) return Promise.reject(new Error('The server is not running.'))
    return new Promise(resolve => {
      if (stdin.write(serializeMessage(message))) resolve()
      else stdin.once('drain', resolve)
    })
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

  #take(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk)
    } catch (error) {
      // A line without an end would fill the memory: whoever writes one is not spoken to any more.
      this.onerror?.(error as Error)
      if (this.#child) killGroup(this.#child, 'SIGKILL')
      return
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage()
        if (message === null) return
        this.onmessage?.(message)
      } catch (error) {
        this.onerror?.(error as Error)
      }
    }
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
