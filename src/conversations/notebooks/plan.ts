import type { Author } from '../../contract/conversations.ts'
import type { JsonObject, Notebook, NotebookCell, NotebookOutput } from './format.ts'
import { languageNamed, notebookLanguage, OwnCell, OwnNotebook, ownMetadata, withoutOwn } from './own.ts'
import { readCell } from './read.ts'

/** What a notebook becomes: paths of cells, parents before children. */
export interface Plan {
  readonly title: string
  readonly metadata: JsonObject
  readonly paths: readonly PlannedPath[]
  readonly notices: readonly string[]
}

export interface PlannedPath {
  readonly name: string
  readonly parent: number | null
  /** How many of the parent's cells it inherits. */
  readonly inherits: number
  readonly archived: boolean
  readonly cells: readonly PlannedCell[]
}

export interface PlannedCell {
  /** Equal for all versions that paths have of one cell. */
  readonly identity: string
  readonly kind: 'message' | 'cell'
  readonly author: Author
  readonly language: string | null
  readonly text: string
  readonly notebook: { id: string; metadata: JsonObject; attachments: JsonObject | null; extra: JsonObject | null }
  readonly run: PlannedRun | null
}

export interface PlannedRun {
  readonly count: number | null
  readonly outputs: readonly NotebookOutput[]
  readonly finishedAt: number | null
  readonly durationMs: number | null
  readonly success: boolean | null
  readonly stale: boolean
}

export function planImport(notebook: Notebook, fileName: string, makeId: () => string): Plan {
  const language = notebookLanguage(notebook.metadata)
  const own = OwnNotebook.safeParse(ownMetadata(notebook.metadata))
  const cells = notebook.cells.map(cell => planCell(cell, language))
  const single: Plan = {
    title: titleOf(fileName),
    metadata: notebook.metadata,
    // On its own a path has each cell once, whatever its metadata says of other versions.
    paths: [
      {
        name: 'main',
        parent: null,
        inherits: 0,
        archived: false,
        cells: cells.map(each => ({ ...each, identity: each.notebook.id })),
      },
    ],
    notices: notebook.notices,
  }
  if (ownMetadata(notebook.metadata) === undefined) return single
  const paths = own.success ? planPaths(own.data, cells, language, makeId) : null
  if (!own.success || !paths) {
    const notice = 'The notebook’s record of branches could not be read; its cells were opened as one path.'
    return { ...single, notices: [...single.notices, notice] }
  }
  return { ...single, title: own.data.title, metadata: withoutOwn(notebook.metadata), paths }
}

function planPaths(
  own: OwnNotebook,
  shown: readonly PlannedCell[],
  language: string,
  makeId: () => string,
): PlannedPath[] | null {
  const elsewhere = own.cells.map(each => readCell(each, makeId))
  if (!elsewhere.every(cell => typeof cell !== 'string')) return null
  const pool = new Map(elsewhere.map(cell => [cell.id, planCell(cell, language)]))
  for (const cell of shown) pool.set(cell.notebook.id, cell)
  const paths: PlannedPath[] = []
  for (const [index, { name, parent, after, archived, cells: ids }] of own.paths.entries()) {
    const above = parent === null ? null : paths[parent]
    if ((index === 0) !== (parent === null) || above === undefined) return null
    // Another tool may have edited the cells since: they are what the path shows now.
    const listed = index === own.path ? shown : ids.flatMap(id => pool.get(id) ?? [])
    const cells = [...new Map(listed.map(cell => [cell.identity, cell])).values()]
    if (index === own.path && cells.length !== shown.length) return null
    const identity = after === null ? null : (pool.get(after)?.identity ?? after)
    const inherits = identity === null || !above ? 0 : above.cells.findIndex(cell => cell.identity === identity) + 1
    paths.push({ name, parent, inherits, archived: archived && parent !== null, cells })
  }
  return own.path < paths.length ? paths : null
}

function planCell(cell: NotebookCell, notebookLanguage: string): PlannedCell {
  const { id, type, metadata, attachments, extra, executionCount, outputs } = cell
  const parsed = OwnCell.safeParse(ownMetadata(metadata))
  const own = parsed.success ? parsed.data : {}
  const message = type === 'markdown' && own.kind === 'message'
  const ran = type === 'code' && (outputs.length > 0 || executionCount !== null)
  return {
    identity: own.of ?? id,
    kind: message ? 'message' : 'cell',
    author: own.author ?? 'analyst',
    language: message ? null : type === 'code' ? (own.language ?? editorLanguage(metadata) ?? notebookLanguage) : type,
    text: cell.source,
    notebook: { id, metadata: parsed.success ? withoutOwn(metadata) : metadata, attachments, extra },
    run: ran
      ? {
          count: executionCount,
          outputs,
          finishedAt: own.run?.finishedAt ?? null,
          durationMs: own.run?.durationMs ?? null,
          success: own.run?.success ?? null,
          stale: own.run?.stale ?? false,
        }
      : null,
  }
}

/** Some editors note the language of a single cell here. */
function editorLanguage(metadata: JsonObject): string | null {
  const editor = metadata.vscode
  const name = typeof editor === 'object' && editor !== null && 'languageId' in editor ? editor.languageId : null
  return typeof name === 'string' ? languageNamed(name) : null
}

/** A title from a file name that may come from anywhere: no folders, no control or bidirectional characters. */
export function titleOf(fileName: string): string {
  const last = fileName.split(/[\\/]/).at(-1) ?? ''
  const plain = last
    .replace(/\.(ipynb|json)$/i, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 200)
  return plain === '' || /^\.+$/.test(plain) ? 'Imported notebook' : plain
}
