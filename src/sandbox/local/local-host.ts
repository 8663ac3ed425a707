import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Isolation } from '../../contract/run.ts'
import type { Probe } from '../../contract/sandbox.ts'
import { resource } from '../../places.ts'
import { checkProgram } from '../../trusted-program.ts'
import { type ControlGroups, findDelegated, makeGroups, removeGroups } from './cgroup.ts'
import { type Host, unprivilegedId } from './jail.ts'
import { LinkListener } from './link-listener.ts'
import { claimFolder } from './orphans.ts'
import { findPython } from './python.ts'
import { type ConfinementKind, Zygote } from './zygote.ts'

/** What this machine offers, found out once: interpreter, shell, Deno, and the confinement that can really be built. */
export interface LocalHost {
  readonly host: Host
  /** Where working folders stand, one beside the other; null where a sandbox keeps its files in memory of its own. */
  readonly boxes: string | null
  readonly listener: LinkListener
  readonly bash: string
  readonly confinement: ConfinementKind
  readonly zygote: Zygote | null
  readonly groups: ControlGroups | null
  /** Who owns the boxes when the application is the super-user. */
  readonly owner: number | null
  readonly probes: Probe[]
  readonly log: (message: string) => void
}

export const isolationOf = (confinement: ConfinementKind): Isolation => (confinement === 'none' ? 'unconfined' : 'jail')

export interface LocalHostOptions {
  readonly home: string
  readonly python?: string
  readonly bubblewrap?: string
  readonly preload?: boolean
  readonly log?: (message: string) => void
}

/** Only what is missing when there is no usable Python: the supervisor itself is written in it. */
export async function prepareLocalHost(options: LocalHostOptions): Promise<LocalHost | { missing: Probe[] }> {
  const { home, bubblewrap = 'bwrap', preload = true, log = () => undefined } = options
  const named = options.python ? await checkProgram(options.python, home) : null
  const untrusted = named && !named.ok ? named.problem : null
  const [python, deno, bash] = await Promise.all([
    untrusted ? null : findPython(options.python),
    findDeno(),
    findBash(),
  ])
  const probes: Probe[] = [
    python
      ? found(
          'Python',
          `${python.executable} (${python.version.join('.')}; ${python.libraries.join(', ') || 'no libraries'})`,
        )
      : untrusted
        ? absent('Python', untrusted.message, untrusted.hint)
        : absent('Python', 'no Python 3.9 or newer was found', 'Install python3, or name one in the settings.'),
    deno ? found('Deno', deno) : absent('Deno', 'the deno package has no program here', 'Run npm install again.'),
    bash ? found('Bash', bash) : absent('Bash', 'no bash was found', 'Install bash.'),
  ]
  if (!python)
    return {
      missing: [
        untrusted
          ? absent('local', untrusted.message, untrusted.hint)
          : absent('local', 'The local sandbox needs Python 3.9 or newer.', 'Install python3.'),
        ...probes,
      ],
    }

  const root = process.getuid?.() === 0
  const owner = root ? unprivilegedId : null
  const listener = await LinkListener.open(owner)
  const host: Host = {
    python,
    deno,
    kernels: resource('kernels'),
    seccomp: resource('seccomp', 'kernel.json'),
    socketFolder: listener.folder,
    root,
  }
  const shell = bash ?? '/bin/bash'
  const groups = process.platform === 'linux' ? delegated(owner, log) : null
  let reason = 'this system has no jail that Countersign knows'
  if (process.platform === 'linux') {
    try {
      const zygote = await Zygote.start({ host, listener, bash: shell, bubblewrap, preload, groups, log })
      const jail = found('Jail', 'bubblewrap; own user, process, mount, IPC, host-name and network namespaces; seccomp')
      return localHost('namespaces', zygote, null, [jail, limitsProbe(zygote.grouped ? groups : null), ...probes])
    } catch (error) {
      if (groups) await removeGroups(groups)
      reason = `bubblewrap could not build it: ${error instanceof Error ? error.message : String(error)}`
    }
  } else if (process.platform === 'darwin' && (await seatbeltWorks())) {
    return localHost('seatbelt', null, await claimFolder(join(home, 'sandboxes')), [
      found('Jail', 'Seatbelt profile'),
      ...probes,
    ])
  }
  const hint = 'On Linux install bubblewrap and allow unprivileged user namespaces.'
  // As the super-user the kernels are somebody else, who may not be able to enter the home folder.
  const open = root ? join(tmpdir(), 'countersign-sandboxes') : join(home, 'sandboxes')
  return localHost('none', null, await claimFolder(open), [absent('Jail', reason, hint), ...probes])

  function localHost(
    confinement: ConfinementKind,
    zygote: Zygote | null,
    boxes: string | null,
    parts: Probe[],
  ): LocalHost {
    const detail = confinement === 'none' ? `unconfined: ${reason}` : 'kernels run in a jail without network'
    const whole: Probe = { name: 'local', available: true, detail, ...(confinement === 'none' ? { hint } : {}) }
    return { host, boxes, listener, bash: shell, confinement, zygote, groups, owner, log, probes: [whole, ...parts] }
  }
}

/** Control groups, where the system lets this user have some. */
function delegated(owner: number | null, log: LocalHost['log']): ControlGroups | null {
  const parent = findDelegated()
  if (parent === null) return null
  try {
    return makeGroups(parent, owner)
  } catch (error) {
    log(`no control groups: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

export const limitsProbe = (groups: ControlGroups | null): Probe =>
  groups
    ? found('Limits', `control groups (${groups.controllers.join(', ')}) for each sandbox, and limits on each process`)
    : found('Limits', 'limits on each process; the supervisor adds up memory and processor time every 20 ms')

const found = (name: string, detail: string): Probe => ({ name, available: true, detail })
const absent = (name: string, detail: string, hint: string): Probe => ({ name, available: false, detail, hint })

/**
 * Deno as npm brought it: the program itself, from the package of this platform. The package `deno` only links to it by
 * an install script, which need not have run.
 */
async function findDeno(): Promise<string | null> {
  const system = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`
  const name = process.platform === 'win32' ? 'deno.exe' : 'deno'
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@deno/${system}/package.json`))
    return await firstOf([join(folder, name).replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked')])
  } catch {
    return null
  }
}

const findBash = () => firstOf(['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'])

async function firstOf(files: string[]): Promise<string | null> {
  for (const file of files)
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file
  return null
}

async function seatbeltWorks(): Promise<boolean> {
  const trial = ['-p', '(version 1)(deny default)(allow process-exec)(allow file-read*)', '/usr/bin/true']
  return promisify(execFile)('/usr/bin/sandbox-exec', trial, { timeout: 5_000 }).then(
    () => true,
    () => false,
  )
}
