import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { type BuildStep, type ImageSource, imageSources } from '../../contract/images.ts'
import { readRecipe } from '../image/recipe.ts'
import { makeSystem } from '../image/rootfs.ts'
import { explain } from './endpoint.ts'

export interface SystemRequest {
  readonly docker: Docker
  readonly packages: readonly string[]
  readonly source: ImageSource | null
  readonly fresh: boolean
  /** A folder of its own to work in. */
  readonly folder: string
  readonly progress: (step: BuildStep) => void
  readonly signal: AbortSignal
}

/** The image that holds Debian and the packages; what is ours goes on top of it. */
export interface SystemImage {
  readonly name: string
  readonly source: ImageSource
}

/** Which part of the whole work this is. */
const share = 0.8

/**
 * Gives the engine the Debian layer. One that an earlier build has made is used again, so that a new version of the
 * application costs seconds. Without a source the first that can be had is taken, and every one that cannot is told.
 */
export async function giveSystem(request: SystemRequest): Promise<SystemImage> {
  const sources = request.source ? [request.source] : imageSources
  if (!request.fresh)
    for (const source of sources) {
      const name = systemName(source, request.packages)
      if (!(await has(request.docker, name))) continue
      request.progress({ line: `using the Debian layer that is here (${sourceWords[source]})`, done: share })
      return { name, source }
    }
  for (const [at, source] of sources.entries()) {
    const name = systemName(source, request.packages)
    request.progress({ line: `taking the packages from ${sourceWords[source]}`, done: 0 })
    try {
      if (source === 'registry') await fromRegistry(request, name)
      else await fromPackages(request, source, name)
      return { name, source }
    } catch (error) {
      if (request.signal.aborted || at === sources.length - 1) throw error
      request.progress({ line: `not from ${sourceWords[source]}: ${reasonOf(error)}`, done: 0 })
    }
  }
  throw new Error('there is nothing to make an image from')
}

export const sourceWords: Record<ImageSource, string> = {
  registry: 'the base image of a registry',
  debian: 'Debian’s archive',
  installed: 'what is installed on this machine',
}

/** The same packages from the same place have the same name. */
export function systemName(source: ImageSource, packages: readonly string[]): string {
  const made = JSON.stringify([source, process.arch, readRecipe(), [...packages].sort()])
  return `countersign-system:${createHash('sha256').update(made).digest('hex').slice(0, 12)}`
}

async function has(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect()
    return true
  } catch {
    return false
  }
}

/** The engine fetches the base image and installs the packages in it by itself. */
async function fromRegistry({ docker, packages, folder, progress, signal }: SystemRequest, name: string) {
  const { base, packages: usual } = readRecipe()
  const pulled = await docker.pull(base, { abortSignal: signal })
  await followed(docker, pulled, line => progress({ line, done: 0.1 * share }), signal)
  const all = [...usual, ...packages].join(' ')
  const install = `apt-get update && apt-get install -y --no-install-recommends ${all} && rm -rf /var/lib/apt/lists/*`
  await writeFile(join(folder, 'Dockerfile'), `FROM ${base}\nRUN ${install}\n`)
  const count = counting()
  const options = { t: name, rm: true, nocache: true, abortSignal: signal }
  const stream = await docker.buildImage(contextOf(folder, ['Dockerfile']), options)
  await followed(docker, stream, line => progress({ line, done: (0.2 + 0.8 * count(line)) * share }), signal)
}

async function fromPackages(
  { docker, packages, folder, progress, signal }: SystemRequest,
  source: 'debian' | 'installed',
  name: string,
): Promise<void> {
  const count = counting()
  const tar = await makeSystem({
    ...{ recipe: readRecipe(), packages, source, folder, signal },
    progress: line => progress({ line, done: 0.7 * share * count(line) }),
  })
  progress({ line: 'handing Debian to the engine', done: 0.7 * share })
  // The tag with the name: Podman takes no notice of one by itself.
  const stream = await docker.importImage(createReadStream(tar, { signal }), { repo: name, abortSignal: signal })
  await followed(docker, stream, line => progress({ line, done: 0.9 * share }), signal)
}

/** What an engine builds from, as it is: the library would compress it, which takes longer than sending it. */
export const contextOf = (folder: string, names: readonly string[]): NodeJS.ReadableStream =>
  spawn('tar', ['--create', '--file', '-', '--directory', folder, ...names], { stdio: ['ignore', 'pipe', 'ignore'] })
    .stdout

/** How far apt is, by its own words: how many packages there will be, then one line for each step of each. */
export function counting(): (line: string) => number {
  let total = 0
  let seen = 0
  return line => {
    const said = /(\d+) newly installed/.exec(line)?.[1]
    if (said) total += 3 * Number(said)
    if (/^(Get:\d|Unpacking |Setting up )/.test(line)) seen++
    return total === 0 ? 0 : Math.min(1, seen / total)
  }
}

/** What the engine says while it works; the first error ends it. */
export function followed(
  docker: Docker,
  stream: NodeJS.ReadableStream,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('stopped'))
    signal.addEventListener('abort', stop, { once: true })
    docker.modem.followProgress(
      stream,
      error => {
        signal.removeEventListener('abort', stop)
        if (error) reject(error)
        else resolve()
      },
      event => {
        // Podman goes on after it has said what went wrong.
        if (typeof event?.error === 'string') reject(new Error(event.error))
        const line = event?.stream ?? event?.status
        for (const each of typeof line === 'string' ? line.split('\n') : []) if (each.trim()) progress(each.trim())
      },
    )
  })
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (/spawn \S+ ENOENT/.test(message)) return `${/spawn (\S+)/.exec(message)?.[1]} is not installed`
  return explain(error, 'the engine').message.slice(0, 300)
}
