import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'
import type { Language } from '../../../contract/languages.ts'
import type { Guard } from '../../../guard/guard.ts'
import { exit, type Io } from '../command.ts'
import { jsonOf } from './input.ts'
import { inspectUnnamed, named } from './validate-language.ts'

/** One program. Sets of programs name the text and its language in more than one way, or leave the language out. */
const Row = z
  .object({
    code: z.string().optional(),
    source: z.string().optional(),
    content: z.string().optional(),
    language: z.string().nullish(),
    lang: z.string().nullish(),
  })
  .transform((row, context) => {
    const code = row.code ?? row.source ?? row.content
    if (code !== undefined) return { code, language: row.language ?? row.lang ?? null }
    context.addIssue({ code: 'custom', message: 'There is no code.', path: ['code'] })
    return z.NEVER
  })

/** So many programs are read ahead, so that the guard need not wait for the one who asks. */
const ahead = 16

/** One answer per line, in order; a line that cannot be read is answered too, so that nothing shifts. */
export async function validateLines(input: Readable, guard: Guard, io: Io): Promise<number> {
  let found = false
  const asked: (() => Promise<object>)[] = []
  const answer = async (): Promise<void> => {
    const line = `${JSON.stringify(await asked.shift()?.())}\n`
    if (!io.stdout.write(line)) await new Promise(resolve => io.stdout.once('drain', resolve))
  }
  for await (const line of linesOf(input)) {
    if (line.trim() === '') continue
    const row = parseRow(line)
    if ('problem' in row) {
      found = true
      asked.push(async () => ({ id: row.id, error: row.problem }))
    } else {
      const inspecting =
        row.language === null
          ? inspectUnnamed(guard, row.code, io.signal)
          : guard.inspect(row.code, row.language, io.signal)
      // Heard when its turn comes; without this an interrupt would count as a failure that nobody handles.
      inspecting.catch(() => {})
      asked.push(async () => {
        const inspection = await inspecting
        found ||= inspection.risk !== 'low'
        return { id: row.id, ...inspection }
      })
    }
    if (asked.length > ahead) await answer()
  }
  while (asked.length > 0) await answer()
  return found ? exit.failed : exit.success
}

type ParsedRow =
  | { id: unknown; code: string; language: Language | null }
  | { id: unknown; problem: { code: string; message: string } }

function parseRow(line: string): ParsedRow {
  const { json, id } = jsonOf(line)
  if (json === undefined) return { id, problem: { code: 'request.invalid', message: 'The line is no JSON.' } }
  const parsed = Row.safeParse(json)
  if (!parsed.success) return { id, problem: { code: 'request.invalid', message: z.prettifyError(parsed.error) } }
  const { code, language: given } = parsed.data
  const language = given === null ? null : named(given)
  if (given !== null && language === null)
    return { id, problem: { code: 'request.invalid', message: `There is no language '${given}'.` } }
  return { id, code, language }
}

/** Lines end at a line feed only: a text in JSON may hold U+2028, at which `readline` would cut it in two. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let open = ''
  let begun = false
  for await (const chunk of input) {
    let text = typeof chunk === 'string' ? chunk : decoder.write(chunk)
    // Editors of Windows begin a file with this mark; as a part of the first line it would make that no JSON.
    if (!begun) text = text.replace(/^\ufeff/, '')
    begun ||= text !== ''
    const parts = (open + text).split('\n')
    open = parts.pop() ?? ''
    yield* parts
  }
  open += decoder.end()
  if (open !== '') yield open
}
