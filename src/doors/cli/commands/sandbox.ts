import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buildImage, listImages, removeImage } from '../../../sandbox/docker/docker.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'

export const command: Command = {
  help: `
Usage: countersign sandbox build [--template NAME] [--with PACKAGE…] [--requirements FILE] [--from debian|installed]
       countersign sandbox list [--json]
       countersign sandbox remove IMAGE

  build           makes the image that containers are started from, and gives it to Docker or Podman
  list            the images of the sandbox, with their digests
  remove          removes one

  --template N    a name for an image with more packages (default: default)
  --with P        a Debian package beside those of the recipe; may be given several times
  --requirements  a file with one Debian package a line
  --from          debian: fresh from Debian's archive, by mmdebstrap (default where it is installed)
                  installed: from the packages that are installed on this machine; needs no network

DOCKER_HOST and the contexts of the command 'docker' say which engine.
Exit: 0 success, 1 it failed, 2 wrong use.
`,
  options: {
    template: { type: 'string' },
    with: { type: 'string', multiple: true },
    requirements: { type: 'string' },
    from: { type: 'string' },
    kind: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ positionals: [action, ...rest], values }, io) {
    if (action === 'build' && rest.length === 0) return build(values, io)
    if (action === 'list' && rest.length === 0) return list(values, io)
    if (action === 'remove' && rest.length === 1) {
      await removeImage(io.env, rest[0] as string)
      return exit.success
    }
    throw new UsageError('say build, list or remove IMAGE')
  },
}

async function build(values: Arguments['values'], io: Io): Promise<number> {
  const { from, template = 'default', requirements } = values as Record<string, string | undefined>
  if (from !== undefined && from !== 'debian' && from !== 'installed')
    throw new UsageError('--from is debian or installed')
  const listed = requirements === undefined ? [] : packagesIn(await readFile(resolve(io.cwd, requirements), 'utf8'))
  const packages = [...((values.with ?? []) as string[]), ...listed]
  const started = Date.now()
  const progress = (line: string) =>
    io.stderr.write(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${line.slice(0, 160)}\n`)
  const built = await buildImage({
    env: io.env,
    template,
    packages,
    progress,
    signal: io.signal,
    ...(from ? { source: from } : {}),
  })
  if (!built.ok) {
    io.stderr.write(`countersign: ${built.problem.message} ${built.problem.hint}\n`)
    return exit.failed
  }
  const { name, digest, bytes } = built.value
  if (values.json) io.stdout.write(`${JSON.stringify(built.value)}\n`)
  else io.stdout.write(`${name}  ${digest}  ${(bytes / 1e6).toFixed(0)} MB\n`)
  return exit.success
}

async function list(values: Arguments['values'], io: Io): Promise<number> {
  const images = await listImages(io.env)
  if (values.json) io.stdout.write(`${JSON.stringify(images)}\n`)
  else if (images.length === 0) io.stdout.write('There is no image yet. Make one: countersign sandbox build\n')
  for (const { name, digest, bytes, current } of values.json ? [] : images)
    io.stdout.write(
      `${name}  ${digest.slice(7, 19)}  ${(bytes / 1e6).toFixed(0)} MB${current ? '' : '  (of another version)'}\n`,
    )
  return exit.success
}

const packagesIn = (text: string): string[] =>
  text.split('\n').flatMap(line => {
    const name = line.replace(/#.*/, '').trim()
    return name ? [name] : []
  })
