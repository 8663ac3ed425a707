import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { Agent } from 'node:http'
import { Duplex, type Readable, type Writable } from 'node:stream'

/** What a refused connection over SSH carries: `explain` knows its code. */
export class SshError extends Error {
  readonly code = 'ESSH'
}

/**
 * Connections to an engine on another machine through the `ssh` of this one, as the command `docker` makes them. Keys,
 * jump hosts and known hosts are those of `ssh`, which refuses a machine whose key has changed; the library's own client
 * would take any.
 */
export function sshAgent(address: string): Agent {
  const args = sshArguments(address)
  return new SshAgent(args)
}

/** `ssh://USER@HOST:PORT` as arguments. A name that `ssh` would read as an option is refused. */
export function sshArguments(address: string): string[] {
  const { hostname, port, username } = new URL(address)
  if (!/^[a-z0-9[][a-z0-9.:\]_-]*$/i.test(hostname) || !/^([a-z0-9_][a-z0-9_.-]*)?$/i.test(username))
    throw new SshError(`${address} is not the address of a machine.`)
  const to = hostname.replace(/^\[(.*)\]$/, '$1')
  return [
    // Nobody is there to be asked for a passphrase.
    ...['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=15'],
    ...(port ? ['-p', port] : []),
    ...(username ? ['-l', username] : []),
    ...['--', to, 'docker', 'system', 'dial-stdio'],
  ]
}

class SshAgent extends Agent {
  readonly #args: readonly string[]

  constructor(args: readonly string[]) {
    // One handshake takes longer than most requests: connections are used again.
    super({ keepAlive: true, maxFreeSockets: 2, timeout: 60_000 })
    this.#args = args
  }

  override createConnection(): Duplex {
    return new Through(spawn('ssh', this.#args, { stdio: ['pipe', 'pipe', 'pipe'] }))
  }
}

/** The two pipes of a program as one stream, with what the agent expects of a socket. */
class Through extends Duplex {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>) {
    super({ allowHalfOpen: false })
    this.#child = child
    let said = ''
    child.stderr.setEncoding('utf8').on('data', text => {
      said = (said + text).slice(-1000)
    })
    child.stdout.on('data', data => {
      if (!this.push(data)) child.stdout.pause()
    })
    child.stdin.on('error', () => undefined)
    child.once('error', error => this.destroy(new SshError(`ssh cannot be started: ${error.message}`)))
    // Its last words come before the end is told: an end alone would say only that somebody hung up.
    child.once('close', code => {
      if (code) this.destroy(new SshError(said.trim().split('\n').at(-1) || `ssh ended with ${code}`))
      else this.push(null)
    })
  }

  override _read(): void {
    this.#child.stdout.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#child.stdin.write(chunk, () => done())
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#child.kill()
    done(error)
  }

  ref(): this {
    return this.#hold('ref')
  }

  unref(): this {
    return this.#hold('unref')
  }

  #hold(how: 'ref' | 'unref'): this {
    const { stdin, stdout, stderr } = this.#child
    this.#child[how]()
    for (const pipe of [stdin, stdout, stderr]) (pipe as { ref?(): void; unref?(): void })[how]?.()
    return this
  }

  setKeepAlive = (): this => this
  setNoDelay = (): this => this
  setTimeout = (): this => this
}
