import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Limits } from '../../contract/run.ts'
import { kernelEnvironment, programs } from '../kernel/guest.ts'
import type { Link } from '../kernel/link.ts'
import { type ControlGroups, inGroup } from './cgroup.ts'
import { type Host, inside, outerJail, unprivilegedId } from './jail.ts'
import type { Hello, LinkListener } from './link-listener.ts'
import { preloaded } from './python.ts'
import { seatbeltProfile } from './seatbelt.ts'

/** How the confinement are made on this machine. */
export type ConfinementKind = 'namespaces' | 'seatbelt' | 'none'

export interface Start {
  readonly host: Host
  readonly listener: LinkListener
  readonly bash: string
  readonly log: (message: string) => void
}

export interface StartZygote extends Start {
  readonly bubblewrap: string
  readonly preload: boolean
  readonly groups: ControlGroups | null
}

const startLimitMs = 30_000
/** A running zygote: asked over its link, every sandbox then reports by itself. */
export class Zygote {
  readonly link: Link
  readonly loaded: readonly string[]
  /** Whether its sandboxes are in control groups. */
  readonly grouped: boolean
  readonly #process: ChildProcess
  readonly failures = new Map<string, (message: string) => void>()
  gone = false

  private constructor(child: ChildProcess, { link, hello }: { link: Link; hello: Hello }) {
    this.#process = child
    this.link = link
    this.loaded = hello.loaded ?? []
    this.grouped = hello.grouped ?? false
    void link.closed.then(() => {
      this.gone = true
    })
    link.listen(({ header }) => {
      if (header.type === 'failed') this.failures.get(String(header.id))?.(String(header.message))
      return undefined
    })
  }

  static async start({ host, listener, bash, bubblewrap, preload, groups, log }: StartZygote): Promise<Zygote> {
    const jail = outerJail(host, groups)
    const work = { work: '/work', tmp: '/tmp' }
    const config = {
      mode: 'zygote',
      forks: true,
      sized: true,
      linux: true,
      jailed: true,
      socket: `${inside.host}/link`,
      become: host.root ? unprivilegedId : null,
      preload: preload ? preloaded.filter(name => host.python.libraries.includes(name)) : [],
      seccomp: inside.seccomp,
      system: jail.system,
      groups: groups ? inside.groups : null,
      ...work,
      run: '/run',
      env: kernelEnvironment(host.python.executable, work),
      programs: programs(bash, inside.deno, inside.denoKernel, ['/work', '/tmp']),
    }
    const start = ['--', host.python.executable, '-I', `${inside.kernels}/start.py`]
    const command = [bubblewrap, ...jail.arguments, ...start]
    const [program = '', ...args] = groups ? inGroup(groups, command) : command
    const child = spawn(program, args, {
      // The working folder of the application must not be held, nor its environment seen.
      cwd: '/',
      env: { OPENBLAS_NUM_THREADS: '1', PATH: process.env.PATH ?? '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    return new Zygote(child, await report(child, 'zygote', config, listener, log))
  }

  /** Ends the zygote and, with its PID namespace, every sandbox. */
  async close(): Promise<void> {
    this.link.destroy()
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const gone = new Promise<void>(resolve => this.#process.once('exit', () => resolve()))
      this.#process.ref()
      this.#process.kill('SIGKILL')
      await gone
    }
  }
}

export interface Single extends Start {
  readonly confinement: 'seatbelt' | 'none'
  readonly id: string
  readonly folder: string
  readonly limits: Limits
}

/** A supervisor of its own for one sandbox, where there are no namespaces to fork into. */
export async function startSingle({
  host,
  listener,
  bash,
  log,
  confinement,
  id,
  folder,
  limits,
}: Single): Promise<Link> {
  const places = { work: join(folder, 'work'), tmp: join(folder, 'tmp') }
  const config = {
    mode: 'single',
    forks: false,
    sized: false,
    linux: process.platform === 'linux',
    jailed: false,
    socket: join(listener.folder, 'link'),
    become: host.root ? unprivilegedId : null,
    preload: [],
    seccomp: host.seccomp,
    sandbox: { id, limits, warm: [] },
    ...places,
    run: join(folder, 'run'),
    env: kernelEnvironment(host.python.executable, places, false),
    // Without a jail a link in the working folder would lead Deno anywhere: it gets no file at all.
    programs: programs(bash, host.deno, join(host.kernels, 'deno_kernel.mjs'), []),
  }
  const command = [host.python.executable, '-I', join(host.kernels, 'start.py')]
  const [program = '', ...args] =
    confinement === 'seatbelt' ? ['/usr/bin/sandbox-exec', '-p', seatbeltProfile(host, folder), ...command] : command
  const child = spawn(program, args, { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'pipe'] })
  return (await report(child, id, config, listener, log)).link
}

/** Tells the child its configuration and waits until it reports; a child that ends instead says why on its stderr. */
async function report(child: ChildProcess, id: string, config: object, listener: LinkListener, log: Start['log']) {
  const gaveUp = new AbortController()
  const timer = setTimeout(() => gaveUp.abort(new Error('it did not start in time')), startLimitMs)
  let said = ''
  child.stderr?.on('data', data => {
    said = (said + String(data)).slice(-4_000)
    log(String(data).trimEnd())
  })
  child.once('error', error => gaveUp.abort(error))
  child.once('close', code => gaveUp.abort(new Error(said.trim().split('\n').at(-1) || `it ended with code ${code}`)))
  child.stdin?.on('error', () => undefined)
  const { token, arrived } = listener.expect(id, gaveUp.signal)
  child.stdin?.end(`${JSON.stringify({ ...config, token })}\n`)
  try {
    const reported = await arrived
    child.unref()
    for (const stream of [child.stderr, child.stdin])
      if (stream && 'unref' in stream) (stream as { unref(): void }).unref()
    return reported
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}
