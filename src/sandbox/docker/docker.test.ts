import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../clock.ts'
import { SandboxId } from '../../contract/ids.ts'
import { BuildImage } from '../../contract/images.ts'
import { Limits } from '../../contract/run.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { inside } from '../image/recipe.ts'
import { closure } from '../image/rootfs.ts'
import type { Sandbox } from '../sandbox.ts'
import { runIn, testIds } from '../testing.ts'
import { containerOptions, labels } from './container.ts'
import { dockerImages, dockerProvider } from './docker.ts'
import { explain, findEndpoint } from './endpoint.ts'
import { inspection } from './inspection.ts'

const never = new AbortController().signal
const providerAt = (env: NodeJS.ProcessEnv) =>
  dockerProvider({ home: temporaryFolder(), env, clock: systemClock, ids: testIds })

describe('a container engine that cannot be used', () => {
  it('is named with the cure when it is not there', async () => {
    const provider = providerAt({ DOCKER_HOST: `unix://${temporaryFolder()}/none.sock` })
    expect(await provider.available()).toBeNull()
    const { probes } = await provider.probe()
    expect(probes[0]).toMatchObject({ available: false, hint: expect.stringContaining('Install Docker') })
    expect(await provider.open({ limits: Limits.parse({}) }, never)).toMatchObject({
      ok: false,
      problem: { code: 'sandbox.unavailable' },
    })
  })

  it('is not waited for when it answers nonsense', async () => {
    const socket = join(temporaryFolder(), 'engine.sock')
    const server = createServer(connection => connection.end('nonsense\n'))
    await new Promise<void>(resolve => server.listen(socket, resolve))
    onTestFinished(() => void server.close())
    expect(await providerAt({ DOCKER_HOST: `unix://${socket}` }).available()).toBeNull()
  })

  it.each([
    [{ code: 'EACCES' }, 'group docker'],
    [{ code: 'ECONNREFUSED' }, 'systemctl start docker'],
    [{ code: 'ENOTFOUND' }, 'DOCKER_HOST'],
    [{ statusCode: 404, message: 'no such image' }, 'countersign sandbox build'],
    [{ statusCode: 500, message: 'write /x: no space left on device' }, 'docker system prune'],
    [{ statusCode: 400, message: 'Unknown runtime' }, 'log of the engine'],
  ])('is explained by %o', (error, hint) => {
    expect(explain(error, 'somewhere').hint).toContain(hint)
  })
})

describe('the engine is found', () => {
  it('as the command docker finds it: by context, with the host that it names', () => {
    const config = temporaryFolder()
    writeFileSync(join(config, 'config.json'), '{"currentContext":"big"}')
    // The SHA-256 of its name.
    const meta = join(config, 'contexts/meta/1ba7de63fdb8bb8ca3f3083bf9bb66eab9e83b6f29f9c6ed1d4bd5a4b1d8b4a0')
    mkdirSync(meta, { recursive: true })
    expect(findEndpoint({ DOCKER_CONFIG: config, HOME: config }).name).toMatch(/^unix:/)
    expect(findEndpoint({ DOCKER_HOST: 'tcp://10.0.0.5:2375' }).docker.modem).toMatchObject({
      host: '10.0.0.5',
      port: 2375,
    })
  })
})

