import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Language } from '../../../contract/languages.ts'
import type { Guard } from '../../../guard/guard.ts'
import { exit, type Io } from '../command.ts'
import { named } from './validate-language.ts'

const Row = z.object({ id: z.json().optional(), code: z.string(), language: z.string() })

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
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const row = parseRow(line)
    if ('problem' in row) {
      found = true
      asked.push(async () => ({ id: row.id, error: row.problem }))
    } else {
      const inspecting = guard.inspect(row.code, row.language, io.signal)
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
