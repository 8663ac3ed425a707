import type { CloudPreview, CloudState } from '../../../contract/cloud.ts'
import { Failure, type Outcome } from '../../../contract/problem.ts'
import { visible } from '../../../contract/visible.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { withEngine } from '../open.ts'
import { pathHelp, pathNamed } from '../path-argument.ts'

export const command: Command = {
  help: `
Usage: countersign cloud [list] [--json]
       countersign cloud show PATH [--json]
       countersign cloud allow PATH [--yes] [--json]
       countersign cloud withdraw PATH [--json]

  list      the service, whether it can be used, what it was used for this month, and the paths that may go there
  show      what of a path would leave if its code ran there now, and whether it may; nothing leaves
  allow     lets a path go there, after you were shown what would leave. Its code is moved there when you choose the
            cloud for it, never by itself
  withdraw  takes that back, and ends what the path has there

  --yes   allow it without being asked
  --json  one JSON document

${pathHelp}
Exit: 0 success, 1 it could not be done, 2 wrong use, 3 not confirmed, 4 the service cannot be used.
`,
  options: { yes: { type: 'boolean' }, json: { type: 'boolean' } },
  async run(args, io) {
    const [action = 'list', about, ...more] = args.positionals
    if (more.length > 0) throw new UsageError('put a title of several words in quotes')
    if (action === 'list' && about === undefined) return withEngine(io, engine => list(engine, args, io))
    if (action === 'show' && about !== undefined) return withEngine(io, engine => show(engine, about, args, io))
    if (action === 'allow' && about !== undefined) return withEngine(io, engine => allow(engine, about, args, io))
    if (action === 'withdraw' && about !== undefined) return withEngine(io, engine => withdraw(engine, about, args, io))
    throw new UsageError('say list, show PATH, allow PATH or withdraw PATH')
  },
}

const keyWords: Record<CloudState['key'], string> = {
  environment: 'from the environment',
  stored: 'in the key store',
  none: 'none is set',
}

async function list({ cloud, caller }: Engine, { values }: Arguments, io: Io): Promise<number> {
  const state = await cloud.state(caller)
  if (values.json) return json(io, state)
  const { service, key, allowedByPolicy, figures, consents } = state
  const { seconds, sandboxes, limits, warnings, month } = figures
  const hours = (value: number): string => (value / 3600).toFixed(1)
  io.stdout.write(
    [
      `Service    ${visible(service)}`,
      `Key        ${keyWords[key]}`,
      `Policy     ${allowedByPolicy ? 'lets paths go there' : 'lets no path go there'}`,
      `In ${month} ${hours(seconds)} of ${hours(limits.seconds)} hours, ${sandboxes} of ${limits.sandboxes} sandboxes`,
      ...warnings,
      ...(consents.length === 0 ? ['No path may go there.'] : ['Paths that may go there:']),
      ...consents.map(
        ({ path, title, name, givenAt }) => `  ${path}  ${visible(title)}/${visible(name)}  since ${when(givenAt)}`,
      ),
      '',
    ].join('\n'),
  )
  return exit.success
}

async function show(engine: Engine, about: string, { values }: Arguments, io: Io): Promise<number> {
  const { path } = await pathNamed(engine, about)
  const preview = unwrapped(await engine.cloud.preview(engine.caller, path.id))
  if (values.json) return json(io, preview)
  const { consent } = preview
  const standing = consent ? `It may go there, since ${when(consent.givenAt)}.` : 'It may not go there.'
  io.stdout.write(`${leaving(preview)}${standing}\n`)
  return exit.success
}

async function allow(engine: Engine, about: string, { values }: Arguments, io: Io): Promise<number> {
  const { path } = await pathNamed(engine, about)
  const preview = unwrapped(await engine.cloud.preview(engine.caller, path.id))
  // Also with --yes: whoever allows something can read afterwards what it was.
  io.stderr.write(leaving(preview))
  // Before anybody is asked in vain. Asked again by the engine, a key that came meanwhile would make it a yes unasked.
  if (preview.missing !== null)
    throw new Failure('sandbox.unavailable', preview.missing, 'The path stays on this machine.')
  if (!(await confirmed(io, `Let this path go to ${visible(preview.service)}?`, Boolean(values.yes))))
    return exit.refused
  const consent = unwrapped(await engine.cloud.allow(engine.caller, path.id))
  if (values.json) return json(io, consent)
  io.stdout.write(
    `This path may go to ${visible(consent.service)}. Take it back with: countersign cloud withdraw ${path.id}\n`,
  )
  return exit.success
}

async function withdraw(engine: Engine, about: string, { values }: Arguments, io: Io): Promise<number> {
  const { path } = await pathNamed(engine, about)
  unwrapped(await engine.cloud.revoke(engine.caller, path.id))
  if (values.json) return json(io, unwrapped(await engine.cloud.preview(engine.caller, path.id)))
  io.stdout.write('This path stays on this machine.\n')
  return exit.success
}

const modeWords: Record<CloudPreview['mode'], string> = {
  enforce: 'tokens leave in their place',
  report: 'they would leave as they are, and are counted',
  off: 'nothing is checked: they would leave as they are',
}

function leaving({ service, missing, cells, files, fileCount, fileBytes, found, mode, example }: CloudPreview): string {
  const types = Object.entries(found).map(([type, count]) => `${count} ${type}`)
  const more = fileCount - files.length
  const lines = [
    `To ${visible(service)} would leave:`,
    `  ${cells} ${cells === 1 ? 'cell' : 'cells'} with code, ${fileCount} ${fileCount === 1 ? 'file' : 'files'} (${fileBytes} bytes)`,
    ...files.map(
      ({ path, bytes, isText }) =>
        `    ${visible(path)} (${bytes} bytes${isText ? '' : '; cannot be checked, so it is not sent'})`,
    ),
    ...(more > 0 ? [`    and ${more} more`] : []),
    `  Private data in the code: ${types.length === 0 ? 'none found' : `${types.join(', ')}; ${modeWords[mode]}`}`,
    ...(example
      ? ['  A piece of it, as it would leave:', ...example.split('\n').map(line => `    ${visible(line)}`)]
      : []),
    ...(missing ? [visible(missing)] : []),
  ]
  return `${lines.join('\n')}\n`
}

const when = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

function json(io: Io, value: unknown): number {
  io.stdout.write(`${JSON.stringify(value)}\n`)
  return exit.success
}

function unwrapped<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new Failure(outcome.problem.code, outcome.problem.message, outcome.problem.hint)
}
