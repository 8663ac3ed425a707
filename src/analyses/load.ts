import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { AnalysisDefinition, type AnalysisEntry, Example, ParameterFile, weakest } from '../contract/analyses.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { readSmallFile } from '../small-file.ts'
import { checkParameters, knownRange } from './parameters.ts'

/** The four files of an analysis; the hash of its folder is taken over them in this order. */
export const files = ['analysis.yaml', 'parameters.yaml', 'code.py', 'examples.yaml'] as const

/** An analysis as it lies on the disk, read whole and checked. */
export interface Analysis {
  readonly definition: AnalysisDefinition
  readonly parameters: ParameterFile
  readonly code: string
  /** The text of each of its files, as the hash is over them. */
  readonly files: Readonly<Record<string, string>>
  readonly sha256: string
  readonly origin: AnalysisEntry['origin']
  /** Worked examples are read when somebody asks for them. */
  examples(): Outcome<readonly Example[]>
}

/** No file of an analysis is larger; one that is was not written by a person. */
const maxFileBytes = 4 * 1024 * 1024

export async function loadAnalysis(folder: string, origin: Analysis['origin']): Promise<Outcome<Analysis>> {
  const texts: string[] = []
  const bytesOf: Buffer[] = []
  for (const file of files) {
    const bytes = await readSmallFile(join(folder, file), maxFileBytes)
    if (!bytes) return broken(folder, `${file} cannot be read, or is larger than 4 MB.`)
    bytesOf.push(bytes)
    texts.push(bytes.toString('utf8'))
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
    files: Object.fromEntries(files.map((file, at) => [file, texts[at] ?? ''])),
    sha256: hashOf(bytesOf),
    origin,
    examples() {
      const list = read(z.array(Example), worked)
      return list.ok ? ok(list.value) : broken(folder, `examples.yaml: ${list.message}`)
    },
  })
}

/** The hash of a folder from the texts of its files. */
export const folderHash = (texts: Readonly<Record<string, string>>): string =>
  hashOf(files.map(file => texts[file] ?? ''))

function hashOf(contents: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const [at, file] of files.entries()) {
    const content = createHash('sha256').update(contents[at] ?? '')
    hash.update(`${file}\0${content.digest('hex')}\n`)
  }
  return hash.digest('hex')
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
