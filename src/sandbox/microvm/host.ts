import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Acceleration } from './command.ts'
import type { Host } from './machine.ts'

const run = promisify(execFile)

/** What is here of what machines need, before anything has been booted. */
export interface LocalHost {
  readonly host: Omit<Host, 'listeners'>
  /** `QEMU emulator version 7.2.22`, as it says it. */
  readonly version: string
  /** What could compute for a machine, quickest first. Whether it does is known only once it has. */
  readonly accelerations: readonly Acceleration[]
}

export interface Missing {
  readonly detail: string
  readonly hint: string
}

export async function findGround(env: NodeJS.ProcessEnv): Promise<LocalHost | Missing> {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
  const name = architecture === 'arm64' ? 'qemu-system-aarch64' : 'qemu-system-x86_64'
  if (process.platform !== 'linux' && process.platform !== 'darwin')
    return { detail: 'virtual machines are known on Linux and macOS only', hint: 'Use another sandbox.' }
  const program = await find(name, env)
  if (!program)
    return {
      detail: `${name} is not installed`,
      hint:
        process.platform === 'darwin' ? 'brew install qemu' : `apt-get install ${packageOf[architecture]} e2fsprogs`,
    }
  const bubblewrap = process.platform === 'linux' ? await find('bwrap', env) : null
  if (process.platform === 'linux' && !bubblewrap)
    return { detail: 'QEMU is run in a jail, and bubblewrap is not installed', hint: 'apt-get install bubblewrap' }
  const ask = async (...args: string[]) => (await run(program, args, { timeout: 20_000 })).stdout
  try {
    const [version, options, offered] = await Promise.all([
      ask('--version'),
      ask('-object', 'memory-backend-file,help'),
      ask('-accel', 'help'),
    ])
    const kvm = offered.includes('kvm') ? await stat('/dev/kvm').catch(() => null) : null
    return {
      host: {
        program,
        architecture,
        bubblewrap,
        root: process.getuid?.() === 0,
        kvmGroup: kvm?.gid ?? null,
        readsMemory: /^\s+rom=/m.test(options),
      },
      version: version.split('\n')[0]?.replace(/ \(.*/, '') ?? '',
      accelerations: [
        ...(kvm ? (['kvm'] as const) : []),
        ...(process.platform === 'darwin' && /^hvf$/m.test(offered) ? (['hvf'] as const) : []),
        'tcg',
      ],
    }
  } catch (error) {
    const said = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return { detail: `${name} does not answer: ${said}`, hint: 'Install it again.' }
  }
}

const packageOf = { x64: 'qemu-system-x86', arm64: 'qemu-system-arm' } as const

async function find(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  for (const folder of (env.PATH ?? '/usr/bin:/bin').split(delimiter).filter(each => each.startsWith('/'))) {
    const file = join(folder, name)
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isProgram) return file
  }
  return null
}
