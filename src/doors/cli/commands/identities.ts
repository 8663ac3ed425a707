import { Failure, type Outcome } from '../../../contract/problem.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { askPassphrase } from '../secret.ts'
import { passphraseFile, personNamed, signingAs } from '../signing.ts'

export const command: Command = {
  help: `
Usage: countersign identities [list] [--json]
       countersign identities add NAME [--passphrase-file FILE]
       countersign identities vouch NAME --as NAME [--passphrase-file FILE]
       countersign identities withdraw NAME --as NAME [--passphrase-file FILE]

  list     who can sign, with what, and who vouched for them
  add      makes an identity with a passphrase of its own
  vouch    signs, as the identity after --as, that you know whose identity NAME is; it goes on the record
  withdraw takes that back, by a signature too: from now on nothing that NAME decides counts by it

Where the policy wants four eyes, an approval counts only by an identity with a passphrase for which somebody else has
vouched, who also has a passphrase and wrote no part of the code.

  --as NAME                who vouches, or withdraws
  --passphrase-file FILE   the passphrase is the first line of this file; without it you are asked
  --json                   one JSON document

Exit: 0 success, 1 it could not be done, 2 wrong use, 3 refused.
`,
  options: { as: { type: 'string' }, 'passphrase-file': { type: 'string' }, json: { type: 'boolean' } },
  async run(args, io) {
    const [action = 'list', name, ...more] = args.positionals
    if (more.length > 0) throw new UsageError('put a name of several words in quotes')
    if (action === 'list' && name === undefined) return withEngine(io, engine => list(engine, args, io))
    if (action === 'add' && name !== undefined) return withEngine(io, engine => add(engine, name, args, io))
    if ((action === 'vouch' || action === 'withdraw') && name !== undefined)
      return withEngine(io, engine => speak(engine, action, name, args, io))
    throw new UsageError('say list, add NAME, vouch NAME --as NAME or withdraw NAME --as NAME')
  },
}

async function list({ approval, caller }: Engine, args: Arguments, io: Io): Promise<number> {
  const people = await approval.identities.list(caller.tenant)
  const names = new Map(people.map(({ id, name }) => [id, name]))
  if (args.values.json) io.stdout.write(`${JSON.stringify(people)}\n`)
  else {
    for (const { name, protected: isProtected, vouches } of people) {
      const by = vouches.map(each => names.get(each.by) ?? each.by)
      const vouched = by.length === 0 ? 'nobody has vouched for them' : `vouched for by ${by.join(', ')}`
      io.stdout.write(`${name}: ${isProtected ? 'passphrase' : 'no passphrase'}; ${vouched}\n`)
    }
  }
  return exit.success
}

async function add({ approval, caller }: Engine, name: string, args: Arguments, io: Io): Promise<number> {
  const passphrase = await askPassphrase(
    io,
    passphraseFile(args.values),
    `A passphrase for ${name}, at least 8 characters: `,
  )
  const made = unwrapped(await approval.identities.create(caller.tenant, { name, passphrase }, caller.user))
  answer(args, io, made, `${made.name} can sign now. Nobody has vouched for them yet.`)
  return exit.success
}

const done = { vouch: 'has vouched for', withdraw: 'has withdrawn the vouch for' } as const

/** Signs as one identity about another: vouches for it, or takes that back. */
async function speak(
  engine: Engine,
  action: keyof typeof done,
  name: string,
  args: Arguments,
  io: Io,
): Promise<number> {
  const { as } = args.values
  if (typeof as !== 'string') throw new UsageError(`say who ${action === 'vouch' ? 'vouches' : 'withdraws'}: --as NAME`)
  const { identities } = engine.approval
  const about = personNamed(await identities.list(engine.caller.tenant), name)
  return signingAs(engine, as, args, io, async reviewer => {
    const said = await identities[action](reviewer, about.id)
    if (!said.ok) {
      io.stderr.write(`countersign: ${said.problem.message} ${said.problem.hint}\n`)
      return exit.refused
    }
    const text = `${reviewer.identity.name} ${done[action]} ${about.name}. It is on the record.`
    answer(args, io, said.value, text)
    return exit.success
  })
}

function unwrapped<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new Failure(outcome.problem.code, outcome.problem.message, outcome.problem.hint)
}

function answer(args: Arguments, io: Io, value: unknown, text: string): void {
  io.stdout.write(args.values.json ? `${JSON.stringify(value)}\n` : `${text}\n`)
}
