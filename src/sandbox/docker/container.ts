import { readFileSync } from 'node:fs'
import type Docker from 'dockerode'
import { z } from 'zod'
import type { SandboxId } from '../../contract/ids.ts'
import type { Limits } from '../../contract/run.ts'
import { resource } from '../../places.ts'
import { inside, user } from '../image/recipe.ts'

export const labels = { sandbox: 'countersign.sandbox', owner: 'countersign.owner' } as const

const mebibyte = 1024 * 1024
/** For the supervisor and the kernels' own programs, beside what code may use. */
const overheadBytes = 192 * mebibyte
/** What a kernel in user space needs for itself; the engine counts it as the container's. */
const ownKernelBytes = 512 * mebibyte
/** Its own threads, and one of the machine for each of the sandbox: without them it ends with all that is in it. */
const ownKernelTasks = 512
const tmpBytes = 64 * mebibyte
const files = 100_000
/** Two processors, which is what a run may use of them by its own limit; in microseconds of each tenth of a second. */
const processors = { CpuPeriod: 100_000, CpuQuota: 200_000 }

/** How an engine wants to be spoken to. Podman reads the rules for system calls from a file on its own machine. */
export type Dialect = { readonly kind: 'docker' } | { readonly kind: 'podman'; readonly profile: string | null }

/** Where there is no such file, Podman's own rules hold for the supervisor; kernels take ours in any case. */
const seccomp = (dialect: Dialect): string[] =>
  dialect.kind === 'docker' ? [`seccomp=${seccompProfile()}`] : dialect.profile ? [`seccomp=${dialect.profile}`] : []

/** A container that gives away nothing: no network, no rights, no writing but into memory of a set size. */
export function containerOptions(
  id: SandboxId,
  owner: string,
  image: string,
  limits: Limits,
  dialect: Dialect = { kind: 'docker' },
  runtime?: 'runsc',
): Docker.ContainerCreateOptions {
  const isPodman = dialect.kind === 'podman'
  // Podman takes no owner for them; they get the mode that the folders have in the image.
  const whose = isPodman ? 'mode=1777' : `nr_inodes=${files},mode=0700,uid=${user.id},gid=${user.id}`
  const folder = (bytes: number, flags = 'exec') => `rw,${flags},nosuid,nodev,size=${bytes},${whose}`
  // What lies in the folders lies in memory and counts as such.
  const overhead = overheadBytes + (runtime ? ownKernelBytes : 0)
  const memory = limits.memoryBytes + limits.diskBytes + tmpBytes + overhead
  return {
    Image: image,
    Entrypoint: [inside.python, '-I', `${inside.kernels}/${runtime ? 'relay.py' : 'start.py'}`],
    Cmd: [],
    // A kernel in user space has a super-user of its own, which only starts the supervisor and has no rights afterwards.
    User: runtime ? '0:0' : `${user.id}:${user.id}`,
    WorkingDir: runtime ? '/' : inside.work,
    Env: [],
    OpenStdin: true,
    // The container ends when our end of the stream is gone, also when the application was killed.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: false,
    Labels: { [labels.sandbox]: id, [labels.owner]: owner },
    HostConfig: {
      AutoRemove: true,
      ...(runtime ? { Runtime: runtime } : {}),
      NetworkMode: 'none',
      Dns: ['127.0.0.1'],
      CapDrop: ['ALL'],
      ...(runtime ? { CapAdd: ['SYS_ADMIN', 'SETUID', 'SETGID'] } : {}),
      SecurityOpt: ['no-new-privileges', ...seccomp(dialect)],
      ReadonlyRootfs: true,
      Tmpfs: {
        [inside.work]: folder(limits.diskBytes),
        [inside.tmp]: folder(tmpBytes),
        [inside.run]: folder(mebibyte, 'noexec'),
      },
      ShmSize: 16 * mebibyte,
      Memory: memory,
      MemorySwap: memory,
      // Podman without rights often has no say over processors, and would refuse; a run's own limit holds there too.
      ...(isPodman ? {} : processors),
      PidsLimit: limits.processes + (runtime ? ownKernelTasks : 16),
      IpcMode: 'private',
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        // Podman's own numbers may be more than its machine allows.
        ...(isPodman ? ['nproc', 'nofile'].map(Name => ({ Name, Soft: 4096, Hard: 4096 })) : []),
      ],
      // Every frame would otherwise be written to a log file of the engine.
      LogConfig: { Type: 'none', Config: {} },
      // The supervisor answers for names on port 53 of the container's own loopback, without any right.
      Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '53' },
    },
  }
}

const Rules = z.object({ denied: z.array(z.object({ name: z.string(), errno: z.string() })) })
const errnos: Record<string, number> = { EPERM: 1, ENOSYS: 38, EACCES: 13, EOPNOTSUPP: 95 }

/** The same calls that kernels may not make, kept from everything in the container, the supervisor included. */
export function seccompProfile(): string {
  const { denied } = Rules.parse(JSON.parse(readFileSync(resource('seccomp', 'kernel.json'), 'utf8')))
  const syscalls = denied.map(({ name, errno }) => ({
    names: [name],
    action: 'SCMP_ACT_ERRNO',
    errnoRet: errnos[errno] ?? 1,
  }))
  return JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls })
}
