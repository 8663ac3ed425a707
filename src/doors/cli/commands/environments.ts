import { resolve } from 'node:path'
import { type EnvironmentDetail, EnvironmentName, type EnvironmentView } from '../../../contract/environments.ts'
import { Failure, type Outcome } from '../../../contract/problem.ts'
import { visible } from '../../../contract/visible.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { withEngine } from '../open.ts'

export const command: Command = {
  help: `
Usage: countersign environments [list] [--json]
       countersign environments show NAME [--json]
       countersign environments add PATH [--name NAME] [--yes] [--json]
       countersign environments remove NAME

  list     the Python environments of this machine: those that can be used, and those that were found
  show     one of them with its packages, and the hash of their list
  add      names an environment for use: a folder made by venv, uv or conda, or an interpreter.
           Its interpreter is started outside the sandbox, so you are shown what it is and asked first
  remove   takes one out of use; nothing is deleted

  --name NAME  what it is called (default: like its folder)
  --yes        add it without being asked
  --json       one JSON document

Use one with: countersign run --env NAME FILE
Exit: 0 success, 1 it could not be done, 2 wrong use, 3 not confirmed.
`,
  options: { name: { type: 'string' }, yes: { type: 'boolean' }, json: { type: 'boolean' } },
  async run(args, io) {
    const [action = 'list', about, ...more] = args.positionals
    if (more.length > 0) throw new UsageError('put a name of several words in quotes')
    if (action === 'list' && about === undefined) return withEngine(io, engine => list(engine, args, io))
    if (action === 'show' && about !== undefined) return withEngine(io, engine => show(engine, about, args, io))
    if (action === 'add' && about !== undefined) return withEngine(io, engine => add(engine, about, args, io))
    if (action === 'remove' && about !== undefined) return withEngine(io, engine => remove(engine, about, io))
    throw new UsageError('say list, show NAME, add PATH or remove NAME')
  },
}

async function list({ environments, caller }: Engine, { values }: Arguments, io: Io): Promise<number> {
  const all = await environments.list(caller.tenant)
  if (values.json) io.stdout.write(`${JSON.stringify(all)}\n`)
  else for (const each of all) io.stdout.write(`${line(each)}\n`)
  return exit.success
}

const line = ({ name, kind, version, packages, state, why, python }: EnvironmentView): string => {
  const standing = state === 'ready' ? '' : state === 'found' ? '  (not added yet)' : `  (${visible(why ?? '')})`
  return `${visible(name).padEnd(20)} ${kind.padEnd(7)} ${version.padEnd(8)} ${String(packages).padStart(4)} packages  ${visible(python)}${standing}`
}

async function show({ environments, caller }: Engine, name: string, { values }: Arguments, io: Io): Promise<number> {
  const one = unwrapped(await environments.show(caller.tenant, name))
  if (values.json) io.stdout.write(`${JSON.stringify(one)}\n`)
  else {
    const { packages, ...rest } = one
    io.stdout.write(`${line({ ...rest, packages: packages.length })}\nSHA-256 of the list: ${one.digest}\n`)
    for (const each of packages) io.stdout.write(`  ${visible(each.name)} ${visible(each.version)}\n`)
  }
  return exit.success
}

async function add({ environments, caller }: Engine, path: string, { values }: Arguments, io: Io): Promise<number> {
  const found = unwrapped(await environments.inspect(resolve(io.cwd, path)))
  const name = EnvironmentName.safeParse(values.name ?? found.name)
  if (!name.success) throw new UsageError(name.error.issues[0]?.message ?? 'that is no name')
  const { program } = found
  if (!program) throw new Failure('settings.untrusted', found.why ?? 'It may not be used.', 'Choose another.')
  if (!(await isConfirmed(found, program, Boolean(values.yes), io))) return exit.refused
  const added = unwrapped(
    await environments.add(caller, { path: found.python, name: name.data, sha256: program.sha256 }),
  )
  io.stdout.write(
    values.json ? `${JSON.stringify(added)}\n` : `Added. Use it with: countersign run --env "${added.name}" FILE\n`,
  )
  return exit.success
}

async function isConfirmed(
  { python, version, packages }: EnvironmentDetail,
  { real, owner, sha256 }: NonNullable<EnvironmentDetail['program']>,
  yes: boolean,
  io: Io,
): Promise<boolean> {
  if (yes) return true
  io.stderr.write(
    `${visible(python)}\n  leads to   ${visible(real)}\n  belongs to ${owner}\n  version    ${version}, ${packages.length} packages\n  SHA-256    ${sha256}\nIt is started outside the sandbox, with your rights.\n`,
  )
  return confirmed(io, 'Add it?', false)
}

async function remove({ environments, caller }: Engine, name: string, io: Io): Promise<number> {
  unwrapped(await environments.remove(caller, name))
  io.stdout.write(`${visible(name)} is out of use.\n`)
  return exit.success
}

function unwrapped<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new Failure(outcome.problem.code, outcome.problem.message, outcome.problem.hint)
}
