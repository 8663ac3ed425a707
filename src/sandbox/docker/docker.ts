import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Duplex, PassThrough } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type Docker from 'dockerode'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { SandboxId } from '../../contract/ids.ts'
import type { Template } from '../../contract/placement.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { type Language, Limits } from '../../contract/run.ts'
import type { Probe } from '../../contract/sandbox.ts'
import type { Ids } from '../../ids.ts'
import type { NetworkGate } from '../../network/network.ts'
import { inside } from '../image/recipe.ts'
import { startGuest } from '../kernel/guest.ts'
import { KernelSandbox } from '../kernel/kernel-sandbox.ts'
import type { Link } from '../kernel/link.ts'
import { OutputFolder, type OutputOptions } from '../kernel/outputs.ts'
import { Pool, Turnstile } from '../kernel/pool.ts'
import type { OpenOptions, Sandbox, SandboxProvider } from '../sandbox.ts'
import { containerOptions, type Dialect, labels, seccompProfile } from './container.ts'
import { type Endpoint, explain, findEndpoint } from './endpoint.ts'
import { dockerImages, templatesOf } from './images.ts'
import { type Inspection, inspection } from './inspection.ts'
import { OutOfMemory } from './out-of-memory.ts'

export { dockerImages } from './images.ts'

export interface DockerOptions extends OutputOptions {
  /** The folder of all data; long outputs stand below it. */
  readonly env: NodeJS.ProcessEnv
  /** gVisor's runtime, where sandboxes are to have a kernel of their own in user space; without it the engine's own. */
  readonly runtime?: 'runsc'
  readonly clock: Clock
  readonly ids: Ids
  /** The template that sandboxes are made from. */
  readonly template?: () => string
  readonly pool?: { readonly size: number; readonly limits?: Limits }
  /** Hears of every image that was made or removed here. */
  readonly onImages?: () => void
  readonly log?: (message: string) => void
  readonly network?: NetworkGate
}

/** An engine that answers, and the images in it. */
interface Here {
  readonly endpoint: Endpoint
  readonly templates: readonly Template[]
  readonly dialect: Dialect
}

const openLimitMs = 60_000
const openingAtOnce = 4
/** An engine that was not there is asked again after this while. */
const askAgainMs = 10_000

const about = { kind: 'docker', isolation: 'container' } as const
const aboutRunsc = { kind: 'gvisor', isolation: 'user-space kernel' } as const

