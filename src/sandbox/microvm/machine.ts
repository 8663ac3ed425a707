import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chown, mkdir, open, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { descriptors, type MachineSpec, machineCommand } from './command.ts'
import { confined, seen, unprivilegedId } from './confinement.ts'
import { Control } from './control.ts'

/** What machines run on here, found out once. */
export interface Host {
  readonly program: string
  readonly architecture: MachineSpec['architecture']
  /** The jail for QEMU itself; null where there is none, as on a Mac. */
  readonly bubblewrap: string | null
  readonly root: boolean
  readonly kvmGroup: number | null
  /** Whether QEMU can map a memory file for itself alone without the right to write to it (from 8.2 on). */
  readonly readsMemory: boolean
  /** Folders of machines stand here, one beside the other. */
  readonly listeners: string
}

export interface Start {
  readonly name: string
  readonly acceleration: MachineSpec['acceleration']
  readonly memoryMiB: number
  readonly files: { readonly kernel: string; readonly initrd: string; readonly disk: string }
  readonly ram: MachineSpec['ram']
  /** A file with the state to go on from. */
  readonly state?: string
  /** Starts as a copy of another: the state comes from that one. */
  readonly isCopy?: boolean
}

/** What QEMU maps for itself: its program, translated code, and stacks. */
const ownMiB = 2048

/** A QEMU that has said nothing for so long is killed as it is. */
const beginLimitMs = 10_000

/** A running QEMU. */
export class Machine {
  readonly port: Duplex
  readonly #process: ChildProcess
  readonly #control: Control
  readonly #listener: string
  readonly #isJailed: boolean
  readonly #incoming: Socket | null
  readonly exited: Promise<void>
  said = ''

  private constructor(child: ChildProcess, listener: string, isJailed: boolean, isCopy: boolean) {
    this.#process = child
    this.#listener = listener
    this.#isJailed = isJailed
    // Made as pipes below, which are sockets.
    const streams: readonly unknown[] = child.stdio
    this.port = streams[descriptors.link] as Socket
    this.#control = new Control(streams[descriptors.control] as Socket)
    this.#incoming = isCopy ? (streams[descriptors.state] as Socket) : null
    this.#incoming?.on('error', () => this.#incoming?.destroy())
    const listen = (data: Buffer) => {
      this.said = (this.said + data.toString('utf8')).slice(-4_000)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    this.exited = new Promise(resolve => {
      child.once('error', error => {
        this.said += error.message
        this.port.destroy()
        resolve()
      })
      child.once('exit', () => {
        this.port.destroy()
        resolve()
      })
    })
  }

  static async start(host: Host, wanted: Start): Promise<Machine> {
    const { files, ram, state, isCopy = false } = wanted
    const listener = join(host.listeners, wanted.name)
    await mkdir(listener, { mode: 0o700 })
    if (host.root && host.bubblewrap) await chown(listener, unprivilegedId, unprivilegedId)
    const isJailed = host.bubblewrap !== null
    const shown = isJailed ? { ...seen } : { ...files, ram: ram?.file ?? '', listener }
    const command = machineCommand({
      program: host.program,
      name: wanted.name,
      architecture: host.architecture,
      acceleration: wanted.acceleration,
      memoryMiB: wanted.memoryMiB,
      kernel: shown.kernel,
      initrd: shown.initrd,
      disk: shown.disk,
      ram: ram && { ...ram, file: shown.ram },
      incoming: isCopy || state !== undefined,
      readsMemory: host.readsMemory,
    })
    const writable = ram !== null && (ram.keeps || !host.readsMemory)
    const [program = '', ...args] = host.bubblewrap
      ? confined(
          {
            ...files,
            bubblewrap: host.bubblewrap,
            root: host.root,
            kvmGroup: wanted.acceleration === 'kvm' ? host.kvmGroup : null,
            ram: ram && { file: ram.file, writable },
            listener,
            addressBytes: (wanted.memoryMiB + ownMiB) * 1024 * 1024,
          },
          command,
        )
      : command
    const file = state === undefined ? null : await open(state)
    try {
      const last = isCopy ? 'pipe' : (file?.fd ?? 'ignore')
      const child = spawn(program, args, { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', last] })
      const machine = new Machine(child, listener, isJailed, isCopy)
      // Whoever waits for the machine learns of a failure by its end.
      if (isCopy || file) machine.#control.load(`fd:${descriptors.state}`).catch(() => undefined)
      return machine
    } finally {
      await file?.close()
    }
  }

  /** Stops it for good and writes the state of its devices to a file. */
  async saveTo(file: string): Promise<void> {
    await this.#send(createWriteStream(file, { mode: 0o600 }))
  }

  /** Sends all that this machine is, memory and devices, into one that was started as a copy; then goes on. */
  async copyTo(copy: Machine): Promise<void> {
    try {
      await this.#send(copy.#incoming as Socket)
    } finally {
      await this.#control.goOn().catch(() => undefined)
    }
  }

  /** QEMU calls at a socket in its own folder; what it says there is passed on as it is. */
  async #send(to: Writable): Promise<void> {
    const { promise: called, resolve, reject } = Promise.withResolvers<Socket>()
    const server = createServer(resolve)
    const socket = join(this.#listener, 'out')
    await new Promise<void>((listening, failed) => server.once('error', failed).listen(socket, listening))
    if (this.#isJailed && process.getuid?.() === 0) await chown(socket, unprivilegedId, unprivilegedId)
    void this.exited.then(() => reject(new Error('the machine has ended')))
    try {
      const uri = this.#isJailed ? `${seen.listener}/out` : socket
      await Promise.all([this.#control.save(`unix:${uri}`), called.then(from => pipeline(from, to))])
    } finally {
      server.close()
      await rm(socket, { force: true })
    }
  }

  async end(): Promise<void> {
    // The jail ties QEMU's life to its own only while it starts it: killed before, it would leave QEMU behind.
    await Promise.race([this.#control.begun, this.exited, setTimeout(beginLimitMs, undefined, { ref: false })])
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.#process.kill('SIGKILL')
    await this.exited
    await rm(this.#listener, { recursive: true, force: true })
  }
}
