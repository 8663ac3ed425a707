import type { AnalysisDefinition, AnalysisEntry, AnalysisType, InputSpec } from '../contract/analyses.ts'
import type { Catalogue } from './catalogue.ts'

/** An entry of the catalogue as an assistant is told of it: enough to call it. */
export interface FoundAnalysis {
  readonly id: string
  readonly version: string
  readonly type: AnalysisType
  readonly title: string
  readonly summary: string
  /** Names, types and choices of the inputs, in one line. */
  readonly inputs: string
}

const most = 6

/** The entries whose words a question shares, the closest first. */
export async function searchCatalogue(catalogue: Catalogue, text: string): Promise<FoundAnalysis[]> {
  const { entries } = await catalogue.list()
  const found: FoundAnalysis[] = []
  for (const entry of closest(entries, text)) {
    const loaded = await catalogue.get(entry.id)
    if (loaded.ok) found.push({ ...entry, inputs: inputsInWords(loaded.value.definition) })
  }
  return found
}

/** Pure: rare words count more than words that many entries have, so that "tax" alone decides nothing. */
export function closest(entries: readonly AnalysisEntry[], text: string): AnalysisEntry[] {
  const asked = new Set(stemsOf(text))
  const stems = entries.map(stemsOfEntry)
  const weight = (stem: string): number => {
    const holding = stems.filter(({ all }) => all.has(stem)).length
    return holding === 0 ? 0 : Math.log(1 + entries.length / holding)
  }
  const weights = new Map([...asked].map(stem => [stem, weight(stem)]))
  return entries
    .map((entry, at) => {
      let score = 0
      for (const [stem, each] of weights) {
        if (stems[at]?.named.has(stem)) score += 2 * each
        else if (stems[at]?.all.has(stem)) score += each
      }
      return { entry, score }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.entry.id.localeCompare(b.entry.id))
    .slice(0, most)
    .map(({ entry }) => entry)
}

interface Stems {
  readonly named: ReadonlySet<string>
  readonly all: ReadonlySet<string>
}

/** What ships is the same object at every question; what a person edits is read anew, and has its words read anew. */
const known = new WeakMap<AnalysisEntry, Stems>()

function stemsOfEntry(entry: AnalysisEntry): Stems {
  const { id, title, summary, jurisdiction } = entry
  const stems = known.get(entry) ?? {
    named: new Set(stemsOf(`${id} ${title}`)),
    all: new Set(stemsOf(`${id} ${title} ${summary} ${jurisdiction}`)),
  }
  known.set(entry, stems)
  return stems
}

const common = new Set('a an and are as at by for from how i in is it me my of on or the to what which with'.split(' '))

/** Words without case, accents and the commonest endings: "calculations" and "calculation" are one. */
const stemsOf = (text: string): string[] =>
  (
    text
      .normalize('NFD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter(word => word.length > 1 && !common.has(word))
    .map(word => (word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed)$/, '') : word))

export const inputsInWords = ({ inputs }: Pick<AnalysisDefinition, 'inputs'>): string =>
  Object.entries(inputs)
    .map(([name, spec]) => `${name}${spec.optional || spec.default !== undefined ? '?' : ''}: ${typeInWords(spec)}`)
    .join(', ') || 'none'

function typeInWords(spec: InputSpec): string {
  const { type, currency, of, item, columns, fields } = spec
  if (of) return of.map(each => JSON.stringify(each)).join(' | ')
  if (item) return `list of ${typeInWords(item)}`
  const parts = columns ?? fields
  if (parts) return `${type === 'table' ? 'rows of ' : ''}{ ${inputsInWords({ inputs: parts })} }`
  return currency ? `${type} ${currency}` : type
}
