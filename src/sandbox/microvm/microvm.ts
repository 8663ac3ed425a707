import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { SandboxId } from '../../contract/ids.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { type Language, Limits } from '../../contract/run.ts'
import type { Probe } from '../../contract/sandbox.ts'
import type { Ids } from '../../ids.ts'
import type { NetworkGate } from '../../network/network.ts'
import { inside } from '../image/recipe.ts'
import { adoptGuest, loadGuest, type Renewal } from '../kernel/guest.ts'
import { KernelSandbox } from '../kernel/kernel-sandbox.ts'
import { Link } from '../kernel/link.ts'
import { OutputFolder, type OutputOptions } from '../kernel/outputs.ts'
import { Turnstile } from '../kernel/pool.ts'
import { listenerFolder } from '../local/orphans.ts'
import type { OpenOptions, Sandbox, SandboxProvider } from '../sandbox.ts'
import { type Acceleration, memoryFor } from './command.ts'
import { findGround, type Missing } from './host.ts'
import { allMachines, type MachineImage, machineImages, machineName } from './images.ts'
import { type Host, Machine } from './machine.ts'
import { findAcceleration, findingFile, subjectOf } from './probe.ts'
import { folderOf, imageFiles, isUntouched, patience, type Sleeping, sleepingFor, within } from './sleeping.ts'

export interface MicrovmOptions extends OutputOptions {
  /** The folder of all data; long outputs stand below it. */
  /** The folder of machine images, which can be made again. */
  readonly machines: string
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly ids: Ids
  /** The template that sandboxes are made from where nothing else was approved. */
  readonly template?: () => string
  /** The limits that sandboxes usually have, to get ready for. */
  readonly limits?: () => Limits
  readonly log?: (message: string) => void
  readonly network?: NetworkGate
}

/** Everything that a machine can be started with. */
interface Here {
  readonly host: Host
  /** Of this version of the application; one at least. */
  readonly images: readonly MachineImage[]
  readonly acceleration: Acceleration
  readonly version: string
  /** Why nothing quicker is used. */
  readonly refused: readonly string[]
  readonly key: string
}

/** What a machine was made with, and what a copy of it is made with. */
interface Given {
  readonly here: Here
  readonly image: MachineImage
  readonly limits: Limits
  readonly memoryMiB: number
}

const trialLimitMs = 10_000
/** Emulation takes half a minute where nothing else runs; a loaded machine is given the time it needs. */
const bootLimitMs = { kvm: 30_000, hvf: 30_000, tcg: 600_000 } as const
const openLimitMs = { kvm: 30_000, hvf: 30_000, tcg: 180_000 } as const
const openingAtOnce = 2
const askAgainMs = 10_000

