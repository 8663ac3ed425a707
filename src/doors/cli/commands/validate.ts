import { open, readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'
import { languages } from '../../../contract/languages.ts'
import { createGuard, createGuardHere, type Guard } from '../../../guard/guard.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { languageOf } from './validate-language.ts'
import { report } from './validate-report.ts'

export const command: Command = {
  help: `
Usage: countersign validate FILE… [--language LANGUAGE] [--json]
       countersign validate - --language LANGUAGE [--json]
       countersign validate --jsonl FILE|- [--json]

Options:
  -l, --language   ${languages.join(', ')}; otherwise from the extension or the first line
      --json       one JSON document (an array for several files)
      --jsonl      reads {"id", "code", "language"} a line and answers one JSON object a line, in order;
                   a language that is not named is told from the code
      --limit      milliseconds for one program (5000); what takes longer is answered with risk high

Exit: 0 nothing above low, 1 something was found, 2 wrong use, or a file that cannot be read.

Examples:
  countersign validate report.py
  echo 'rm -rf out' | countersign validate - -l bash`,
  options: {
    language: { type: 'string', short: 'l' },
    json: { type: 'boolean' },
    jsonl: { type: 'string' },
    limit: { type: 'string' },
  },
  async run(args, io) {
    const settings = { timeLimitMs: limit(args) }
    const { jsonl } = args.values
    if (typeof jsonl === 'string' && args.positionals.length > 0)
      throw new UsageError('Name files or give --jsonl, not both: only one of them would be read.')
    const input = typeof jsonl === 'string' && jsonl !== '-' ? await stream(jsonl, io) : io.stdin
    const guard = typeof jsonl === 'string' ? createGuard(settings) : await createGuardHere(settings)
    try {
      if (typeof jsonl !== 'string') return await files(args, guard, io)
      const { validateLines } = await import('./validate-lines.ts')
      return await validateLines(input, guard, io)
    } finally {
      await guard.close()
    }
  },
}

function limit(args: Arguments): number {
  const given = args.values.limit
  if (given === undefined) return 5_000
  const parsed = Number(given)
  if (!Number.isInteger(parsed) || parsed < 1)
    throw new UsageError(`'${String(given)}' is not a number of milliseconds.`)
  return parsed
}

async function files(args: Arguments, guard: Guard, io: Io): Promise<number> {
  if (args.positionals.length === 0) throw new UsageError('Name a file, or - for standard input.')
  const asJson = args.values.json === true
  const answers: unknown[] = []
  let found = false
  let wrong = false
  for (const name of args.positionals) {
    const program = await programOf(name, args, io).catch(unlessAlone(args))
    if (program instanceof UsageError) {
      wrong = true
      if (asJson) answers.push({ id: name, error: { code: 'request.invalid', message: program.message } })
      else io.stderr.write(`countersign validate: ${program.message}\n`)
      continue
    }
    const { code, language } = program
    const inspection = await guard.inspect(code, language, io.signal)
    found ||= inspection.risk !== 'low'
    if (asJson) answers.push({ id: name, language, ...inspection })
    else io.stdout.write(report(name, code, inspection))
  }
  if (asJson) io.stdout.write(`${JSON.stringify(answers.length === 1 ? answers[0] : answers)}\n`)
  if (wrong) return exit.usage
  return found ? exit.failed : exit.success
}

async function programOf(name: string, args: Arguments, io: Io) {
  const code = text(name === '-' ? await all(io.stdin) : await bytesOf(name, io))
  return { code, language: languageOf(args.values.language, name, code) }
}

/** One file among many that cannot be read must not cost the answers about the others. */
const unlessAlone = (args: Arguments) => (thrown: unknown) => {
  if (thrown instanceof UsageError && args.positionals.length > 1) return thrown
  throw thrown
}

/** Opened before anything is read: a stream would fail later, where nobody could tell a wrong name from a bug. */
async function stream(name: string, io: Io): Promise<Readable> {
  try {
    const file = await open(absolute(name, io))
    if (!(await file.stat()).isDirectory()) return file.createReadStream()
    await file.close()
  } catch (thrown) {
    throw unreadable(name, thrown)
  }
  throw unreadable(name, 'it is a folder')
}

const unreadable = (name: string, thrown: unknown): UsageError =>
  new UsageError(`'${name}' cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)

/** Bytes that are no UTF-8 become U+FFFD, which the guard reports. */
const text = (bytes: Buffer): string => new TextDecoder('utf-8').decode(bytes)
const absolute = (path: string, io: Io): string => (isAbsolute(path) ? path : join(io.cwd, path))

async function bytesOf(name: string, io: Io): Promise<Buffer> {
  try {
    return await readFile(absolute(name, io))
  } catch (thrown) {
    throw unreadable(name, thrown)
  }
}

async function all(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