describe('a container', () => {
  const options = containerOptions(testIds.make(SandboxId), 'me', 'sha256:1', Limits.parse({}))

  it('gives away nothing', () => {
    expect(options).toMatchObject({
      User: '1000:1000',
      Env: [],
      HostConfig: {
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        ReadonlyRootfs: true,
        AutoRemove: true,
        CpuPeriod: 100_000,
        CpuQuota: 200_000,
        LogConfig: { Type: 'none' },
      },
    })
    expect(options.HostConfig?.SecurityOpt?.[0]).toBe('no-new-privileges')
    expect(options.HostConfig?.SecurityOpt?.[1]).toContain('io_uring_setup')
    expect(options.HostConfig?.MemorySwap).toBe(options.HostConfig?.Memory)
    expect(options.HostConfig?.Binds).toBeUndefined()
  })

  const host = { NetworkMode: 'none', Privileged: false, ReadonlyRootfs: true, CapAdd: null, Devices: [], PidMode: '' }
  const said = { Image: 'sha256:1', Mounts: [{ Type: 'tmpfs', Source: '', Destination: '/work', RW: true }] }

  it('is what its engine says of it', () => {
    const asked = { image: 'sha256:1', mounts: [], differences: [] }
    expect(inspection({ ...said, HostConfig: host }, options)).toEqual(asked)
    // Podman's way of saying the same.
    expect(inspection({ Image: '1', HostConfig: { ...host, CapAdd: [] } }, options)).toEqual(asked)
    const rights = ['CAP_SYS_ADMIN', 'CAP_SETUID', 'CAP_SETGID']
    const behind = containerOptions(testIds.make(SandboxId), 'me', 'sha256:1', Limits.parse({}), undefined, 'runsc')
    const is = { ...host, CapAdd: rights, Runtime: 'runsc' }
    expect(inspection({ ...said, HostConfig: is }, behind).differences).toEqual([])
    expect(inspection({ ...said, HostConfig: { ...is, Runtime: 'runc' } }, behind).differences).toEqual(['runtime'])
  })

  it.each([
    [{ NetworkMode: 'bridge' }, 'network'],
    [{ Privileged: true }, 'confinement'],
    [{ ReadonlyRootfs: false }, 'confinement'],
    [{ CapAdd: ['NET_RAW'] }, 'confinement'],
    [{ Devices: [{ PathOnHost: '/dev/kvm' }] }, 'confinement'],
    [{ PidMode: 'host' }, 'confinement'],
  ])('is refused with %o', (other, difference) => {
    expect(inspection({ ...said, HostConfig: { ...host, ...other } }, options).differences).toEqual([difference])
  })

  it.each([null, '', {}, { Image: 'sha256:1' }, { ...said, HostConfig: { NetworkMode: 'none' } }])(
    'is refused in a sentence where its engine says %o',
    other => expect(() => inspection(other, options)).toThrow('the engine does not say what container it has made'),
  )

  it('tells of folders of the host, and of another image, which the placement is compared with', () => {
    const Mounts = [{ Type: 'bind', Source: '/etc', Destination: '/mnt', RW: false }]
    expect(inspection({ Image: 'sha256:2', Mounts, HostConfig: host }, options)).toMatchObject({
      image: 'sha256:2',
      mounts: [{ source: '/etc', target: '/mnt', writable: false }],
    })
  })
})

describe('the packages of an image', () => {
  const table = ['a\tb | c, d (>= 1)\t', 'c\t\tx', 'd\tx:any\t', 'e\t\t'].join('\n')

  it('are all that is needed, by what is installed', () => {
    expect(closure(table, ['a'])).toEqual({ packages: ['a', 'c', 'd'], missing: [] })
  })

  it('are refused by name where they are not installed, or are no names', async () => {
    expect(closure(table, ['a', 'zz']).missing).toEqual(['zz'])
    const request = { kind: 'docker', template: 'default', packages: ['--hook'], source: null, fresh: false } as const
    expect(await dockerImages({}).build({ ...request, packages: ['--hook'] }, () => undefined, never)).toMatchObject({
      ok: false,
      problem: { code: 'request.invalid' },
    })
    expect(BuildImage.safeParse({ template: '../x' }).success).toBe(false)
    expect(BuildImage.safeParse({ packages: ['--hook'] }).success).toBe(false)
  })
})

const engine = process.env.COUNTERSIGN_TEST_ENGINE