/** Sandboxes in virtual machines of QEMU, each a copy of one that has booted and loaded its libraries. */
export function microvmProvider(options: MicrovmOptions): SandboxProvider {
  const { clock, log = () => undefined } = options
  const outputs = new OutputFolder(options)
  const turnstile = new Turnstile(openingAtOnce)
  const open = new Set<KernelSandbox>()
  const stopped = new AbortController()
  const sleepers = new Map<string, Promise<Sleeping>>()
  let listeners: Promise<string> | null = null
  let known: Promise<Here | Missing> | null = null
  let missing: { at: number; what: Missing } | null = null

  /** What is here, remembered while it works, and for a moment while it does not. */
  async function look(): Promise<Here | Missing> {
    if (missing && clock.now() - missing.at < askAgainMs) return missing.what
    known ??= examine()
    const found = await known
    if ('host' in found) return found
    known = null
    missing = { at: clock.now(), what: found }
    return found
  }

  async function examine(): Promise<Here | Missing> {
    // Looked for first: where nobody has made an image, nothing is started to find out the rest.
    const all = await allMachines(options.machines)
    const images = all.filter(image => image.name === machineName(image.template))
    const [first] = images
    if (!first)
      return {
        detail: 'the image of the machine is not there',
        hint: 'Make it: countersign sandbox build --kind microvm.',
      }
    const localHost = await findGround(options.env)
    if (!('host' in localHost)) return localHost
    listeners ??= listenerFolder()
    const host: Host = { ...localHost.host, listeners: await listeners }
    const trial = (acceleration: Acceleration) => boots(host, folderOfImage(first), acceleration)
    const found = await findAcceleration(
      findingFile(options.machines),
      await subjectOf(localHost, images.map(image => image.digest).sort()),
      localHost.accelerations,
      trial,
    )
    const { acceleration, refused } = found
    const key = (await subjectOf(localHost, [])).slice(0, 12)
    return { host, images, acceleration, refused, version: localHost.version, key }
  }

  const folderOfImage = (image: MachineImage) => join(options.machines, image.name)

  /** The image that was approved, or the one that is meant; another stands in for one that is not there. */
  function imageOf({ images }: Here, wanted: string | null = null): MachineImage {
    const named = (template: string) => images.find(image => image.template === template)
    const approved = images.find(image => image.digest === wanted)
    return approved ?? named(options.template?.() ?? 'default') ?? named('default') ?? (images[0] as MachineImage)
  }

  /** Whether a machine really starts, up to the first word of its supervisor. */
  async function boots(host: Host, folder: string, acceleration: Acceleration): Promise<Outcome<void>> {
    const machine = await Machine.start(host, {
      name: `trial-${options.ids.make(SandboxId)}`,
      files: imageFiles(folder),
      acceleration,
      memoryMiB: 512,
      ram: null,
    })
    try {
      await within(machine, trialLimitMs, stopped.signal, () => loadGuest({ ...inside }, machine.port))
      return ok(undefined)
    } catch (error) {
      return fail('sandbox.failed', messageOf(error), '')
    } finally {
      await machine.end()
    }
  }

  /** One boot for each size of memory; whoever needs it at the same time waits for the same one. */
  async function sleeping(here: Here, image: string, memoryMiB: number): Promise<Sleeping> {
    const { host, acceleration, key } = here
    const folder = folderOf({ image, memoryMiB, acceleration, key })
    const made = sleepers.get(folder)
    if (made && (await made.then(() => isUntouched(folder)).catch(() => false))) return made
    const limitMs = bootLimitMs[acceleration]
    const making = sleepingFor({ host, image, memoryMiB, acceleration, key, limitMs, signal: stopped.signal })
    sleepers.set(folder, making)
    making.catch(() => sleepers.delete(folder))
    return making
  }

  async function make(
    limits: Limits,
    warm: readonly Language[],
    wanted: string | null,
    signal: AbortSignal,
  ): Promise<Outcome<KernelSandbox>> {
    const here = await look()
    if (!('host' in here)) return fail('sandbox.unavailable', `${sentence(here.detail)}`, here.hint)
    const id = options.ids.make(SandboxId)
    const image = imageOf(here, wanted)
    const memoryMiB = memoryFor(limits)
    let machine: Machine | null = null
    try {
      const { ram, state } = await sleeping(here, folderOfImage(image), memoryMiB)
      const started = await Machine.start(here.host, {
        name: id,
        files: imageFiles(folderOfImage(image)),
        acceleration: here.acceleration,
        memoryMiB,
        ram: { file: ram, keeps: false },
        state,
      })
      machine = started
      const both = AbortSignal.any([signal, stopped.signal])
      const link = await within(started, openLimitMs[here.acceleration], both, () =>
        adoptGuest({ id, limits, warm }, renewal(), started.port),
      )
      return ok(adopt({ here, image, limits, memoryMiB }, id, started, link))
    } catch (error) {
      await machine?.end()
      if (signal.aborted)
        return fail('request.cancelled', 'The sandbox was no longer wanted.', 'Run again to start one.')
      // QEMU or the image may have changed: the next one looks again.
      known = null
      log(`a machine did not start: ${messageOf(error)}`)
      return fail('sandbox.failed', `The machine did not start: ${messageOf(error)}.`, 'countersign doctor says more.')
    }
  }

  function adopt(given: Given, id: SandboxId, machine: Machine, link: Link): KernelSandbox {
    const sandbox: KernelSandbox = new KernelSandbox({
      id,
      kind: 'microvm',
      isolation: 'microvm',
      limits: given.limits,
      link,
      clock,
      outputs,
      image: given.image.digest,
      network: options.network,
      patience: patience[given.here.acceleration],
      fork: parent => fork(given, parent, machine),
      discard: async () => {
        open.delete(sandbox)
        await machine.end()
      },
    })
    open.add(sandbox)
    return sandbox
  }

  /** A copy of the running machine: all kernels with their variables, all files. The parent stands still meanwhile. */
  async function fork(given: Given, parent: KernelSandbox, from: Machine): Promise<Outcome<Sandbox>> {
    const id = options.ids.make(SandboxId)
    const { host, acceleration } = given.here
    const files = imageFiles(folderOfImage(given.image))
    const { memoryMiB } = given
    let copy: Machine | null = null
    try {
      const sent = await parent.whileStill(async () => {
        const started = await Machine.start(host, { name: id, files, acceleration, memoryMiB, ram: null, isCopy: true })
        copy = started
        await within(started, openLimitMs[acceleration], stopped.signal, () => from.copyTo(started))
        return ok(started)
      })
      if (!sent.ok) return sent
      const sandbox = adopt(given, id, sent.value, new Link(sent.value.port))
      const renewed = await sandbox.ask({ type: 'renew', renewal: renewal() })
      if (renewed.ok) return ok(sandbox)
      await sandbox.close('error')
      return renewed
    } catch (error) {
      await (copy as Machine | null)?.end()
      const message = `The copy could not be made: ${messageOf(error)}.`
      return fail('sandbox.cannot-fork', message, 'Branch without state.')
    }
  }

  const renewal = (): Renewal => ({ seed: randomBytes(32).toString('hex'), now: clock.now() / 1000 })

  return {
    kind: 'microvm',

    async available() {
      return 'host' in (await look()) ? 'microvm' : null
    },

    async isEmulated() {
      const here = await look()
      return 'host' in here && here.acceleration === 'tcg'
    },

    async image() {
      const here = await look()
      return 'host' in here ? imageOf(here).digest : null
    },

    async templates() {
      const here = await look()
      const images = 'host' in here ? here.images : []
      return images.map(({ template, digest, before }) => ({ template, digest, before }))
    },

    images: machineImages(options.machines, clock, () => {
      known = missing = null
    }),

    async probe() {
      missing = null
      const here = await look()
      if (!('host' in here)) return { isolation: 'microvm', probes: [{ name: 'microvm', available: false, ...here }] }
      const { acceleration, version, refused } = here
      const image = imageOf(here)
      const by = { kvm: 'with KVM', hvf: 'with HVF', tcg: 'by emulation, 10 to 15 times slower' }[acceleration]
      const detail = `${version.replace(' emulator version', '')} ${by}, kernel ${image.kernel}, image ${image.digest.slice(7, 19)}`
      const hint =
        acceleration === 'tcg' ? { hint: 'Used only where it is asked for. Better: a machine with KVM.' } : {}
      return {
        isolation: 'microvm',
        probes: [{ name: 'microvm', available: true, detail, ...hint }, ...refused.map(notUsed)],
      }
    },

    async warm() {
      const here = await look()
      if (!('host' in here)) return
      const memoryMiB = memoryFor(options.limits?.() ?? Limits.parse({}))
      await sleeping(here, folderOfImage(imageOf(here)), memoryMiB).catch(() => undefined)
    },

    async open({ limits, placement, warm = ['python'] }: OpenOptions, signal): Promise<Outcome<Sandbox>> {
      if (stopped.signal.aborted)
        return fail('sandbox.unavailable', 'Machines have been shut down.', 'Start the application again.')
      return turnstile.pass(() => make(limits, warm, placement?.image ?? null, signal))
    },

    readOutput: (run, range) => outputs.read(run, range),

    /** QEMU dies with the application that started it; what is left is folders, which go when the next one starts. */
    async endOrphans() {
      return 0
    },

    async close() {
      stopped.abort()
      await Promise.all([...open].map(sandbox => sandbox.close('manual')))
      await Promise.allSettled(sleepers.values())
      if (listeners) await rm(await listeners, { recursive: true, force: true })
    },
  }
}

/** What does not compute for machines here though it looks as if it could. */
function notUsed(refused: string): Probe {
  const [name = '', ...why] = refused.split(': ')
  const detail = why.join(': ').slice(0, 300)
  const hint = /permission denied/i.test(detail)
    ? 'Machines would be quicker: add yourself to the group kvm and sign in again.'
    : 'Machines would be quicker: switch virtualisation on in the firmware, or use a machine that is not virtual itself.'
  return { name: name.toUpperCase(), available: false, detail, hint }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
