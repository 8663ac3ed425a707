import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AnalysisEntry, AnalysisId } from '../contract/analyses.ts'
import { nearest } from '../contract/analysis-inputs.ts'
import { fail, type Outcome, ok, type Problem } from '../contract/problem.ts'
import { type Analysis, entryOf, foldersIn, loadAnalysis } from './load.ts'

/** The analyses that ship with the application, and those of the user beside them. */
export interface Catalogue {
  /** All that can be used, by title; and what cannot, with the reason. */
  list(): Promise<{ entries: AnalysisEntry[]; problems: Problem[] }>
  /** One of them, whole; an older version where one is asked for. */
  get(id: string, version?: string): Promise<Outcome<Analysis>>
  versions(id: string): Promise<string[]>
}

export interface CatalogueOptions {
  /** `resources/analyses`, with its index. */
  readonly shipped: string
  /** The user's own, under the data folder. */
  readonly own: string
}

/** What ships: the current version of each analysis, and the hashes of the versions that are kept beside it. */
const Index = z.strictObject({
  analyses: z.array(AnalysisEntry),
  older: z.record(AnalysisId, z.record(z.string(), z.string())),
})
type Index = z.infer<typeof Index>

export function createCatalogue({ shipped, own }: CatalogueOptions): Catalogue {
  const cache = new Map<string, Promise<Outcome<Analysis>>>()
  let index: Promise<Shipped> | null = null

  const indexed = () => {
    index ??= readIndex(join(shipped, 'index.json'))
    return index
  }
  const load = async (id: string, version: string | undefined): Promise<Outcome<Analysis>> => {
    const { current: entries, older: kept } = await indexed()
    const ships = entries.get(id)
    const root = join(ships ? shipped : own, id)
    const current = await loadAnalysis(root, ships ? 'catalogue' : 'own')
    if (!current.ok || version === undefined || current.value.definition.version === version) {
      return current.ok ? checkedAgainst(id, current.value, ships?.sha256) : current
    }
    // Old versions stay beside the new one, so that a replay years later computes what was computed then.
    const older = await loadAnalysis(join(root, 'versions', version), ships ? 'catalogue' : 'own')
    return older.ok && older.value.definition.version === version
      ? checkedAgainst(id, older.value, ships && (kept[id]?.[version] ?? ''))
      : fail(
          'analysis.unknown',
          `There is no version ${version} of ${id}.`,
          'Leave the version out to use the current one.',
        )
  }
  return {
    async list() {
      const entries = [...(await indexed()).current.values()]
      const problems: Problem[] = []
      for (const id of await foldersIn(own)) {
        if (entries.some(entry => entry.id === id)) {
          problems.push({
            code: 'analysis.broken',
            message: `Your analysis ${id} has the name of one that ships with the application, and is not used.`,
            hint: 'Give its folder and its id another name.',
          })
          continue
        }
        const loaded = await this.get(id)
        if (loaded.ok) entries.push(entryOf(loaded.value))
        else problems.push(loaded.problem)
      }
      return { entries: entries.sort((a, b) => a.title.localeCompare(b.title)), problems }
    },

    async get(id, version) {
      if (!AnalysisId.safeParse(id).success) return unknown(id, [])
      const { current } = await indexed()
      const ships = current.has(id)
      if (!ships && !(await foldersIn(own)).includes(id)) {
        return unknown(id, [...current.keys(), ...(await foldersIn(own))])
      }
      // What a person edits is read each time; what ships does not change while the application runs.
      if (!ships) return load(id, version)
      const key = `${id}@${version ?? ''}`
      const held = cache.get(key) ?? load(id, version)
      cache.set(key, held)
      return held
    },

    async versions(id) {
      const current = await this.get(id)
      if (!current.ok) return []
      const root = join(current.value.origin === 'catalogue' ? shipped : own, id, 'versions')
      const older = await readOlder(root)
      return [current.value.definition.version, ...older]
    },
  }
}

/** A shipped folder that is no longer what the index says is not the catalogue's any more. */
function checkedAgainst(id: string, analysis: Analysis, sha256: string | undefined): Outcome<Analysis> {
  if (analysis.definition.id !== id) {
    return fail(
      'analysis.broken',
      `The folder ${id} holds the analysis ${analysis.definition.id}.`,
      'Rename the folder or the id.',
    )
  }
  if (sha256 !== undefined && sha256 !== analysis.sha256) {
    return fail(
      'analysis.broken',
      `The analysis ${id} ${analysis.definition.version} was changed since it shipped: its hash is not the one of the index.`,
      'Install the application again; put a variation of your own into your analyses folder under another name.',
    )
  }
  return ok(analysis)
}

interface Shipped {
  readonly current: ReadonlyMap<string, AnalysisEntry>
  readonly older: Index['older']
}

async function readIndex(file: string): Promise<Shipped> {
  const { analyses, older } = Index.parse(JSON.parse(await readFile(file, 'utf8')))
  return { current: new Map(analyses.map(entry => [entry.id, entry])), older }
}

/** The index of a folder of analyses, as it is kept in `index.json`. */
export async function makeIndex(shipped: string): Promise<Outcome<Index>> {
  const index: Index = { analyses: [], older: {} }
  for (const id of (await foldersIn(shipped)).sort()) {
    const loaded = await loadAnalysis(join(shipped, id), 'catalogue')
    if (!loaded.ok) return loaded
    const checked = checkedAgainst(id, loaded.value, undefined)
    if (!checked.ok) return checked
    index.analyses.push(entryOf(loaded.value))
    const hashes: Record<string, string> = {}
    for (const version of await readOlder(join(shipped, id, 'versions'))) {
      const older = await loadAnalysis(join(shipped, id, 'versions', version), 'catalogue')
      if (!older.ok) return older
      hashes[version] = older.value.sha256
    }
    index.older[id] = hashes
  }
  return ok(index)
}

async function readOlder(root: string): Promise<string[]> {
  const { readdir } = await import('node:fs/promises')
  const names = await readdir(root).catch(() => [])
  const parts = (version: string) => version.split('.').map(Number)
  const later = (a: string, b: string) => {
    const [x, y] = [parts(a), parts(b)]
    const at = x.findIndex((each, i) => each !== y[i])
    return at < 0 ? 0 : (y[at] ?? 0) - (x[at] ?? 0)
  }
  return names.filter(each => /^\d+\.\d+\.\d+$/.test(each)).sort(later)
}

function unknown(id: string, known: readonly string[]) {
  const near = nearest(id, known)
  return fail(
    'analysis.unknown',
    `There is no analysis called ${id.slice(0, 64)}.${near ? ` Did you mean ${near}?` : ''}`,
    '`countersign analyses list` shows all of them.',
  )
}
