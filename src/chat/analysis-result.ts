import { type AnalysisFormat, AnalysisResult, analysisMime } from '../contract/analyses.ts'
import type { RunView } from '../contract/runs.ts'
import { clip, type Mask, resultOfRun, textOf } from './results.ts'

/** Row T2's result: that of the run, with the figures in the format that was asked for and, where they are data, parsed. */
export async function resultOfAnalysis(
  view: RunView,
  format: AnalysisFormat,
  mask: Mask,
): Promise<{ ok: boolean; text: string }> {
  const run = await resultOfRun(view, mask)
  if (!view.outcome?.success) return run
  const shown = view.outcome.outputs.findLast(({ type }) => type === 'display' || type === 'result')
  const figures = shown && 'data' in shown ? AnalysisResult.safeParse(shown.data[analysisMime]).data : undefined
  const plain = shown ? textOf(shown) : view.outcome.stdout
  const result = clip(await mask(figures ? inFormat(figures, format) : plain), 8000)
  const { outputs: _, ...rest } = JSON.parse(run.text) as Record<string, unknown>
  return { ok: run.ok, text: JSON.stringify({ ...rest, result, parsedOutput: parsed(result, format) }) }
}

/** What a result rests on goes with its figures: the law by its citation, the way by its steps. */
function inFormat(figures: AnalysisResult, format: AnalysisFormat): string {
  const { parameters_used, folder_sha256: _, ...rest } = figures
  const sources = parameters_used.map(
    ({ label, value, citation, status }) => `${label} ${JSON.stringify(value)}: ${citation} (${status})`,
  )
  if (format === 'json') return JSON.stringify({ ...rest, sources })
  const scalars = Object.entries(rest).filter(([, value]) => typeof value !== 'object' || value === null)
  if (format === 'csv')
    return [scalars.map(([name]) => name), scalars.map(([, value]) => value)]
      .map(row => row.map(csvField).join(','))
      .join('\n')
  return [
    ...scalars.map(([name, value]) => `${name}: ${value}`),
    ...figures.steps.map(({ label, figure, provision }) => `${label}: ${figure}${provision ? ` (${provision})` : ''}`),
    ...sources,
  ].join('\n')
}

const csvField = (value: unknown): string => {
  const text = String(value ?? '')
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** JSON as data; a table as its rows; null for what is neither. */
function parsed(result: string, format: AnalysisFormat): unknown {
  if (format === 'text') return null
  if (format === 'csv') return rowsOf(result.trim())
  try {
    return JSON.parse(result.trim())
  } catch {
    return null
  }
}

const mostRows = 100

/** The rows of a table by the names in its first line; null for what is no table, or a long one. */
function rowsOf(text: string): Record<string, string>[] | null {
  const records: string[][] = [['']]
  const field = /"((?:[^"]|"")*)"|([^",\n]+)|([,\n])/gy
  for (let match = field.exec(text); match; match = field.exec(text)) {
    const last = records.at(-1) as string[]
    if (match[3] === '\n') records.push([''])
    else if (match[3] === ',') last.push('')
    else last[last.length - 1] += match[1]?.replaceAll('""', '"') ?? match[2] ?? ''
  }
  const [names = [], ...rows] = records
  if (names.length < 2 || rows.length > mostRows || rows.some(row => row.length !== names.length)) return null
  return rows.map(row => Object.fromEntries(row.map((each, at) => [names[at] ?? '', each])))
}
