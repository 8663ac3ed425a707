import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseJsonPolicy, parsePolicy, policySchema, policyVersion } from '../../../approval/approval.ts'
import { type Command, exit, type Io, UsageError } from '../command.ts'

export const command: Command = {
  help: `
Usage: countersign policy check FILE
       countersign policy schema

  check    says whether the file would be taken as a policy, and its version or what is wrong with it
  schema   prints the JSON Schema of a policy, for editors ("$schema" in policy.json)

'countersign doctor' says which policy is in force.
Exit: 0 success, 1 the file is no policy, 2 wrong use.
`,
  options: {},
  async run({ positionals: [action, file, ...more] }, io) {
    if (action === 'schema' && file === undefined) {
      io.stdout.write(`${JSON.stringify(policySchema(), null, 2)}\n`)
      return exit.success
    }
    if (action === 'check' && file !== undefined && more.length === 0) return check(file, io)
    throw new UsageError('say check FILE or schema')
  },
}

async function check(file: string, io: Io): Promise<number> {
  const text = await readFile(resolve(io.cwd, file), 'utf8').catch(error => {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
  })
  const parsed = file.endsWith('.json') ? parseJsonPolicy(text) : parsePolicy(text)
  if (parsed.ok) io.stdout.write(`${file}: a policy, version ${policyVersion(parsed.value)}\n`)
  else io.stderr.write(`${file}: ${parsed.problem.message}\n`)
  return parsed.ok ? exit.success : exit.failed
}
