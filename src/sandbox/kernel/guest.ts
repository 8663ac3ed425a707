import { posix } from 'node:path'
import { Duplex, type Readable, type Writable } from 'node:stream'
import type { SandboxId } from '../../contract/ids.ts'
import type { Language, Limits } from '../../contract/run.ts'
import { Link, ready, told } from './link.ts'

/** Where things are inside a container or a virtual machine that carries the guest. */
export interface Guest {
  readonly id: SandboxId
  readonly limits: Limits
  /** Kernels to start at once. */
  readonly warm?: readonly Language[]
  /** The interpreter, which also runs the supervisor: `PYTHON -I KERNELS/start.py`. */
  readonly python: string
  readonly bash: string
  readonly deno: string | null
  /** The folder with `start.py`, and the file with the rules for system calls. */
  readonly kernels: string
  readonly seccomp: string
  /** Folders that the guest's user may write to. `run` is for the supervisor's own small files. */
  readonly work: string
  readonly tmp: string
  readonly run: string
  /** True where `work` and `tmp` lie on one file system of the size that the limits allow; else files are counted. */
  readonly sized?: boolean
  /** Libraries to load before the first kernel starts. */
  readonly preload?: readonly string[]
  /** True where the carrier bounds processes itself and its system refuses some of our limits (gVisor). */
  readonly lenient?: boolean
  /** How many times slower than usual code runs there: kernels get that much longer to stop before they are killed. */
  readonly patience?: number
}

/**
 * Starts the supervisor at the other end of two pipes, as the first process of a carrier without a network. The carrier
 * confines the supervisor; kernels lose their rights and take the system-call filter on top of that.
 */
export async function startGuest(guest: Guest, from: Readable, to: Writable): Promise<Link> {
  const stream = Duplex.from({ readable: from, writable: to })
  // Some engines write a line of their own first and end it only with ours; the guest skips what is no configuration.
  stream.write(`\n${JSON.stringify(configuration(guest))}\n`)
  const link = new Link(stream)
  await ready(link)
  return link
}

/** Has the guest load its libraries and wait, so that the machine around it can be copied. No sandbox yet. */
export async function loadGuest(guest: Omit<Guest, 'id' | 'limits' | 'warm'>, stream: Duplex): Promise<void> {
  stream.write(`\n${JSON.stringify({ ...surroundings(guest), copied: true })}\n`)
  await told(new Link(stream), 'loaded')
}

/** What is different in each copy of a machine. */
export interface Renewal {
  /** 32 bytes in hexadecimal: copies must not draw the same random numbers. */
  readonly seed: string
  /** Seconds since 1970. */
  readonly now: number
}

/** Makes a sandbox of a copy of a guest that has loaded and waits. */
export async function adoptGuest(
  { id, limits, warm = [] }: Pick<Guest, 'id' | 'limits' | 'warm'>,
  renewal: Renewal,
  stream: Duplex,
): Promise<Link> {
  stream.write(`${JSON.stringify({ renewal, sandbox: { id, limits, warm } })}\n`)
  const link = new Link(stream)
  await ready(link)
  return link
}

function configuration({ id, limits, warm = [], ...guest }: Guest) {
  return { ...surroundings(guest), sandbox: { id, limits, warm } }
}

function surroundings({ preload = [], ...guest }: Omit<Guest, 'id' | 'limits' | 'warm'>) {
  const { work, tmp } = guest
  return {
    mode: 'single',
    forks: false,
    sized: guest.sized ?? false,
    linux: true,
    jailed: true,
    lenient: guest.lenient ?? false,
    patience: guest.patience ?? 1,
    become: null,
    preload,
    seccomp: guest.seccomp,
    work,
    tmp,
    run: guest.run,
    env: kernelEnvironment(guest.python, { tmp }),
    programs: programs(guest.bash, guest.deno, posix.join(guest.kernels, 'deno_kernel.mjs'), [work, tmp]),
  }
}

const denoFlags = [
  'run',
  '--no-prompt',
  '--no-config',
  '--no-lock',
  '--no-remote',
  '--no-npm',
  '--no-code-cache',
  '--allow-sys',
]

/** The commands of kernels that are programs of their own. Deno may use files only in `folders`. */
export function programs(bash: string, deno: string | null, kernel: string, folders: string[]) {
  const files = folders.length > 0 ? [`--allow-read=${folders.join(',')}`, `--allow-write=${folders.join(',')}`] : []
  return {
    bash: [bash, '--noprofile', '--norc', '--noediting', '-i'],
    javascript: deno ? [deno, ...denoFlags, ...files, kernel] : ['/bin/false'],
  }
}

/** Where `network.py` listens. Programs know these names in two spellings; what runs in the sandbox itself needs no proxy. */
const proxied = Object.fromEntries(
  Object.entries({
    http_proxy: 'http://127.0.0.1:3128',
    https_proxy: 'http://127.0.0.1:3128',
    no_proxy: 'localhost,127.0.0.1,::1',
  }).flatMap(([name, value]) => [
    [name, value],
    [name.toUpperCase(), value],
  ]),
)

/** What a kernel finds in its environment; nothing of the application's own gets in. */
export function kernelEnvironment(python: string, folders: { tmp: string }, isJailed = true): Record<string, string> {
  const own = posix.dirname(python)
  const path = ['/usr/local/bin', '/usr/bin', '/bin']
  return {
    PATH: (path.includes(own) ? path : [own, ...path]).join(':'),
    HOME: folders.tmp,
    TMPDIR: folders.tmp,
    // Without it some programs look for a name in a list of users that is not there.
    USER: 'sandbox',
    LOGNAME: 'sandbox',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    PYTHONDONTWRITEBYTECODE: '1',
    MPLBACKEND: 'module://countersign_figures',
    OPENBLAS_NUM_THREADS: '1',
    DENO_DIR: posix.join(folders.tmp, '.deno'),
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    ...(isJailed ? proxied : {}),
  }
}
