import type { ExportedItem, ExportedPath } from '../exporting/load.ts'
import { cellIdPattern, type JsonObject, type Notebook, type NotebookCell } from './format.ts'
import { metadataFor, notebookLanguage, type OwnCell, type OwnNotebook, withoutOwn } from './own.ts'
import { writeCell, writeNotebook } from './write.ts'

/** A path as a notebook that any tool opens; the other paths travel in its metadata. */
export function toNotebook(
  title: string,
  metadata: JsonObject | null,
  shown: ExportedPath,
  all: readonly ExportedPath[],
): string {
  const language = metadata ? notebookLanguage(metadata) : mainLanguage(shown)
  const cells = new CellBook(language)
  const top = shown.items.map(item => cells.add(item))
  const paths = all.length > 1 ? ownPaths(title, shown, all, cells, new Set(top)) : null
  // One path needs no record of branches, but its title is not lost.
  const own = paths ?? { version: 1 as const, title, path: 0, paths: [ownPath(shown, null, null, top)], cells: [] }
  const kept = withoutOwn({ ...(metadata ?? metadataFor(language)) })
  const notebook: Pick<Notebook, 'metadata' | 'cells'> = {
    metadata: { ...kept, countersign: own as unknown as JsonObject },
    cells: top,
  }
  return writeNotebook(notebook)
}

function ownPaths(
  title: string,
  shown: ExportedPath,
  all: readonly ExportedPath[],
  cells: CellBook,
  top: ReadonlySet<NotebookCell>,
): OwnNotebook {
  const elsewhere: NotebookCell[] = []
  const index = new Map(all.map((path, place) => [path.id, place]))
  const paths = all.map(path => {
    const made = path.items.map(item => cells.add(item))
    for (const cell of made) if (!top.has(cell) && !elsewhere.includes(cell)) elsewhere.push(cell)
    const parent = path.parent ? (index.get(path.parent) ?? null) : null
    return ownPath(path, parent, path.branchPoint ? cells.firstIdOf(path.branchPoint) : null, made)
  })
  return { version: 1, title, path: index.get(shown.id) ?? 0, paths, cells: elsewhere.map(writeCell) }
}

function ownPath(path: ExportedPath, parent: number | null, after: string | null, cells: readonly NotebookCell[]) {
  return { name: path.name, parent, after, archived: path.state === 'archived', cells: cells.map(cell => cell.id) }
}

/** Makes each version of an item one cell, with an id of its own. */
class CellBook {
  readonly #language: string
  readonly #cells = new Map<string, NotebookCell>()
  readonly #first = new Map<string, string>()
  readonly #ids = new Set<string>()

  constructor(language: string) {
    this.#language = language
  }

  firstIdOf(item: string): string | null {
    return this.#first.get(item) ?? null
  }

  add(item: ExportedItem): NotebookCell {
    const known = this.#cells.get(item.version)
    if (known) return known
    const first = this.#first.get(item.item)
    const id = first ? crypto.randomUUID() : this.#freeId(item)
    this.#ids.add(id)
    if (!first) this.#first.set(item.item, id)
    const cell = toCell(item, id, first, this.#language)
    this.#cells.set(item.version, cell)
    return cell
  }

  #freeId(item: ExportedItem): string {
    const wanted = item.notebook?.id
    return wanted && cellIdPattern.test(wanted) && !this.#ids.has(wanted) ? wanted : item.item
  }
}

function toCell(item: ExportedItem, id: string, of: string | undefined, notebookLanguage: string): NotebookCell {
  const { kind, author, language, run } = item
  const type = kind === 'message' || language === 'markdown' ? 'markdown' : language === 'raw' ? 'raw' : 'code'
  const foreign = type === 'code' && language !== null && language !== notebookLanguage
  const { count: _, ...facts } = run ?? { count: null }
  const known = run && (run.finishedAt !== null || run.success !== null || run.stale)
  const own: OwnCell = {
    ...(kind === 'message' ? { kind } : {}),
    ...(kind === 'message' || author !== 'analyst' ? { author } : {}),
    ...(foreign ? { language } : {}),
    ...(of ? { of } : {}),
    ...(known && type === 'code' ? { run: facts as NonNullable<OwnCell['run']> } : {}),
  }
  return {
    id,
    type,
    source: item.text,
    metadata: {
      ...item.notebook?.metadata,
      ...(Object.keys(own).length > 0 ? { countersign: own as JsonObject } : {}),
    },
    attachments: item.notebook?.attachments ?? null,
    executionCount: run?.count ?? null,
    outputs: type === 'code' ? item.outputs : [],
    extra: item.notebook?.extra ?? null,
  }
}

/** The language of most code cells. */
function mainLanguage({ items }: ExportedPath): string {
  const counts = new Map<string, number>()
  for (const { kind, language } of items) {
    if (kind === 'cell' && language && language !== 'markdown' && language !== 'raw') {
      counts.set(language, (counts.get(language) ?? 0) + 1)
    }
  }
  return [...counts].sort((left, right) => right[1] - left[1])[0]?.[0] ?? 'python'
}
