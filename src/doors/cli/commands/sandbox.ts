import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BuildImage, type BuildStep } from '../../../contract/images.ts'
import type { Problem } from '../../../contract/problem.ts'
import { SandboxKind } from '../../../contract/run.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { imageLine, statusText } from './sandbox-status.ts'

export const command: Command = {
  help: `
Usage: countersign sandbox status [--json]
       countersign sandbox build [--kind docker|microvm] [--template NAME] [--with PACKAGE…] [--requirements FILE]
                                 [--from registry|debian|installed] [--fresh] [--json]
       countersign sandbox list [--json]
       countersign sandbox remove IMAGE [--kind KIND]

  status          the sandboxes that are open now, what is kept ready, and the images
  build           makes the image that containers are started from, and gives it to Docker or Podman; with
                  --kind microvm the kernel and the disk of virtual machines, in a folder of yours
  list            the images of the sandbox, with their digests
  remove          removes one

  --kind          docker (default) or microvm
  --template N    a name for an image with more packages (default: default). Paths are moved to it from the
                  badge of the window; the setting sandbox.template makes it the one for new paths
  --with P        a Debian package beside those of the recipe; may be given several times
  --requirements  a file with one Debian package a line
  --from          registry: Debian's base image, which the engine fetches and fills by itself
                  debian: fresh from Debian's archive, by mmdebstrap
                  installed: from the packages that are installed on this machine; needs no network
                  Without it the first of these that can be had, and it says which.
  --fresh         fetches Debian anew too, for security updates; else an earlier build's is used again

DOCKER_HOST and the contexts of the command 'docker' say which engine.
Exit: 0 success, 1 it failed, 2 wrong use.
`,
  options: {
    template: { type: 'string' },
    with: { type: 'string', multiple: true },
    requirements: { type: 'string' },
    from: { type: 'string' },
    fresh: { type: 'boolean' },
    kind: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ positionals: [action, ...rest], values }, io) {
    if (action === 'status' && rest.length === 0) return status(values, io)
    if (action === 'build' && rest.length === 0) return build(values, io)
    if (action === 'list' && rest.length === 0) return list(values, io)
    if (action === 'remove' && rest.length === 1) {
      const kind = kindOf(values)
      return withEngine(io, async engine => {
        const removed = await engine.sandboxes.removeImage(engine.caller, kind, rest[0] as string)
        return removed.ok ? exit.success : failed(removed.problem, io)
      })
    }
    throw new UsageError('say status, build, list or remove IMAGE')
  },
}

async function build(values: Arguments['values'], io: Io): Promise<number> {
  const { from, requirements, kind, template } = values as Record<string, string | undefined>
  const listed = requirements === undefined ? [] : packagesIn(await readFile(resolve(io.cwd, requirements), 'utf8'))
  const request = BuildImage.safeParse({
    kind,
    template,
    packages: [...((values.with ?? []) as string[]), ...listed],
    source: from ?? null,
    fresh: values.fresh === true,
  })
  if (!request.success) {
    const [issue] = request.error.issues
    throw new UsageError(`${optionOf(issue?.path[0])}: ${issue?.message}`)
  }
  return withEngine(io, async ({ sandboxes, caller }) => {
    const started = sandboxes.build(caller, request.data, progressOn(io))
    if (!started.ok) return failed(started.problem, io)
    io.signal.addEventListener('abort', () => void sandboxes.cancelBuild(caller), { once: true })
    const { image, problem } = await started.value.over
    if (problem) return failed(problem, io)
    if (image) io.stdout.write(values.json ? `${JSON.stringify(image)}\n` : `${imageLine(image)}\n`)
    return exit.success
  })
}

function kindOf(values: Arguments['values']): SandboxKind {
  const kind = SandboxKind.safeParse(values.kind ?? 'docker')
  if (!kind.success) throw new UsageError(`--kind: ${kind.error.issues[0]?.message}`)
  return kind.data
}

const optionOf = (field: unknown) =>
  ({ packages: '--with', source: '--from', template: '--template', kind: '--kind' })[String(field)] ?? String(field)

/** A line for each step; in a terminal a bar that stays below them. */
function progressOn({ stderr }: Io): (step: BuildStep) => void {
  const started = performance.now()
  const isTerminal = 'isTTY' in stderr && stderr.isTTY === true
  let done = 0
  return step => {
    done = Math.max(done, step.done)
    const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4)
    const filled = Math.round(done * 30)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${Math.round(done * 100)} %`
    const line = `${seconds} s  ${step.line.slice(0, 160)}`
    stderr.write(isTerminal ? `\r\x1b[K${line}\n${bar}${done === 1 ? '\n' : ''}` : `${line}\n`)
  }
}

async function list(values: Arguments['values'], io: Io): Promise<number> {
  return withEngine(io, async ({ sandboxes }) => {
    const all = await sandboxes.images()
    const images = all.flatMap(each => each.images)
    const problem = all.find(each => each.problem)?.problem
    if (images.length === 0 && problem) return failed(problem, io)
    if (values.json) io.stdout.write(`${JSON.stringify(images)}\n`)
    else if (images.length === 0) io.stdout.write('There is no image yet. Make one: countersign sandbox build\n')
    else for (const image of images) io.stdout.write(`${imageLine(image)}\n`)
    return exit.success
  })
}

async function status(values: Arguments['values'], io: Io): Promise<number> {
  return withEngine(io, async ({ sandboxes, caller }) => {
    const overview = await sandboxes.overview(caller)
    const images = await sandboxes.images()
    io.stdout.write(values.json ? `${JSON.stringify({ ...overview, images })}\n` : statusText(overview, images))
    return exit.success
  })
}

function failed(problem: Problem, io: Io): number {
  io.stderr.write(`countersign: ${problem.message} ${problem.hint}\n`)
  return exit.failed
}

const packagesIn = (text: string): string[] =>
  text.split('\n').flatMap(line => {
    const name = line.replace(/#.*/, '').trim()
    return name ? [name] : []
  })
