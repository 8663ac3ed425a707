import { version } from '../../version.ts'
import { type Command, exit, type Io, UsageError } from './command.ts'

// An import would load all that this module can ever offer, streams and threads among it, before the first command.
const { parseArgs } = process.getBuiltinModule('node:util')

/** The commands there are. Each loads only what it needs, and the overview loads none, so that a quick one stays quick. */
const commands: Record<string, { summary: string; load: () => Promise<{ command: Command }> }> = {
  run: {
    summary: 'Check a program, have it approved where it must be, run it in a sandbox',
    load: () => import('./commands/run.ts'),
  },
  ask: {
    summary: 'Ask a model, which may run code in a sandbox to answer',
    load: () => import('./commands/ask.ts'),
  },
  serve: {
    summary: 'Open the application in a browser on this machine',
    load: () => import('./commands/serve.ts'),
  },
  link: {
    summary: 'Print a new link to the application that is being served',
    load: () => import('./commands/link.ts'),
  },
  mcp: {
    summary: 'Let other assistants run code here; add and try MCP servers',
    load: () => import('./commands/mcp.ts'),
  },
  analyses: {
    summary: 'Regulated calculations: list, show, run, check',
    load: () => import('./commands/analyses.ts'),
  },
  grants: {
    summary: 'What later runs of a path may reach: list, grant, take back',
    load: () => import('./commands/grants.ts'),
  },
  feeds: {
    summary: 'Official sources of figures: list, fetch into the files of a path',
    load: () => import('./commands/feeds.ts'),
  },
  scan: {
    summary: 'Find private data in a text: identifiers, keys, names',
    load: () => import('./commands/scan.ts'),
  },
  redact: {
    summary: 'Replace private data in a text by tokens, and put it back',
    load: () => import('./commands/redact.ts'),
  },
  doctor: {
    summary: 'Say what is installed here, what is not, why, and how to get it',
    load: () => import('./commands/doctor.ts'),
  },
  validate: {
    summary: 'Say what code would do, without running it',
    load: () => import('./commands/validate.ts'),
  },
  policy: {
    summary: 'Check a policy file, or print the schema of one',
    load: () => import('./commands/policy.ts'),
  },
  rules: {
    summary: 'List the rules of the guard',
    load: () => import('./commands/rules.ts'),
  },
  identities: {
    summary: 'List who can sign, add somebody, vouch for somebody or withdraw that',
    load: () => import('./commands/identities.ts'),
  },
  sandbox: {
    summary: 'Make and list the images that containers are started from',
    load: () => import('./commands/sandbox.ts'),
  },
  cloud: {
    summary: 'Which paths may run in the cloud: list, show what would leave, allow, withdraw',
    load: () => import('./commands/cloud.ts'),
  },
  environments: {
    summary: 'Python environments: list, show, add, remove',
    load: () => import('./commands/environments.ts'),
  },
  workflow: {
    summary: 'Run a graph of tasks that survives a crash and undoes itself',
    load: () => import('./commands/workflow.ts'),
  },
  audit: {
    summary: 'Verify, search and export the audit record',
    load: () => import('./commands/audit.ts'),
  },
  figures: {
    summary: 'List pinned figures, compare them across paths, say where one comes from',
    load: () => import('./commands/figures.ts'),
  },
  report: {
    summary: 'Write a report: of the audit record, or of the figures of a path',
    load: () => import('./commands/report.ts'),
  },
}

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  const print = (text: string) => io.stdout.write(text)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    print(overview())
    return name === undefined ? exit.usage : exit.success
  }
  if (name === '--version' || name === '-v') {
    print(`countersign ${version}\n`)
    return exit.success
  }
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!known) {
    io.stderr.write(`countersign: there is no command '${name}'.\n\n${overview()}`)
    return exit.usage
  }
  const { command } = await known.load()
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true, strict: true })
    if (values.help) {
      print(`${known.summary}\n\n${command.help.trim()}\n`)
      return exit.success
    }
    return await command.run({ values, positionals }, io)
  } catch (error) {
    if (error instanceof UsageError || isParseError(error)) {
      io.stderr.write(`countersign ${name}: ${error.message}\nSee 'countersign ${name} --help'.\n`)
      return exit.usage
    }
    const { problemOf } = await import('../../contract/problem.ts')
    const { code, message, hint } = problemOf(error)
    io.stderr.write(`countersign ${name}: ${message}\n${hint} (${code})\n`)
    if (code === 'internal.bug' && error instanceof Error) io.stderr.write(`${error.stack}\n`)
    return code.startsWith('sandbox.') || code === 'report.no-printer'
      ? exit.unavailable
      : (command.failed ?? exit.failed)
  }
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
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
