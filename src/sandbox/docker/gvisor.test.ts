import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../clock.ts'
import { SandboxId } from '../../contract/ids.ts'
import { Limits } from '../../contract/run.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import type { SandboxProvider } from '../sandbox.ts'
import { runIn, testIds } from '../testing.ts'
import { containerOptions, labels } from './container.ts'
import { dockerProvider } from './docker.ts'
import { findEndpoint } from './endpoint.ts'
import { imageName } from './images.ts'

const never = new AbortController().signal

const providerAt = (host: string, runtime?: 'runsc'): SandboxProvider => {
  const made = { home: temporaryFolder(), env: { DOCKER_HOST: host }, clock: systemClock, ids: testIds }
  const provider = dockerProvider({ ...made, ...(runtime ? { runtime } : {}) })
  onTestFinished(() => provider.close())
  return provider
}

/** As much of an engine as says what it has. */
async function engineWith(runtimes: unknown): Promise<string> {
  const image = { Id: 'sha256:1', RepoTags: [imageName('default')], Size: 1, Created: 1, Labels: {} }
  const answers: Record<string, unknown> = {
    '/info': { Runtimes: runtimes },
    '/images/json': [image],
    '/version': { Version: '1', Components: [{ Name: 'Engine' }] },
  }
  const socket = join(temporaryFolder(), 'engine.sock')
  const server = createServer(({ url = '' }, response) => {
    const path = (url.split('?')[0] ?? '').replace(/^\/v[\d.]+/, '')
    response.setHeader('content-type', 'application/json')
    response.end(path === '/_ping' ? 'OK' : JSON.stringify(answers[path] ?? {}))
  })
  await new Promise<void>(resolve => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  return `unix://${socket}`
}

describe('a user-space kernel', () => {
  it('can be had where the engine lists it', async () => {
    const host = await engineWith({ runc: { path: 'runc' }, runsc: { path: '/usr/bin/runsc' } })
    const gvisor = providerAt(host, 'runsc')
    expect(await gvisor.available()).toBe('user-space kernel')
    const { probes } = await gvisor.probe()
    expect(probes).toMatchObject([{ name: 'gvisor', available: true, detail: expect.stringMatching(/^user-space/) }])
    expect(await providerAt(host).available()).toBe('container')
  })

  it.each([[{ runc: { path: 'runc' } }], [null], [{ __proto__: null }]])(
    'is missing, with the cure, where the engine lists %o',
    async runtimes => {
      const gvisor = providerAt(await engineWith(runtimes), 'runsc')
      expect(await gvisor.available()).toBeNull()
      const { probes } = await gvisor.probe()
      expect(probes).toMatchObject([
        { name: 'gvisor', available: false, hint: expect.stringContaining('runsc install') },
      ])
      expect(await gvisor.open({ limits: Limits.parse({}) }, never)).toMatchObject({ ok: false })
    },
  )

  it('has the same images as containers, which only those list', () => {
    expect(providerAt('unix:///nowhere', 'runsc').images).toBeUndefined()
    expect(providerAt('unix:///nowhere').images).toBeDefined()
  })

  it('leaves the supervisor no pipe that user code could open, and keeps the other confinement', () => {
    const id = testIds.make(SandboxId)
    const [plain, gvisor] = [undefined, 'runsc' as const].map(runtime =>
      containerOptions(id, 'me', 'sha256:1', Limits.parse({}), { kind: 'docker' }, runtime),
    )
    expect(plain?.HostConfig?.Runtime).toBeUndefined()
    expect(plain?.HostConfig?.CapAdd).toBeUndefined()
    expect(gvisor?.Entrypoint).toContainEqual(expect.stringContaining('relay.py'))
    expect(gvisor?.HostConfig).toMatchObject({
      Runtime: 'runsc',
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      ReadonlyRootfs: true,
    })
    expect(gvisor?.HostConfig?.Memory).toBeGreaterThan(plain?.HostConfig?.Memory ?? 0)
  })
})

const host = process.env.COUNTERSIGN_TEST_GVISOR

describe.runIf(host !== undefined)('the real gvisor', () => {
  const open = async () => {
    const provider = providerAt(host ?? '', 'runsc')
    const opened = await provider.open({ limits: Limits.parse({}) }, never)
    if (!opened.ok) throw new Error(opened.problem.message)
    return { provider, sandbox: opened.value }
  }

  it('runs code on a kernel that is not the machine’s', async () => {
    const { sandbox } = await open()
    expect(sandbox.describe()).toMatchObject({ kind: 'gvisor', isolation: 'user-space kernel' })
    const { docker } = findEndpoint({ DOCKER_HOST: host })
    const [{ Id = '' } = {}] = await docker.listContainers({ filters: { label: [`${labels.sandbox}=${sandbox.id}`] } })
    expect((await docker.getContainer(Id).inspect()).HostConfig.Runtime).toBe('runsc')
    const said = await runIn(
      sandbox,
      'bash',
      'dmesg 2>/dev/null | head -1; uname -v; id -u; grep CapEff /proc/self/status',
    )
    expect(said.stdout).toMatch(/\n1000\nCapEff:\s*0+\n$/)
    expect(said.stdout).not.toContain((await docker.info()).KernelVersion)
  })

  it('gives user code no way to speak to the host in the supervisor’s name', async () => {
    const { sandbox } = await open()
    const code = `import glob, os
for at in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        if at.split("/")[2] in (str(os.getpid()), "self") or not os.readlink(at).startswith(("host:", "socket:")): continue
        os.open(at, os.O_RDWR | os.O_NONBLOCK); print("BREACH", at, os.readlink(at))
    except OSError: pass
print(len(glob.glob("/proc/[0-9]*")))`
    expect((await runIn(sandbox, 'python', code)).stdout).toBe('2\n')
  })

  it('ends a run whose memory counts for no process at the limit of the container', async () => {
    const { sandbox } = await open()
    const code = `import mmap, os
shared = mmap.mmap(os.open("/dev/zero", os.O_RDWR), 6 << 30)
for at in range(0, 6 << 30, 1 << 22):
    shared[at:at + (1 << 22)] = b"x" * (1 << 22)
    shared.madvise(mmap.MADV_DONTNEED, at, 1 << 22)
print("BREACH")`
    expect(await runIn(sandbox, 'python', code)).toMatchObject({
      success: false,
      stdout: '',
      error: { kind: 'memory' },
    })
  })

  it('leaves no container behind', async () => {
    const { provider } = await open()
    await provider.close()
    await expect.poll(() => provider.endOrphans()).toBe(0)
  })
})
