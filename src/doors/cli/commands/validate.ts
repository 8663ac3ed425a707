import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { Language, languages } from '../../../contract/run.ts'
import { createGuard, type Guard } from '../../../guard/guard.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { report } from './validate-report.ts'

export const command: Command = {
  summary: 'Says what code would do, without running it',
  help: `
Usage: countersign validate FILE… [--language LANGUAGE] [--json]
       countersign validate - --language LANGUAGE [--json]
       countersign validate --jsonl FILE|- [--json]

Options:
  -l, --language   ${languages.join(', ')}; otherwise from the extension or the first line
      --json       one JSON document (an array for several files)
      --jsonl      reads {"id", "code", "language"} a line and answers one JSON object a line, in order
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
    const guard = createGuard({ timeLimitMs: limit(args) })
    try {
      return typeof args.values.jsonl === 'string'
        ? await lineByLine(args.values.jsonl, guard, io)
        : await files(args, guard, io)
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

const Row = z.object({ id: z.json().optional(), code: z.string(), language: z.string() })

/** One answer per line, in order; a line that cannot be read is answered too, so that nothing shifts. */
async function lineByLine(source: string, guard: Guard, io: Io): Promise<number> {
  const input = source === '-' ? io.stdin : (await import('node:fs')).createReadStream(absolute(source, io))
  let found = false
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const row = parseRow(line)
    if ('problem' in row) {
      found = true
      io.stdout.write(`${JSON.stringify({ id: row.id, error: row.problem })}\n`)
      continue
    }
    const inspection = await guard.inspect(row.code, row.language, io.signal)
    found ||= inspection.risk !== 'low'
    if (!io.stdout.write(`${JSON.stringify({ id: row.id, ...inspection })}\n`)) {
      await new Promise(resolve => io.stdout.once('drain', resolve))
    }
  }
  return found ? exit.failed : exit.success
}

type ParsedRow =
  | { id: unknown; code: string; language: Language }
  | { id: unknown; problem: { code: string; message: string } }

function parseRow(line: string): ParsedRow {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return { id: null, problem: { code: 'request.invalid', message: 'The line is no JSON.' } }
  }
  const parsed = Row.safeParse(json)
  const id = (typeof json === 'object' && json !== null && 'id' in json ? json.id : null) ?? null
  if (!parsed.success) return { id, problem: { code: 'request.invalid', message: z.prettifyError(parsed.error) } }
  const language = named(parsed.data.language)
  if (language === null)
    return { id, problem: { code: 'request.invalid', message: `There is no language '${parsed.data.language}'.` } }
  return { id, code: parsed.data.code, language }
}

const spellings: Readonly<Record<string, Language>> = {
  py: 'python',
  python3: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  node: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  deno: 'typescript',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  dash: 'bash',
  ksh: 'bash',
}

function named(name: string): Language | null {
  const plain = name.toLowerCase()
  const known = Language.safeParse(plain)
  return known.success ? known.data : (spellings[plain] ?? null)
}

function languageOf(given: unknown, file: string, code: string): Language {
  if (typeof given === 'string') {
    const language = named(given)
    if (language === null) throw new UsageError(`There is no language '${given}'; there are ${languages.join(', ')}.`)
    return language
  }
  const fromName = named(/\.(\w+)$/.exec(file)?.[1] ?? '')
  if (fromName !== null) return fromName
  const interpreter = /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?(?:\S+=\S+\s+)*)?([\w]+?)[\d.]*(?:\s|$)/.exec(code)?.[1] ?? ''
  const fromFirstLine = named(interpreter.split('/').at(-1) ?? '')
  if (fromFirstLine !== null) return fromFirstLine
  throw new UsageError(`The language of '${file}' is not known; name it with --language.`)
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
