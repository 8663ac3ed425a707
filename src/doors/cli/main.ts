import { parseArgs } from 'node:util'
import { problemOf } from '../../contract/problem.ts'
import { version } from '../../version.ts'
import { type Command, exit, type Io, UsageError } from './command.ts'

/** The commands there are. Each loads only what it needs, so that a quick one stays quick. */
const commands: Record<string, () => Promise<{ command: Command }>> = {
  run: () => import('./commands/run.ts'),
  serve: () => import('./commands/serve.ts'),
  scan: () => import('./commands/scan.ts'),
  redact: () => import('./commands/redact.ts'),
  doctor: () => import('./commands/doctor.ts'),
  validate: () => import('./commands/validate.ts'),
  rules: () => import('./commands/rules.ts'),
  audit: () => import('./commands/audit.ts'),
  report: () => import('./commands/report.ts'),
}

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  const print = (text: string) => io.stdout.write(text)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    print(await overview())
    return name === undefined ? exit.usage : exit.success
  }
  if (name === '--version' || name === '-v') {
    print(`countersign ${version}\n`)
    return exit.success
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) {
    io.stderr.write(`countersign: there is no command '${name}'.\n\n${await overview()}`)
    return exit.usage
  }
  const { command } = await load()
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true, strict: true })
    if (values.help) {
      print(`${command.summary}\n\n${command.help.trim()}\n`)
      return exit.success
    }
    return await command.run({ values, positionals }, io)
  } catch (error) {
    if (error instanceof UsageError || isParseError(error)) {
      io.stderr.write(`countersign ${name}: ${error.message}\nSee 'countersign ${name} --help'.\n`)
      return exit.usage
    }
    const { code, message, hint } = problemOf(error)
    io.stderr.write(`countersign ${name}: ${message}\n${hint} (${code})\n`)
    if (code === 'internal.bug' && error instanceof Error) io.stderr.write(`${error.stack}\n`)
    return code.startsWith('sandbox.') || code === 'report.no-printer' ? exit.unavailable : exit.failed
  }
}

async function overview(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => `  ${name.padEnd(10)} ${(await load()).command.summary}`),
  )
  return `Countersign: a notebook for regulated calculations.

Usage: countersign COMMAND [options]

${rows.join('\n')}

  --version  the version
  --help     this; 'countersign COMMAND --help' tells more

Data lives in COUNTERSIGN_HOME (default: the platform's folder for application data).
Exit: 0 success, 1 the code failed or a finding was made, 2 wrong use, 3 refused, 4 back end unavailable.
`
}

const isParseError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
