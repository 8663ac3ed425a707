import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
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

Exit: 0 nothing above low, 1 something was found, 2 wrong use.

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
    const guard = typeof jsonl === 'string' ? createGuard(settings) : await createGuardHere(settings)
    try {
      if (typeof jsonl !== 'string') return await files(args, guard, io)
      const input = jsonl === '-' ? io.stdin : createReadStream(absolute(jsonl, io))
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
  if (!Number.isInteger(parsed) || parsed < 1) throw new UsageError(`'${String(given)}' is no number of milliseconds.`)
  return parsed
}

async function files(args: Arguments, guard: Guard, io: Io): Promise<number> {
  if (args.positionals.length === 0) throw new UsageError('Name a file, or - for standard input.')
  const asJson = args.values.json === true
  const answers: unknown[] = []
  let found = false
  for (const name of args.positionals) {
    const bytes = name === '-' ? await all(io.stdin) : await bytesOf(name, io)
    const code = text(bytes)
    const language = languageOf(args.values.language, name, code)
    const inspection = await guard.inspect(code, language, io.signal)
    found ||= inspection.risk !== 'low'
    if (asJson) answers.push({ id: name, language, ...inspection })
    else io.stdout.write(report(name, code, inspection))
  }
  if (asJson) io.stdout.write(`${JSON.stringify(answers.length === 1 ? answers[0] : answers)}\n`)
  return found ? exit.failed : exit.success
}

/** Bytes that are no UTF-8 become U+FFFD, which the guard reports. */
const text = (bytes: Buffer): string => new TextDecoder('utf-8').decode(bytes)
const absolute = (path: string, io: Io): string => (isAbsolute(path) ? path : join(io.cwd, path))

async function bytesOf(name: string, io: Io): Promise<Buffer> {
  try {
    return await readFile(absolute(name, io))
  } catch (thrown) {
    throw new UsageError(`'${name}' cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

async function all(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
