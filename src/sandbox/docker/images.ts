import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type Docker from 'dockerode'
import { type BuildImage, type BuildStep, type ImageInfo, ImageSource } from '../../contract/images.ts'
import type { Template } from '../../contract/placement.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { PackageName } from '../../contract/templates.ts'
import { guestVersion, inside } from '../image/recipe.ts'
import { makeGuest } from '../image/rootfs.ts'
import type { ImageStore } from '../sandbox.ts'
import { type Endpoint, explain, findEndpoint } from './endpoint.ts'
import { contextOf, followed, giveSystem } from './system.ts'

/** `countersign-guest:TEMPLATE-VERSION`: another version of the guest is another image. */
export const imageName = (template: string): string => `countersign-guest:${template}-${guestVersion()}`

const imageLabels = {
  template: 'countersign.template',
  packages: 'countersign.packages',
  source: 'countersign.source',
} as const

/** The images of an engine. `changed` hears of every one that was made or removed. */
export function dockerImages(env: NodeJS.ProcessEnv, changed: () => void = () => undefined): ImageStore {
  return {
    list: () => told(env, async ({ docker }) => ok(await listImages(docker))),

    build: (request, progress, signal) =>
      told(
        env,
        async endpoint => {
          const built = await build(endpoint, request, progress, signal)
          changed()
          return built
        },
        signal,
      ),

    remove: name =>
      told(env, async ({ docker }) => {
        if (!nameOf(name)) return fail('not-found', `${name} is no image of ours.`, 'Look at the list of images.')
        await docker.getImage(name).remove()
        changed()
        return ok(undefined)
      }),
  }
}

/** Does something with the engine; whatever it says is told as a problem with a cure. */
async function told<T>(
  env: NodeJS.ProcessEnv,
  work: (endpoint: Endpoint) => Promise<Outcome<T>>,
  signal?: AbortSignal,
): Promise<Outcome<T>> {
  let name = 'the engine'
  try {
    const endpoint = findEndpoint(env)
    name = endpoint.name
    return await work(endpoint)
  } catch (error) {
    if (signal?.aborted) return fail('request.cancelled', 'Making the image was stopped.', 'Nothing was changed.')
    const { statusCode, code, message = String(error) } = error as { statusCode?: number; code?: string } & Error
    if (statusCode === 409)
      return fail(
        'conflict',
        'A sandbox that runs now is made from this image.',
        'End it first, then remove the image.',
      )
    if (/spawn mmdebstrap ENOENT/.test(message))
      return fail('sandbox.failed', 'mmdebstrap is not installed.', 'Install it, or use the packages of this machine.')
    if (statusCode === undefined && code === undefined && !/no space left/i.test(message))
      return fail(
        'sandbox.failed',
        `The image was not made: ${message.replace(/[.\s]+$/, '')}.`,
        'The lines of the log say more.',
      )
    const { message: sentence, hint } = explain(error, name)
    return fail('sandbox.failed', sentence, hint)
  }
}

async function build(
  endpoint: Endpoint,
  { template, packages, source, fresh }: BuildImage,
  progress: (step: BuildStep) => void,
  signal: AbortSignal,
): Promise<Outcome<ImageInfo>> {
  const bad = packages.find(name => !PackageName.safeParse(name).success)
  if (bad)
    return fail('request.invalid', `${bad} is not the name of a Debian package.`, 'Look it up: apt-cache search.')
  const { docker } = endpoint
  const folder = await mkdtemp(join(tmpdir(), 'countersign-image-'))
  try {
    await docker.ping()
    const system = await giveSystem({ docker, packages, source, fresh, folder, progress, signal })
    const guest = await makeGuest({ folder, signal, progress: line => progress({ line, done: 0.82 }) })
    progress({ line: 'handing the sandbox’s own programs to the engine', done: 0.88 })
    const labels = {
      [imageLabels.template]: template,
      [imageLabels.packages]: packages.join(' '),
      [imageLabels.source]: system.source,
    }
    // By its id: Podman would look for a name in a registry.
    const { Id } = await docker.getImage(system.name).inspect()
    await writeFile(join(folder, 'Dockerfile'), dockerfile(Id.replace('sha256:', '')))
    const options = { t: imageName(template), rm: true, networkmode: 'none', labels, abortSignal: signal }
    const stream = await docker.buildImage(contextOf(folder, ['Dockerfile', basename(guest)]), options)
    await followed(docker, stream, line => progress({ line, done: 0.94 }), signal)
    const built = (await listImages(docker)).find(image => image.current && image.template === template)
    if (!built) return fail('sandbox.failed', 'The engine does not show the image that it was given.', 'Try again.')
    progress({ line: `${built.name} ${built.digest}`, done: 1 })
    return ok(built)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Compiled by the image's own Python: its disk is read-only, so that each sandbox would compile everything again. Without
 * looking at times, which differ between engines.
 */
export const dockerfile = (system: string): string => `FROM ${system}
ADD guest.tar /
RUN ["${inside.python}", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "${inside.kernels}"]
`

const nameOf = (tag: string) => /(?:^|\/)countersign-guest:([a-z0-9-]+)-[0-9a-f]{12}$/.exec(tag)?.[1] ?? null

/** Those of this application, newest first. */
export async function listImages(docker: Docker): Promise<ImageInfo[]> {
  const images = await docker.listImages()
  const ours = images.flatMap(({ RepoTags, Id, Size, Created, Labels }) =>
    (RepoTags ?? []).flatMap(tag => {
      const template = nameOf(tag)
      if (!template) return []
      const source = ImageSource.safeParse(Labels?.[imageLabels.source])
      return [
        {
          ...{ kind: 'docker' as const, name: tag, template, digest: withAlgorithm(Id), bytes: Size },
          createdAt: Created * 1000,
          current: tag.endsWith(imageName(template)),
          source: source.success ? source.data : null,
          packages: (Labels?.[imageLabels.packages] ?? '').split(' ').filter(Boolean),
        },
      ]
    }),
  )
  return ours.sort((a, b) => b.createdAt - a.createdAt)
}

/** What sandboxes can be made from now, and the digests that each name stood for before. */
export async function templatesOf(docker: Docker): Promise<Template[]> {
  const all = await docker.listImages({ filters: { label: [imageLabels.template] } })
  const tagged = (await listImages(docker)).filter(image => image.current)
  return tagged.map(({ template, digest }) => ({
    template,
    digest,
    before: all
      .filter(({ Labels }) => Labels?.[imageLabels.template] === template)
      .map(({ Id }) => withAlgorithm(Id))
      .filter(id => id !== digest),
  }))
}

/** Podman leaves out what kind of digest it is. */
export const withAlgorithm = (id: string): string => (id.includes(':') ? id : `sha256:${id}`)
