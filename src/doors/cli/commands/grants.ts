import type { PathId } from '../../../contract/ids.ts'
import { forPath, forRun, grantWords, type PathGrant } from '../../../contract/network.ts'
import { Failure } from '../../../contract/problem.ts'
import type { Engine } from '../../../engine/engine.ts'
import { canonicalGrants } from '../../../network/network.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { pathHelp, pathNamed } from '../path-argument.ts'
import { follow, settle } from './run.ts'

export const command: Command = {
  help: `
Usage: countersign grants [list] PATH [--json]
       countersign grants grant PATH HOST … [--approve] [--reason TEXT] [--json]
       countersign grants take-back PATH HOST …|--all [--json]

  list       what every later run of a path may reach, and until when
  grant      asks for hosts as a run would, and needs an approval like any grant; holds for a day, or until it is taken
             back. The run that asks for them does nothing
  take-back  ends grants, for later runs and for one under way in this process; goes on the record

HOST is api.example.org, api.example.org:8443, http://…, or tcp://…:5432.
${pathHelp}

  --approve      approve it yourself if it needs approval: signed and recorded like any decision,
                 and refused where the policy wants another reviewer
  --reason TEXT  why you approve it, where the policy wants to know
  --all          take back every grant of the path
  --json         one JSON document: the grants of the path after the command

Exit: 0 success, 1 it was not approved or there is nothing of that kind to take back, 2 wrong use, 4 no sandbox available.
`,
  options: {
    approve: { type: 'boolean' },
    reason: { type: 'string' },
    all: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  async run({ values, positionals }, io) {
    const [action, name, hosts] = wordsOf(positionals)
    const rules = rulesOf(hosts)
    if (action === 'list' && rules.length > 0) throw new UsageError('list takes no hosts')
    if (action === 'grant' && rules.length === 0) throw new UsageError('say which hosts')
    if (action === 'take-back' && rules.length > 0 === Boolean(values.all))
      throw new UsageError('say which hosts to take back, or --all')
    return withEngine(io, async engine => {
      const { conversation, path } = await pathNamed(engine, name)
      const ref = { tenant: engine.caller.tenant, conversation: conversation.id, path: path.id }
      if (action === 'grant') await grant(engine, ref.path, rules, io, values)
      const before = await engine.network.grants(ref)
      if (action !== 'take-back') return show(before, io, values)
      const taken = values.all ? before : before.filter(({ rule }) => rules.includes(rule))
      const keep = before.filter(each => !taken.includes(each)).map(({ rule }) => rule)
      if (taken.length === 0) throw new Failure('not-found', 'The path has no such grant.', '`list` shows what it has.')
      await engine.network.narrow(engine.caller, ref, keep)
      return show(await engine.network.grants(ref), io, values)
    })
  },
}

type Action = 'list' | 'grant' | 'take-back'
const actions: readonly string[] = ['list', 'grant', 'take-back'] satisfies Action[]

function wordsOf([first = '', ...more]: readonly string[]): [Action, string, readonly string[]] {
  const [action, name, ...hosts] = actions.includes(first) ? [first, ...more] : ['list', first, ...more]
  if (!name) throw new UsageError(`name a path. ${pathHelp}`)
  return [action as Action, name, hosts]
}

function rulesOf(hosts: readonly string[]): string[] {
  const rules = canonicalGrants(hosts)
  if (!rules.ok) throw new UsageError(`${rules.problem.message} ${rules.problem.hint}`)
  return rules.value.map(forRun)
}

/** A grant of a path is a signed decision about a run. This one asks for the hosts and leaves them alone. */
const askingOnly = '# Asks for what later runs of this path may reach, and does nothing itself.\n'

async function grant(
  engine: Engine,
  path: PathId,
  rules: readonly string[],
  io: Io,
  values: Arguments['values'],
): Promise<void> {
  const run = follow(engine, path, () => undefined)
  try {
    const request = { path, cell: null, language: 'python' as const, code: askingOnly, network: rules.map(forPath) }
    const started = await engine.runs.start(engine.caller, request, { signal: io.signal })
    if (!started.ok) throw new Failure(started.problem.code, started.problem.message, started.problem.hint)
    const waits = await started.value.rest
    const refusal = waits.state === 'waiting' ? await settle(engine, waits, io, values) : waits.problem
    const why = refusal ?? (waits.state === 'waiting' ? (await run.over).problem : null)
    if (why) throw new Failure(why.code, why.message, why.hint)
  } finally {
    run.stop()
  }
}

function show(grants: readonly PathGrant[], io: Io, { json }: Arguments['values']): number {
  if (json) io.stdout.write(`${JSON.stringify(grants.map(({ rule, until }) => ({ rule, until })))}\n`)
  else if (grants.length === 0)
    io.stdout.write('Nothing: runs of this path reach no host without a grant of their own.\n')
  for (const { rule, until } of json ? [] : grants) {
    io.stdout.write(`${rule}  until ${new Date(until).toISOString()}\n  ${grantWords(rule)}\n`)
  }
  return exit.success
}
