import { z } from 'zod'
import type { Finding } from '../../../contract/privacy.ts'
import {
  type AskNames,
  type Decided,
  defaultScanner,
  inCodePoints,
  NamesStream,
  namesInTexts,
  resolve,
  StreamScanner,
  scanText,
} from '../../../privacy/privacy.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { jsonOf, readLines, readText, write } from './input.ts'
import { namesHelp, namesOptions, openNames } from './names.ts'

export const command: Command = {
  help: `
Usage: countersign scan FILE          list what is found in a file
       countersign scan -             … in standard input
       countersign scan --json FILE   one JSON document: { id, spans: [{ start, end, type, rule, score }] }
       countersign scan --jsonl -     one { id, text } a line in, one { id, spans } a line out, in order
                                      (content or input will do for text)

  --json                print JSON; with --jsonl this is always so
  --jsonl               read lines of JSON
  --code-points         count start and end in code points (as Python does); without it they count UTF-16 units
                        (as JavaScript and Java do). The end is the first place after the value
  --min-score N         leave out findings below N (0 to 1; default 0.5)
${namesHelp(24)}

A file is read as a stream, so that its size does not matter. Tables are read by the names of their columns as well, at
the beginning and further down.
A line that cannot be read is answered with { id, error } in its place, and the next one is read.
Exit: 0 nothing found, 1 something found, 2 wrong use, or a file or line that could not be read.
docs/privacy-detectors.md lists the types.
`,
  failed: exit.usage,
  options: {
    json: { type: 'boolean' },
    jsonl: { type: 'boolean' },
    'code-points': { type: 'boolean' },
    'min-score': { type: 'string' },
    ...namesOptions,
  },
  async run(args, io) {
    const wanted = parseArguments(args)
    const model = await openNames(args, io)
    const scan = wanted.jsonl ? scanLines : wanted.json ? scanToJson : scanToList
    try {
      return await scan(wanted, io, model && atLeast(wanted.least, model.ask))
    } finally {
      await model?.close()
    }
  },
}

interface Wanted {
  readonly file: string
  readonly json: boolean
  readonly jsonl: boolean
  readonly codePoints: boolean
  readonly least: number
}

function parseArguments({ values, positionals }: Arguments): Wanted {
  const [file = '-', ...more] = positionals
  if (more.length > 0) throw new UsageError('Give one file, or - for standard input.')
  const least = values['min-score'] === undefined ? 0.5 : Number(values['min-score'])
  if (!(least >= 0 && least <= 1)) throw new UsageError('--min-score is a number from 0 to 1.')
  return {
    file,
    json: values.json === true,
    jsonl: values.jsonl === true,
    codePoints: values['code-points'] === true,
    least,
  }
}

const Line = z.union([
  z.object({ text: z.string() }),
  z.object({ content: z.string() }).transform(({ content: text }) => ({ text })),
  z.object({ input: z.string() }).transform(({ input: text }) => ({ text })),
])
/** A line of JSON is held in memory whole. */
const longestLine = 64 * 1024 * 1024

async function scanLines({ file, codePoints, least }: Wanted, io: Io, ask: AskNames | null): Promise<number> {
  let found = false
  let wrong = false
  for await (const lines of readLines(readText(file, io), longestLine)) {
    const read = lines.filter(line => line?.trim() !== '').map(readLine)
    const texts = read.flatMap(line => ('text' in line ? [line.text] : []))
    // All lines that are here together, and no more: whoever writes the next one may be waiting for this answer.
    const names = ask ? await namesInTexts(ask, texts) : []
    let at = 0
    for (const line of read) {
      if ('error' in line) {
        wrong = true
        await write(io.stdout, `${JSON.stringify(line)}\n`)
        continue
      }
      const { id, text } = line
      const byRules = scanText(text, { least })
      const byModel = names[at++] ?? []
      const spans = byModel.length > 0 ? resolve([...byRules, ...byModel]) : byRules
      found ||= spans.length > 0
      await write(io.stdout, `${JSON.stringify({ id, spans: codePoints ? inCodePoints(text, spans) : spans })}\n`)
    }
  }
  return wrong ? exit.usage : found ? exit.failed : exit.success
}