/** Sandboxes in containers of Docker or Podman, on this machine or on another that DOCKER_HOST names. */
export function dockerProvider(options: DockerOptions): SandboxProvider {
  const { runtime } = options
  const { kind, isolation } = runtime ? aboutRunsc : about
  // Of the kind as well: each ends what it finds of its own.
  const owner = createHash('sha256')
    .update(runtime ? `${options.home}\0${runtime}` : options.home)
    .digest('hex')
    .slice(0, 16)
  const outputs = new OutputFolder(options)
  const turnstile = new Turnstile(openingAtOnce)
  const pooled = Limits.parse(options.pool?.limits ?? {})
  const open = new Set<KernelSandbox>()
  const memory = new OutOfMemory(options.clock, labels.sandbox, `${labels.owner}=${owner}`)
  let closed = false
  let known: Here | null = null
  let missing: { at: number; probe: Probe } | null = null

  /** What is here, remembered while it works, and for a moment while it does not. */
  async function look(): Promise<Here | Probe> {
    if (known) return known
    if (missing && options.clock.now() - missing.at < askAgainMs) return missing.probe
    const absent = ({ message, hint }: { message: string; hint: string }): Probe => {
      const probe = { name: kind, available: false, detail: message, hint }
      missing = { at: options.clock.now(), probe }
      return probe
    }
    let name = 'the container engine'
    try {
      const endpoint = findEndpoint(options.env)
      name = endpoint.name
      await endpoint.docker.ping()
      if (runtime && !(await hasRuntime(endpoint.docker, runtime))) return absent(withoutRuntime(name))
      const templates = await templatesOf(endpoint.docker)
      if (templates.length === 0) return absent(explain({ statusCode: 404 }, name))
      known = { endpoint, templates, dialect: await dialectOf(endpoint, options.home) }
      return known
    } catch (error) {
      return absent(explain(error, name))
    }
  }

  function forget(): void {
    known = null
    missing = null
  }

  function changed(): void {
    forget()
    options.onImages?.()
  }

  /** The image that is meant where nothing else was approved; another template stands in for one that is not there. */
  const imageOf = ({ templates }: Here): string => {
    const meant = options.template?.() ?? 'default'
    const found = templates.find(each => each.template === meant) ?? templates.find(each => each.template === 'default')
    return (found ?? (templates[0] as Template)).digest
  }

  async function make(
    limits: Limits,
    warm: readonly Language[],
    wanted: string | null,
    signal: AbortSignal,
  ): Promise<Outcome<KernelSandbox>> {
    const here = await look()
    if (!('endpoint' in here)) return fail('sandbox.unavailable', here.detail, here.hint ?? '')
    const image = here.templates.find(each => each.digest === wanted)?.digest ?? imageOf(here)
    const id = options.ids.make(SandboxId)
    const starting = AbortSignal.any([signal, AbortSignal.timeout(openLimitMs)])
    const memoryKills = memory.of(id)
    try {
      await memory.listen(here.endpoint.docker)
      const { container, link, is } = await start(
        here.endpoint.docker,
        containerOptions(id, owner, image, limits, here.dialect, runtime),
        guestOf(id, limits, warm, runtime),
        starting,
      )
      const sandbox = new KernelSandbox({
        ...{
          id,
          kind,
          isolation,
          limits,
          link,
          clock: options.clock,
          outputs,
          image: is.image,
          mounts: is.mounts,
        },
        network: options.network,
        memoryKills,
        discard: async () => {
          open.delete(sandbox)
          await remove(container)
          memoryKills.forget()
        },
      })
      open.add(sandbox)
      return ok(sandbox)
    } catch (error) {
      memoryKills.forget()
      // The engine may be gone, or the image removed: the next one looks again.
      known = null
      if (signal.aborted)
        return fail('request.cancelled', 'The sandbox was no longer wanted.', 'Run again to start one.')
      const { message, hint } = explain(error, here.endpoint.name)
      options.log?.(`a container did not start: ${message}`)
      return fail('sandbox.failed', message, hint)
    }
  }

  const pool = new Pool(
    options.pool?.size ?? 0,
    async () => {
      // In the same line as those whom somebody waits for: an engine that starts many at once starts none quickly.
      const made = await turnstile.pass(() => make(pooled, ['python'], null, new AbortController().signal))
      if (!made.ok) return null
      await made.value.answers('python')
      return made.value
    },
    sandbox => sandbox.close('manual'),
  )

  return {
    kind,

    async available() {
      return 'endpoint' in (await look()) ? isolation : null
    },

    async image() {
      const here = await look()
      return 'endpoint' in here ? imageOf(here) : null
    },

    async templates() {
      const here = await look()
      return 'endpoint' in here ? [...here.templates] : []
    },

    // The same images serve both runtimes, so that only one of them lists and makes them.
    ...(runtime ? {} : { images: dockerImages(options.env, changed) }),

    pool: () => ({ ready: pool.waiting, wanted: pool.size }),

    async probe() {
      forget()
      const here = await look()
      if (!('endpoint' in here)) return { isolation, probes: [here] }
      const { Version, Components } = await here.endpoint.docker.version()
      const engine = Components?.[0]?.Name ?? 'Docker'
      const how = runtime ? `user-space kernel: ${runtime} in ` : ''
      const detail = `${how}${engine} ${Version} at ${here.endpoint.name}, image ${imageOf(here).slice(7, 19)}`
      return { isolation, probes: [{ name: kind, available: true, detail }] }
    },

    async warm() {
      await pool.fill()
    },

    async open({ limits, placement, warm = ['python'] }: OpenOptions, signal): Promise<Outcome<Sandbox>> {
      if (closed) return fail('sandbox.unavailable', 'Containers have been shut down.', 'Start the application again.')
      const wanted = placement?.image ?? null
      const here = await look()
      const isUsual = wanted === null || ('endpoint' in here && wanted === imageOf(here))
      if (isUsual && isDeepStrictEqual(Limits.parse(limits), pooled)) {
        for (let ready = pool.take(); ready; ready = pool.take()) {
          if ((wanted === null || ready.describe().image === wanted) && (await ready.isWell())) return ok(ready)
          void ready.close('rotated')
        }
      }
      return turnstile.pass(() => make(limits, warm, wanted, signal))
    },

    readOutput: (run, range) => outputs.read(run, range),

    async endOrphans() {
      const here = await look()
      if (!('endpoint' in here)) return 0
      const { docker } = here.endpoint
      const found = await docker.listContainers({ all: true, filters: { label: [`${labels.owner}=${owner}`] } })
      const ours = new Set<string>([...open].map(({ id }) => id))
      const left = found.filter(({ Labels }) => !ours.has(Labels[labels.sandbox] ?? ''))
      await Promise.all(left.map(({ Id }) => remove(docker.getContainer(Id))))
      return left.length
    },

    async close() {
      closed = true
      await pool.close()
      await Promise.all([...open].map(sandbox => sandbox.close('manual')))
      memory.close()
    },
  }
}

