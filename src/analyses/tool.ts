import type { AnalysisToolRequest } from '../contract/analyses.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { maxCodeBytes } from '../contract/run.ts'
import type { Catalogue } from './catalogue.ts'
import { prepare } from './prepare.ts'
import { programOf } from './program.ts'
import { inputsInWords, searchCatalogue } from './search.ts'

export interface AnalysisCell {
  readonly language: 'python'
  readonly code: string
  readonly title: string
}

/** The code of a cell that carries out row T2's request: an analysis of the catalogue, or code with its parameters. */
export async function cellFor(catalogue: Catalogue, request: AnalysisToolRequest): Promise<Outcome<AnalysisCell>> {
  const cell =
    request.analysis === undefined ? await ofOwnCode(catalogue, request) : await ofCatalogue(catalogue, request)
  if (cell.ok && Buffer.byteLength(cell.value.code) > maxCodeBytes)
    return fail(
      'request.too-large',
      'Code and parameters together are longer than 100 KB, which a cell can hold.',
      'Put the data into a file of the working folder and read it there.',
    )
  return cell
}

async function ofCatalogue(
  catalogue: Catalogue,
  { analysis = '', type, parameters, code }: AnalysisToolRequest,
): Promise<Outcome<AnalysisCell>> {
  const found = await catalogue.get(analysis)
  if (!found.ok) return found
  const { definition } = found.value
  if (definition.type !== type)
    return fail('analysis.input', `${definition.id} is a ${definition.type}, not a ${type}.`, 'Name its own type.')
  const prepared = prepare(found.value, { inputs: parameters, ...(code === undefined ? {} : { code }) })
  if (!prepared.ok)
    return fail(prepared.problem.code, prepared.problem.message, `It takes ${inputsInWords(definition)}.`)
  return ok({ language: 'python', code: programOf(prepared.value), title: definition.title })
}

async function ofOwnCode(
  catalogue: Catalogue,
  { type, parameters, code }: AnalysisToolRequest,
): Promise<Outcome<AnalysisCell>> {
  if (code === undefined) {
    const words = `${type.replace('_', ' ')} ${Object.keys(parameters).join(' ').replaceAll('_', ' ')}`
    const near = (await searchCatalogue(catalogue, words)).map(({ id }) => id)
    return fail(
      'analysis.input',
      'Neither an analysis of the catalogue nor code was given.',
      near.length > 0
        ? `Analyses that may fit: ${near.join(', ')}.`
        : 'Give code that finds its parameters in `parameters`.',
    )
  }
  const head = `# Analysis without an entry in the catalogue: ${type}`
  const text = `${head}\nparameters = ${pythonOf(parameters)}\n\n${code.trimEnd()}\n`
  return ok({ language: 'python', code: text, title: 'Analysis of own code' })
}

/** JSON as Python writes it. A token in a text stands in a literal of its own, where its value can be put back. */
function pythonOf(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'None'
  if (typeof value === 'string') return textOf(value)
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`
  const fields = Object.entries(value as Record<string, unknown>)
  return `{${fields.map(([name, each]) => `${textOf(name)}: ${pythonOf(each)}`).join(', ')}}`
}

const textOf = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
