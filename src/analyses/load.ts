import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { AnalysisDefinition, type AnalysisEntry, Example, ParameterFile, weakest } from '../contract/analyses.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { checkParameters, knownRange } from './parameters.ts'

/** The four files of an analysis; the hash of its folder is taken over them in this order. */
export const files = ['analysis.yaml', 'parameters.yaml', 'code.py', 'examples.yaml'] as const

/** An analysis as it lies on the disk, read whole and checked. */
export interface Analysis {
  readonly definition: AnalysisDefinition
  readonly parameters: ParameterFile
  readonly code: string
  readonly sha256: string
  readonly origin: AnalysisEntry['origin']
  /** Worked examples are read when somebody asks for them. */
  examples(): Outcome<readonly Example[]>
}

/** No file of an analysis is larger; one that is was not written by a person. */
const maxFileBytes = 4 * 1024 * 1024

export async function loadAnalysis(folder: string, origin: Analysis['origin']): Promise<Outcome<Analysis>> {
  const texts: string[] = []
  const hash = createHash('sha256')
  for (const file of files) {
    const path = join(folder, file)
    try {
      if ((await stat(path)).size > maxFileBytes) return broken(folder, `${file} is larger than 4 MB.`)
      const bytes = await readFile(path)
      hash.update(`${file}\0${createHash('sha256').update(bytes).digest('hex')}\n`)
      texts.push(bytes.toString('utf8'))
    } catch {
      return broken(folder, `${file} cannot be read.`)
    }
  }
  const [about = '', dated = '', code = '', worked = ''] = texts
  const definition = read(AnalysisDefinition, about)
  if (!definition.ok) return broken(folder, `analysis.yaml: ${definition.message}`)
  const parameters = read(ParameterFile, dated)
  if (!parameters.ok) return broken(folder, `parameters.yaml: ${parameters.message}`)
  const wrong = checkParameters(parameters.value)
  if (wrong) return broken(folder, `parameters.yaml: ${wrong}`)
  return ok({
    definition: definition.value,
    parameters: parameters.value,
    code,
    sha256: hash.digest('hex'),
    origin,
    examples() {
      const list = read(z.array(Example), worked)
      return list.ok ? ok(list.value) : broken(folder, `examples.yaml: ${list.message}`)
    },
  })
}

/** The line of the catalogue for an analysis. */
export function entryOf({ definition, parameters, sha256, origin }: Analysis): AnalysisEntry {
  const { id, version, type, title, jurisdiction, summary, notes } = definition
  const cited = Object.values(parameters.parameters).flatMap(({ values }) =>
    values.map(({ cite, status }) => status ?? parameters.citations[cite]?.status ?? 'unverified'),
  )
  const status = weakest([...cited, ...notes.flatMap(note => (note.status ? [note.status] : []))])
  return {
    id,
    version,
    type,
    title,
    jurisdiction,
    summary,
    sha256,
    known: definition.as_of ? knownRange(parameters) : null,
    origin,
    status,
  }
}

/** Names of the folders that hold an analysis. */
export async function foldersIn(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true })
    return entries.filter(entry => entry.isDirectory() && /^[a-z]/.test(entry.name)).map(entry => entry.name)
  } catch {
    return []
  }
}

type Read<T> = { ok: true; value: T } | { ok: false; message: string }

function read<T>(schema: z.ZodType<T>, text: string): Read<T> {
  let value: unknown
  try {
    // Aliases could make a small file a huge one.
    value = parse(text, { maxAliasCount: 0 })
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const [issue] = parsed.error.issues
  return { ok: false, message: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}` }
}

const broken = (folder: string, message: string) =>
  fail(
    'analysis.broken',
    `The analysis in ${folder} cannot be used: ${message}`,
    'Correct its files, or remove the folder.',
  )