/** Podman names itself among its parts. Its rules for system calls are written to a file where it can read one. */
async function dialectOf({ docker, name }: Endpoint, home: string): Promise<Dialect> {
  const { Components } = await docker.version()
  if (!Components?.some(part => /podman/i.test(part.Name))) return { kind: 'docker' }
  if (!name.startsWith('unix://')) return { kind: 'podman', profile: null }
  const profile = join(home, 'podman-seccomp.json')
  mkdirSync(home, { recursive: true })
  writeFileSync(profile, seccompProfile())
  return { kind: 'podman', profile }
}

async function hasRuntime(docker: Docker, runtime: string): Promise<boolean> {
  const { Runtimes } = Info.parse(await docker.info())
  return Runtimes != null && Object.hasOwn(Runtimes, runtime)
}

const Info = z.object({ Runtimes: z.record(z.string(), z.unknown()).nullish() })

const withoutRuntime = (endpoint: string) => ({
  message: `The container engine at ${endpoint} has no user-space kernel: runsc is not among its runtimes.`,
  hint: 'Install gVisor on its machine, then `runsc install` and a restart of the engine.',
})

/** gVisor refuses some limits, which the engine sets for the whole container, and does not say how full a folder is. */
function guestOf(id: SandboxId, limits: Limits, warm: readonly Language[], runtime: 'runsc' | undefined) {
  return { id, limits, warm, ...inside, sized: !runtime, lenient: runtime !== undefined }
}

/** Creates, attaches and starts a container, and waits for its supervisor. Whatever fails leaves no container. */
async function start(
  docker: Docker,
  options: Docker.ContainerCreateOptions,
  guest: Parameters<typeof startGuest>[0],
  signal: AbortSignal,
): Promise<{ container: Docker.Container; link: Link; is: Inspection }> {
  const container = await docker.createContainer(options)
  try {
    const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true })
    const from = new PassThrough()
    const said: Buffer[] = []
    const errors = new PassThrough()
    errors.on('data', chunk => said.length < 20 && said.push(chunk))
    docker.modem.demuxStream(stream, from, errors)
    for (const event of ['end', 'close', 'error'] as const) stream.on(event, () => from.end())
    await container.start()
    const described = container.inspect()
    described.catch(() => undefined)
    const link = await Promise.race([startGuest(guest, from, stream as Duplex), stopped(signal), early(from, said)])
    const is = inspection(await described, options)
    if (is.differences.length > 0) {
      throw new Error(
        `the engine made a container with other settings than were asked for: ${is.differences.join(', ')}`,
      )
    }
    return { container, link, is }
  } catch (error) {
    await remove(container)
    throw error
  }
}

const stopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const give = () => reject(new Error('it took too long, or was no longer wanted'))
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
  })

/** A supervisor that ends before it is ready says why on its error output. */
const early = (from: PassThrough, said: readonly Buffer[]): Promise<never> =>
  new Promise((_, reject) =>
    from.once('finish', () =>
      reject(new Error(`it ended at once: ${Buffer.concat(said).toString('utf8').trim().slice(-500)}`)),
    ),
  )

/** It may be gone, or on its way out, by itself. */
async function remove(container: Docker.Container): Promise<void> {
  await container.remove({ force: true, v: true }).catch(() => undefined)
}
