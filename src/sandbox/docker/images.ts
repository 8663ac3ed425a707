import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type Docker from 'dockerode'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { PackageName, readRecipe, TemplateName } from '../image/recipe.ts'
import { makeRootfs, type Source } from '../image/rootfs.ts'
import { imageName } from './docker.ts'
import { explain, findEndpoint } from './endpoint.ts'

export interface BuildRequest {
  readonly env: NodeJS.ProcessEnv
  readonly template: string
  /** Debian packages beside those of the recipe. */
  readonly packages: readonly string[]
  /** Where the files come from; without it, Debian's archive where `mmdebstrap` is here, else what is installed. */
  readonly source?: Source
  readonly progress: (line: string) => void
  readonly signal: AbortSignal
}

export interface ImageInfo {
  readonly name: string
  readonly template: string
  readonly digest: string
  readonly bytes: number
  readonly createdAt: number
  /** Made for this version of the application. */
  readonly current: boolean
}

/** Makes the image of a template and gives it to the engine. */
export async function buildImage(request: BuildRequest): Promise<Outcome<ImageInfo>> {
  const template = TemplateName.safeParse(request.template)
  if (!template.success)
    return fail(
      'request.invalid',
      `A template cannot be called ${request.template}.`,
      'Use small letters, digits and -.',
    )
  const bad = request.packages.find(name => !PackageName.safeParse(name).success)
  if (bad)
    return fail('request.invalid', `${bad} is not the name of a Debian package.`, 'Look it up: apt-cache search.')
  const endpoint = findEndpoint(request.env)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-image-'))
  const { progress, signal, packages } = request
  try {
    await endpoint.docker.ping()
    const source = request.source ?? 'debian'
    progress(
      source === 'debian' ? 'fetching packages from Debian' : 'taking the packages that are installed on this machine',
    )
    const layers = await makeRootfs({ recipe: readRecipe(), packages, source, folder, progress, signal })
    progress('handing the image to the engine')
    await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nADD system.tar /\nADD guest.tar /\n')
    const src = ['Dockerfile', basename(layers.system), basename(layers.guest)]
    const stream = await endpoint.docker.buildImage({ context: folder, src }, { t: imageName(template.data), rm: true })
    await followed(endpoint.docker, stream, progress)
    const [built] = (await listImages(request.env)).filter(image => image.current && image.template === template.data)
    return built
      ? ok(built)
      : fail('sandbox.failed', 'The engine does not show the image that it was given.', 'Try again.')
  } catch (error) {
    if (signal.aborted) return fail('request.cancelled', 'Making the image was stopped.', 'Nothing was changed.')
    const isEngine =
      typeof (error as { statusCode?: unknown }).statusCode === 'number' ||
      typeof (error as { code?: unknown }).code === 'string'
    const message = error instanceof Error ? error.message : String(error)
    if (!isEngine) return fail('sandbox.failed', `The image was not made: ${message}`, 'Look at the lines above.')
    if (/spawn mmdebstrap ENOENT/.test(message))
      return fail('sandbox.failed', 'mmdebstrap is not installed.', 'Install it, or use --from installed.')
    const told = explain(error, endpoint.name)
    return fail('sandbox.failed', told.message, told.hint)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function followed(docker: Docker, stream: NodeJS.ReadableStream, progress: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    docker.modem.followProgress(
      stream,
      error => (error ? reject(error) : resolve()),
      event => {
        const line = event?.stream ?? event?.status
        if (typeof line === 'string' && line.trim()) progress(line.trim())
      },
    ),
  )
}

export async function listImages(env: NodeJS.ProcessEnv): Promise<ImageInfo[]> {
  const images = await findEndpoint(env).docker.listImages()
  return images.flatMap(({ RepoTags, Id, Size, Created }) =>
    (RepoTags ?? []).flatMap(tag => {
      const template = /(?:^|\/)countersign-guest:([a-z0-9-]+)-[0-9a-f]{12}$/.exec(tag)?.[1]
      if (!template) return []
      const current = tag.endsWith(imageName(template))
      return [{ name: tag, template, digest: Id, bytes: Size, createdAt: Created * 1000, current }]
    }),
  )
}

export async function removeImage(env: NodeJS.ProcessEnv, name: string): Promise<void> {
  await findEndpoint(env).docker.getImage(name).remove()
}