type ReadLine = { id: unknown; text: string } | { id: unknown; error: { code: string; message: string } }

function readLine(line: string | null): ReadLine {
  const { json, id } = line === null ? { json: undefined, id: null } : jsonOf(line)
  const parsed = Line.safeParse(json)
  if (parsed.success) return { id, text: parsed.data.text }
  const error =
    line === null
      ? { code: 'request.too-large', message: `This line is longer than ${longestLine} characters.` }
      : { code: 'request.invalid', message: 'This line is not { "id": …, "text": "…" }.' }
  return { id, error }
}

/** What the model is less sure of is left out like anything else. */
const atLeast =
  (least: number, ask: AskNames): AskNames =>
  async texts =>
    (await ask(texts))?.map(found => found.filter(({ score }) => score >= least)) ?? null

/** What is decided, piece by piece, with offsets in the unit that was asked for. */
async function* findInFile(
  { file, codePoints, least }: Wanted,
  io: Io,
  ask: AskNames | null,
): AsyncGenerator<{ text: string; start: number; found: Finding[] }> {
  const stream = new StreamScanner(defaultScanner(), { least })
  const names = ask && new NamesStream(ask)
  let points = 0
  const turn = (decided: Decided) => {
    if (!codePoints) return { ...decided, found: [...decided.found] }
    const start = points
    const local = decided.found.map(finding => ({
      ...finding,
      start: finding.start - decided.start,
      end: finding.end - decided.start,
    }))
    points += [...decided.text].length
    const found = inCodePoints(decided.text, local).map(finding => ({
      ...finding,
      start: finding.start + start,
      end: finding.end + start,
    }))
    return { ...decided, found }
  }
  for await (const chunk of readText(file, io)) {
    const decided = stream.push(chunk)
    yield turn(names ? await names.push(decided) : decided)
  }
  const last = stream.end()
  yield turn(names ? await names.end(last) : last)
}

async function scanToJson(wanted: Wanted, io: Io, ask: AskNames | null): Promise<number> {
  let count = 0
  // Written as it is found: the list of findings in a large file need not fit into memory.
  await write(io.stdout, `{"id":${JSON.stringify(wanted.file)},"spans":[`)
  for await (const { found } of findInFile(wanted, io, ask)) {
    // All of a piece at once: a write for each would take longer than finding them.
    const spans = found.map(span => JSON.stringify(span)).join(',')
    await write(io.stdout, (count > 0 && spans !== '' ? ',' : '') + spans)
    count += found.length
  }
  await write(io.stdout, ']}\n')
  return count > 0 ? exit.failed : exit.success
}

async function scanToList(wanted: Wanted, io: Io, ask: AskNames | null): Promise<number> {
  const counts = new Map<string, number>()
  let line = 1
  let column = 1
  for await (const { text, found, start } of findInFile({ ...wanted, codePoints: false }, io, ask)) {
    let at = 0
    const advance = (to: number) => {
      for (; at < to; at++) {
        if (text.charCodeAt(at) === 10) {
          line++
          column = 1
        } else column++
      }
    }
    let lines = ''
    for (const finding of found) {
      advance(finding.start - start)
      counts.set(finding.type, (counts.get(finding.type) ?? 0) + 1)
      const shown = masked(text.slice(finding.start - start, finding.end - start))
      lines += `${wanted.file}:${line}:${column}  ${finding.type}  ${shown}  (${finding.rule}, ${finding.score.toFixed(2)})\n`
    }
    await write(io.stdout, lines)
    advance(text.length)
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const byType = [...counts].map(([type, count]) => `${count} ${type}`).join(', ')
  io.stderr.write(total === 0 ? 'Nothing private was found.\n' : `${total} found: ${byType}\n`)
  return total > 0 ? exit.failed : exit.success
}

/** Enough to recognise a value, not enough to use it; no control character of it reaches the terminal. */
function masked(value: string): string {
  const plain = value.replace(/[^\x20-\x7e\u00a1-\ud7ff\ue000-\uffff]/g, ' ')
  return plain.length <= 4
    ? '····'
    : `${plain.slice(0, 2)}${'·'.repeat(Math.min(8, plain.length - 4))}${plain.slice(-2)}`
}
