import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { type BuildImage, type BuildStep, ImageInfo } from '../../contract/images.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { resource } from '../../places.ts'
import { guestVersion, readRecipe } from '../image/recipe.ts'
import { type Layers, makeRootfs, type Source } from '../image/rootfs.ts'
import type { ImageStore } from '../sandbox.ts'
import { archive } from './cpio.ts'

const run = promisify(execFile)
const mebibyte = 1024 * 1024

/** What machines are started from: a kernel, its first memory disk, and the read-only disk. */
export const MachineImage = ImageInfo.omit({ current: true }).extend({
  /** The kernel's version, for people. */
  kernel: z.string(),
  /** Digests that its name stood for before. */
  before: z.array(z.string()),
})
export type MachineImage = z.infer<typeof MachineImage>

interface Build extends BuildImage {
  readonly source: Source
  readonly progress: (line: string) => void
  readonly signal: AbortSignal
  /** A folder to work in. */
  readonly folder: string
}

export const machineName = (template: string): string => `${template}-${guestVersion()}`
export const parts = { kernel: 'kernel', initrd: 'initrd', disk: 'disk', about: 'image.json' } as const

const elsewhere = 'Machine images are made on Debian or Ubuntu; elsewhere copy the folder of one that was made there.'
const missingTool: Record<string, string> = {
  mmdebstrap: 'Install it, or use the packages of this machine.',
  mke2fs: 'Install e2fsprogs.',
  'apt-cache': elsewhere,
  'apt-get': elsewhere,
  'dpkg-deb': elsewhere,
}

/** The machine images of this user. `changed` hears of every one that was made or removed. */
export function machineImages(machines: string, clock: Clock, changed: () => void = () => undefined): ImageStore {
  return {
    list: async () =>
      ok(
        (await allMachines(machines)).map(image => ({ ...image, current: image.name === machineName(image.template) })),
      ),

    async build(request, progress, signal) {
      await mkdir(machines, { recursive: true, mode: 0o700 })
      const folder = await mkdtemp(join(machines, '.making-'))
      try {
        const image = await make(machines, request, folder, progress, signal, clock.now())
        changed()
        progress({ line: `${image.name} ${image.digest}`, done: 1 })
        return ok({ ...image, current: true })
      } catch (error) {
        return whyNotMade(error, machines, signal)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },

    async remove(name) {
      if (!(await readMachine(machines, name)))
        return fail('not-found', `${name} is no image of ours.`, 'Look at the list of images.')
      await rm(join(machines, name), { recursive: true })
      changed()
      return ok(undefined)
    },
  }
}

/** Those of every version of the application, newest first. */
export async function allMachines(machines: string): Promise<MachineImage[]> {
  const names = await readdir(machines).catch(() => [])
  const found = await Promise.all(names.map(name => readMachine(machines, name)))
  return found.flatMap(image => image ?? []).sort((a, b) => b.createdAt - a.createdAt)
}

async function readMachine(machines: string, name: string): Promise<MachineImage | null> {
  if (!/^[a-z0-9-]+$/.test(name)) return null
  try {
    const parsed = MachineImage.safeParse(JSON.parse(await readFile(join(machines, name, parts.about), 'utf8')))
    return parsed.success && parsed.data.name === name ? parsed.data : null
  } catch {
    return null
  }
}

/** From the same recipe as containers. What is half made is never seen. */
async function make(
  machines: string,
  request: BuildImage,
  folder: string,
  step: (step: BuildStep) => void,
  signal: AbortSignal,
  now: number,
): Promise<MachineImage> {
  let done = 0
  const progress = (line: string) => step({ line, done })
  if (request.source === 'registry') throw new Error('a registry has containers and no machines')
  const source = request.source ?? ((await isHere('mmdebstrap')) ? 'debian' : 'installed')
  const work: Build = { ...request, source, folder, progress, signal }
  const made = join(folder, 'made')
  await mkdir(made)
  // Whoever QEMU runs as must be able to read it; the folder above is closed to everybody else.
  await chmod(made, 0o755)
  progress("fetching Debian's kernel")
  const kernel = await kernelAndDrivers(made, work)
  done = 0.15
  progress(
    source === 'debian' ? 'fetching packages from Debian' : 'taking the packages that are installed on this machine',
  )
  const layers = await makeRootfs({ ...work, recipe: readRecipe() })
  done = 0.6
  progress('making the disk')
  await diskImage(join(made, parts.disk), layers, work)
  done = 0.9
  progress('hashing')
  const files = [parts.kernel, parts.initrd, parts.disk].map(name => join(made, name))
  const bytes = await Promise.all(files.map(async file => (await stat(file)).blocks * 512))
  const name = machineName(request.template)
  const older = await readMachine(machines, name)
  const image: MachineImage = {
    kind: 'microvm',
    name,
    template: request.template,
    digest: `sha256:${await hashOf(files)}`,
    bytes: bytes.reduce((sum, each) => sum + each, 0),
    createdAt: now,
    source,
    packages: [...request.packages],
    kernel,
    before: older ? [older.digest, ...older.before].slice(0, 100) : [],
  }
  await writeFile(join(made, parts.about), JSON.stringify(image))
  await rm(join(machines, name), { recursive: true, force: true })
  await rename(made, join(machines, name))
  return image
}

function whyNotMade(error: unknown, machines: string, signal: AbortSignal): Outcome<never> {
  if (signal.aborted) return fail('request.cancelled', 'Making the image was stopped.', 'Nothing was changed.')
  const { message, code, path = '' } = error as NodeJS.ErrnoException
  const cure = code === 'ENOENT' ? missingTool[path] : undefined
  if (cure) return fail('sandbox.failed', `${path} is not installed.`, cure)
  if (code === 'ENOSPC' || /no space left/i.test(message))
    return fail('sandbox.failed', 'The disk is full.', `An image takes about 2 GB in ${machines}.`)
  return fail(
    'sandbox.failed',
    `The image was not made: ${message.replace(/[.\s]+$/, '')}.`,
    'The lines of the log say more.',
  )
}

const isHere = (program: string): Promise<boolean> =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  )