describe.runIf(engine !== undefined)('hostile programs in docker', () => {
  const open = async (limits: Partial<Limits> = {}): Promise<Sandbox> => {
    const provider = providerAt({ DOCKER_HOST: engine })
    onTestFinished(() => provider.close())
    const opened = await provider.open({ limits: Limits.parse(limits) }, never)
    if (!opened.ok) throw new Error(opened.problem.message)
    return opened.value
  }

  it('do not reach the host, the engine, the network or the supervisor', async () => {
    const sandbox = await open()
    const tries: [string, RegExp][] = [
      ['import os; print(os.path.exists("/var/run/docker.sock"), os.path.exists("/host"))', /^False False/],
      ['open("/etc/x", "w")', /^$/],
      ['import os; print(os.readlink("/proc/1/fd/0"))', /^$/],
      ['import os; os.kill(1, 9); print("alive")', /^(alive)?/],
      ['import ctypes; print(ctypes.CDLL(None).unshare(0x10000000))', /^-1/],
      ['import socket; socket.create_connection(("169.254.169.254", 80), 2)', /^$/],
      ['import os; os.setuid(0)', /^$/],
    ]
    for (const [code, shown] of tries) expect((await runIn(sandbox, 'python', code)).stdout).toMatch(shown)
    expect((await runIn(sandbox, 'python', 'print(40 + 2)')).stdout).toBe('42\n')
  })

  it('end at their limits, and the next run works', async () => {
    const sandbox = await open({ memoryBytes: 256 * 1024 * 1024, diskBytes: 64 * 1024 * 1024 })
    const bomb = await runIn(sandbox, 'python', 'x = bytearray(900_000_000)')
    expect(bomb.success).toBe(false)
    const full = await runIn(sandbox, 'bash', 'head -c 200000000 /dev/zero > big; ls -s big | cut -d" " -f1')
    expect(Number(full.stdout)).toBeLessThan(70_000)
    expect(
      (await runIn(sandbox, 'bash', ':(){ :|:& };: ; echo x', { limits: Limits.parse({ timeoutMs: 3000 }) })).stdout,
    ).toBeDefined()
    const next = await runIn(await open(), 'python', 'print(1)')
    expect(next.stdout).toBe('1\n')
  })

  it('find the supervisor compiled: nothing can be compiled on a read-only disk, and each start would do it again', async () => {
    const code = `import glob
print(len(glob.glob("${inside.kernels}/**/*.py", recursive=True)) == len(glob.glob("${inside.kernels}/**/*.pyc", recursive=True)))`
    expect((await runIn(await open(), 'python', code)).stdout).toBe('True\n')
  })

  it('that the engine ends for want of memory are told so by its events', async () => {
    const sandbox = await open()
    const { docker } = findEndpoint({ DOCKER_HOST: engine })
    const filters = { label: [`${labels.sandbox}=${sandbox.id}`] }
    const [{ Id = '' } = {}] = await docker.listContainers({ filters })
    // Less than the supervisor knows of, which therefore sees nothing wrong.
    const Memory = 128 * 1024 * 1024
    await docker.getContainer(Id).update({ Memory, MemorySwap: Memory })
    const outcome = await runIn(sandbox, 'python', 'kept = bytearray(b"x") * 300_000_000')
    expect(outcome).toMatchObject({ success: false, error: { kind: 'memory' } })
    expect((await runIn(sandbox, 'python', 'print(1)')).stdout).toBe('1\n')
  })

  it.each([
    [{ NetworkMode: 'host' }, 'network'],
    [{ CapAdd: ['NET_RAW'] }, 'confinement'],
  ])('are not let into a container that somebody on the way to the engine changed by %o', async (change, named) => {
    const provider = providerAt({ DOCKER_HOST: await changedOnTheWay(change) })
    onTestFinished(() => provider.close())
    expect(await provider.open({ limits: Limits.parse({}) }, never)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining(named) },
    })
    await expect.poll(() => provider.endOrphans()).toBe(0)
  })

  it('see by the word of their sandbox which folders of the host it has', async () => {
    const provider = providerAt({ DOCKER_HOST: await changedOnTheWay({ Binds: ['/etc:/mnt:ro'] }) })
    onTestFinished(() => provider.close())
    const opened = await provider.open({ limits: Limits.parse({}) }, never)
    expect(opened.ok && opened.value.describe().mounts).toEqual([{ source: '/etc', target: '/mnt', writable: false }])
  })

  it('leave no container behind', async () => {
    const provider = providerAt({ DOCKER_HOST: engine })
    const opened = await provider.open({ limits: Limits.parse({}) }, never)
    expect(opened).toMatchObject({ ok: true, value: { isolation: 'container' } })
    expect(opened.ok && opened.value.describe().image).toBe(await provider.image?.())
    await provider.close()
    await expect.poll(() => provider.endOrphans()).toBe(0)
  })
})

/** An address at which the engine answers, but for what containers are made with. */
async function changedOnTheWay(change: Record<string, unknown>): Promise<string> {
  const address = (engine ?? '').replace('unix://', '')
  const socket = join(temporaryFolder(), 'between.sock')
  const server = createServer(client => {
    const behind = connect(address)
    behind.pipe(client)
    for (const each of [client, behind]) each.on('error', () => undefined).on('close', () => [client, behind].map(end))
    let held = Buffer.alloc(0)
    client.on('data', data => {
      held = Buffer.concat([held, data])
      const [head = '', body = ''] = held.toString('utf8').split('\r\n\r\n')
      if (!head.startsWith('POST /containers/create')) behind.write(held)
      else {
        if (Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(head)?.[1])) return
        const asked = JSON.parse(body)
        const changed = JSON.stringify({ ...asked, HostConfig: { ...asked.HostConfig, ...change } })
        const length = `Content-Length: ${Buffer.byteLength(changed)}`
        behind.write(`${head.replace(/content-length: \d+/i, length)}\r\n\r\n${changed}`)
      }
      held = Buffer.alloc(0)
    })
  })
  await new Promise<void>(resolve => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  return `unix://${socket}`
}

const end = (each: Socket) => each.destroy()
