import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { AnalysisMark } from '../contract/analyses.ts'
import type { Catalogue } from './catalogue.ts'
import type { Analysis } from './load.ts'
import { entryOf } from './load.ts'
import { citationText } from './parameters.ts'
import { prepare } from './prepare.ts'
import { batchProgramOf, marker, programOf } from './program.ts'

/** What a program says of itself, and the program that the catalogue would make of the same inputs. */
export interface Recognised {
  readonly mark: AnalysisMark
  /** The catalogue's program for the same inputs and parameters; equal to the code where it is untouched. */
  readonly original: string | null
}

/**
 * Recognises the program of an analysis by its text alone: it is made again from the catalogue and compared. So a cell
 * that was edited, imported or approved long ago is what it is, whatever its first line says.
 */
export async function recognise(catalogue: Catalogue, code: string): Promise<Recognised | null> {
  if (!code.startsWith(marker)) return null
  const head = headPattern.exec(code)
  if (!head) return null
  const [, id = '', version = '', sha256 = '', batch] = head
  const found = await catalogue.get(id, version)
  if (!found.ok || found.value.sha256 !== sha256) return null
  const made = batch ? batchAgain(found.value, code) : singleAgain(found.value, code)
  const untouched = made !== null && made.program === code
  return {
    original: made?.program ?? null,
    mark: {
      ...about(found.value),
      as_of: made?.asOf ?? null,
      count: made?.count ?? 1,
      inputs_sha256: made?.inputs ?? null,
      untouched,
    },
  }
}

const headPattern = new RegExp(
  `^${marker}([a-z0-9-]{1,64}) (\\d+\\.\\d+\\.\\d+) ([0-9a-f]{64})(, batch)?(?:,? with code of the analyst)?\\n`,
)
const literal = (name: string) => new RegExp(`\\n {4}_${name} = _json\\.loads\\(("(?:[^"\\\\\\n]|\\\\.)*")\\)\\n`)
const call = /\n {4}_batch\(run, ("[^"\n]*"), ("[^"\n]*"), (\d{1,9}), "([0-9a-f]{64})"\)\n\n\n_analysis\(\)\n$/

interface Again {
  readonly program: string
  readonly asOf: string | null
  readonly count: number
  readonly inputs: string
}

function batchAgain(analysis: Analysis, code: string): Again | null {
  const found = call.exec(code)
  if (!found) return null
  const [, cases = '""', results = '""', count = '0', hash = ''] = found
  const named = { cases: String(JSON.parse(cases)), results: String(JSON.parse(results)) }
  const { definition, sha256 } = analysis
  const made = { analysis: definition.id, version: definition.version, sha256, code: analysis.code, own: false }
  const program = batchProgramOf(made, { ...named, count: Number(count), hash })
  return { program, asOf: null, count: Number(count), inputs: hash }
}

const About = z.object({ as_of: z.string().nullable() })
const Inputs = z.record(z.string(), z.unknown())

function singleAgain(analysis: Analysis, code: string): Again | null {
  const about = About.safeParse(literalOf('ABOUT', code))
  const inputs = Inputs.safeParse(literalOf('INPUTS', code))
  if (!about.success || !inputs.success) return null
  const asked = analysis.definition.inputs.as_of ? null : about.data.as_of
  const prepared = prepare(analysis, { inputs: inputs.data, ...(asked ? { as_of: asked } : {}) })
  if (!prepared.ok) return null
  const text = JSON.stringify(prepared.value.inputs)
  return {
    program: programOf(prepared.value),
    asOf: prepared.value.asOf,
    count: 1,
    inputs: createHash('sha256').update(text).digest('hex'),
  }
}

function literalOf(name: string, code: string): unknown {
  const found = literal(name).exec(code)?.[1]
  if (found === undefined) return undefined
  try {
    return JSON.parse(JSON.parse(found))
  } catch {
    return undefined
  }
}

function about(analysis: Analysis) {
  const { id, version, title, origin, status, sha256 } = entryOf(analysis)
  const examples = analysis.examples()
  const kinds = { official: 0, other: 0, computed: 0 }
  if (examples.ok) for (const { kind } of examples.value) kinds[kind]++
  const citations = Object.values(analysis.parameters.citations).map(each => `${citationText(each)} (${each.status})`)
  return { analysis: id, version, title, origin, status, sha256, citations, examples: kinds }
}