/** Drivers that Debian builds as modules, each after those that it needs. */
const drivers = [
  'virtio_ring',
  'virtio',
  'virtio_pci_modern_dev',
  'virtio_pci_legacy_dev',
  'virtio_pci',
  'virtio_blk',
  'virtio_console',
]

/** Debian's kernel for virtual machines, unpacked into a folder of ours: nothing of this machine's boot is touched. */
async function kernelAndDrivers(made: string, { progress, signal, folder }: Build): Promise<string> {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const packages = join(folder, 'packages')
  const unpacked = join(folder, 'unpacked')
  await mkdir(packages)
  const { stdout } = await run('apt-cache', ['depends', `linux-image-cloud-${architecture}`], { signal })
  const newest = /Depends: (linux-image-\S+)/.exec(stdout)?.[1]
  if (!newest) throw new Error('apt knows of no kernel for virtual machines; run apt-get update first')
  await command('apt-get', ['download', newest, 'busybox-static'], { progress, signal, cwd: packages })
  for (const file of await readdir(packages))
    await command('dpkg-deb', ['--extract', join(packages, file), unpacked], { progress, signal })
  const release = newest.replace('linux-image-', '')
  await copyFile(join(unpacked, 'boot', `vmlinuz-${release}`), join(made, parts.kernel))
  const modules = join(unpacked, 'lib/modules', release)
  const found = (await readdir(modules, { recursive: true })).filter(each => each.endsWith('.ko'))
  const file = async (path: string) => readFile(path)
  const loaded = drivers.flatMap(name => found.filter(path => basename(path) === `${name}.ko`))
  const initrd = archive([
    ...['bin', 'dev', 'root', 'drivers'].map(name => ({ name })),
    { name: 'init', bytes: await file(resource('guest', 'init')), executable: true },
    { name: 'bin/busybox', bytes: await file(join(unpacked, 'bin/busybox')), executable: true },
    ...(await Promise.all(
      loaded.map(async path => ({ name: `drivers/${basename(path)}`, bytes: await file(join(modules, path)) })),
    )),
  ])
  await writeFile(join(made, parts.initrd), initrd)
  return release
}

/** The guest's files on a disk. In a user namespace an ordinary user, too, can give them to the super-user of the guest. */
async function diskImage(disk: string, layers: Layers, { progress, signal, folder }: Build): Promise<void> {
  const tree = join(folder, 'tree')
  await mkdir(tree, { mode: 0o755 })
  const { size: system } = await stat(layers.system)
  const { size: guest } = await stat(layers.guest)
  // Small files fill whole blocks; what is not used of the disk takes no room on this machine.
  const mebibytes = Math.ceil(((system + guest) * 1.3) / mebibyte) + 128
  const script =
    'for layer in "$2" "$3"; do tar --extract --no-same-owner --file "$layer" --directory "$1" || exit; done; ' +
    'chmod 755 "$1"; exec mke2fs -q -t ext4 -O ^has_journal -m 0 -L countersign -d "$1" "$4" "$5M"'
  const args = ['-c', script, 'sh', tree, layers.system, layers.guest, disk, String(mebibytes)]
  const environment = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` }
  const asRoot = process.getuid?.() === 0 ? ['sh', ...args] : ['unshare', '--map-root-user', 'sh', ...args]
  await command(asRoot[0] as string, asRoot.slice(1), { progress, signal, env: environment })
  await chmod(disk, 0o644)
}

async function hashOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) for await (const piece of createReadStream(file)) hash.update(piece)
  return hash.digest('hex')
}

interface Around {
  readonly progress: (line: string) => void
  readonly signal: AbortSignal
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a program and shows what it says, line by line. */
async function command(program: string, args: readonly string[], { progress, ...options }: Around): Promise<void> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', line => {
      said.push(line)
      progress(line)
    })
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said.slice(-3).join(' ')}`)
}
