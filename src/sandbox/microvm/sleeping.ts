import { chown, mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { inside } from '../image/recipe.ts'
import { loadGuest } from '../kernel/guest.ts'
import type { Acceleration } from './command.ts'
import { unprivilegedId } from './confinement.ts'
import { parts } from './images.ts'
import { type Host, Machine } from './machine.ts'

/** The libraries that a copy finds loaded, as far as the image has them. */
export const preloaded = ['numpy', 'pandas']

/** How much slower than the processor itself. */
export const patience = { kvm: 1, hvf: 1, tcg: 10 } as const satisfies Record<Acceleration, number>

/** A machine that has booted, loaded its libraries and been put to sleep: its memory, and the state of its devices. */
export interface Sleeping {
  readonly ram: string
  readonly state: string
}

export interface SleepingRequest {
  readonly host: Host
  /** The folder of the image. */
  readonly image: string
  readonly acceleration: Acceleration
  readonly memoryMiB: number
  /** Tells it from those that another QEMU or another kind of processor made. */
  readonly key: string
  readonly limitMs: number
  readonly signal: AbortSignal
}

const About = z.object({ changed: z.string() })

export const imageFiles = (image: string) => ({
  kernel: join(image, parts.kernel),
  initrd: join(image, parts.initrd),
  disk: join(image, parts.disk),
})

/** The machine as it lies there, or a new one where there is none that can be trusted. */
export async function sleepingFor(request: SleepingRequest): Promise<Sleeping> {
  const folder = folderOf(request)
  if (await isUntouched(folder)) return filesIn(folder)
  const making = await mkdtemp(join(request.image, '.sleeping-'))
  try {
    await make(request, filesIn(making))
    await writeFile(join(making, 'sleeping.json'), JSON.stringify({ changed: await changeOf(filesIn(making).ram) }))
    await putInPlace(making, folder)
    return filesIn(folder)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

/** Two applications may make the same one at the same time: the first stays, since copies of it may be starting. */
export async function putInPlace(made: string, folder: string): Promise<void> {
  try {
    await rename(made, folder)
  } catch {
    if (await isUntouched(folder)) return
    await rm(folder, { recursive: true, force: true })
    await rename(made, folder)
  }
}

/**
 * Every copy maps the memory of the sleeping machine, and an older QEMU can do that only with the right to write to the file. A
 * QEMU that was taken over could use it: the system then notes when the file was changed, which nobody can set back.
 */
export async function isUntouched(folder: string): Promise<boolean> {
  try {
    const about = About.parse(JSON.parse(await readFile(join(folder, 'sleeping.json'), 'utf8')))
    return about.changed === (await changeOf(filesIn(folder).ram))
  } catch {
    return false
  }
}

export const folderOf = ({
  image,
  memoryMiB,
  acceleration,
  key,
}: Omit<SleepingRequest, 'host' | 'limitMs' | 'signal'>) => join(image, `sleeping-${acceleration}-${memoryMiB}-${key}`)

const filesIn = (folder: string): Sleeping => ({ ram: join(folder, 'ram'), state: join(folder, 'state') })
const changeOf = async (file: string) => String((await stat(file, { bigint: true })).ctimeNs)

async function make({ host, image, acceleration, memoryMiB, limitMs, signal }: SleepingRequest, files: Sleeping) {
  const file = await open(files.ram, 'w', 0o600)
  await file.truncate(memoryMiB * 1024 * 1024)
  await file.close()
  if (host.root && host.bubblewrap) await chown(files.ram, unprivilegedId, unprivilegedId)
  const machine = await Machine.start(host, {
    name: `sleeping-${memoryMiB}-${process.hrtime.bigint()}`,
    files: imageFiles(image),
    acceleration,
    memoryMiB,
    ram: { file: files.ram, keeps: true },
  })
  try {
    await within(machine, limitMs, signal, async () => {
      await loadGuest({ ...inside, sized: true, preload: preloaded, patience: patience[acceleration] }, machine.port)
      await machine.saveTo(files.state)
    })
  } finally {
    await machine.end()
  }
}

/** Something that a machine does, within a time and while it lives; what it said last tells why not. */
export async function within<T>(
  machine: Machine,
  limitMs: number,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs)
  const stop = () => reject(new Error('it was no longer wanted'))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work(), over])
  } catch (error) {
    const said = machine.said.trim().split('\n').slice(-3).join(' ').slice(-500)
    throw new Error(`${error instanceof Error ? error.message : String(error)}${said ? ` (${said})` : ''}`)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
