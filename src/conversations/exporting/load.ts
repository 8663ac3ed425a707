import { z } from 'zod'
import type { Author, ItemId, LastRun, PathState } from '../../contract/conversations.ts'
import type { PathId } from '../../contract/ids.ts'
import type { Passed } from '../../privacy/privacy.ts'
import { listOf } from '../../storage/lists.ts'
import { isObject, type Json, type JsonObject, type NotebookOutput } from '../notebooks/format.ts'
import { readSet } from '../outputs.ts'
import { type Depends, staleItems } from '../stale.ts'
import { readTexts } from '../texts.ts'
import { type Db, loadChain, type PathRow, runsOf, viewOf } from '../view.ts'

/** An item with everything that an export could show of it. */
export interface ExportedItem {
  readonly item: ItemId
  /** Equal where two paths show the very same: text, language, outputs. */
  readonly version: string
  readonly kind: 'message' | 'cell'
  readonly author: Author
  readonly language: string | null
  readonly text: string
  readonly notebook: {
    id: string
    metadata: JsonObject
    attachments: JsonObject | null
    extra: JsonObject | null
  } | null
  readonly run: Pick<LastRun, 'count' | 'finishedAt' | 'durationMs' | 'success' | 'stale'> | null
  readonly outputs: readonly NotebookOutput[]
}

export interface ExportedPath {
  readonly id: PathId
  readonly name: string
  readonly parent: PathId | null
  readonly branchPoint: ItemId | null
  readonly state: PathState
  readonly items: readonly ExportedItem[]
}

export async function loadPath(db: Db, depends: Depends, path: PathRow, asOf: number): Promise<ExportedPath> {
  const chain = await loadChain(db, path)
  const lines = await viewOf(db, chain, asOf)
  const runs = await runsOf(db, chain, asOf)
  const stale = await staleItems(db, depends, chain, lines, asOf)
  const texts = await readTexts(
    db,
    lines.map(line => line.text),
  )
  const facts = await readWholeFacts(
    db,
    lines.map(line => line.item),
  )
  const items: ExportedItem[] = []
  for (const line of lines) {
    const fact = facts.get(line.item)
    if (!fact) throw new Error(`item ${line.item} is not known`)
    const run = fact.kind === 'cell' ? runs.get(line.item) : undefined
    const outputs = run?.outputs_of ? await readSet(db, run.outputs_of) : []
    items.push({
      item: line.item,
      version: `${line.item} ${line.text} ${line.language} ${run?.outputs_of ?? ''}`,
      kind: fact.kind,
      author: fact.author,
      language: line.language,
      text: texts.get(line.text) ?? '',
      notebook: fact.notebook === null ? null : Carried.parse(JSON.parse(fact.notebook)),
      run: run?.outputs_of
        ? {
            count: run.count,
            finishedAt: run.finished_at,
            durationMs: run.duration_ms,
            success: run.success === null ? null : run.success === 1,
            stale: stale.has(line.item) || run.text !== line.text || run.language !== line.language,
          }
        : null,
      outputs: outputs.map(({ output, extra }) => ({ output, extra: extra === null ? null : JSON.parse(extra) })),
    })
  }
  const { id, name, parent, branch_item, state } = path
  return { id, name, parent, branchPoint: branch_item, state, items }
}

const object = z.custom<JsonObject>(isObject)
const Carried = z.object({
  id: z.string(),
  metadata: object,
  attachments: object.nullable(),
  extra: object.nullable(),
})

async function readWholeFacts(db: Db, ids: readonly ItemId[]) {
  const rows = await db.selectFrom('items').selectAll().where('id', 'in', listOf(ids)).execute()
  return new Map(rows.map(row => [row.id, row]))
}

/** Replaces texts in one go: what `redact` is handed, in order, it hands back, in order. */
export async function redactPaths<T>(
  content: T,
  redact: (texts: readonly string[]) => Promise<Passed<readonly string[]>>,
): Promise<T> {
  const texts: string[] = []
  walk(content as Json, text => {
    texts.push(text)
    return text
  })
  const { value: safe } = await redact(texts)
  if (safe.length !== texts.length) throw new Error('redaction lost or made up texts')
  let next = 0
  return walk(content as Json, () => safe[next++] ?? '') as T
}

/** Names, not contents; and pictures, in which there is nothing to read. */
const untouched = new Set([
  'id',
  'item',
  'version',
  'parent',
  'branchPoint',
  'state',
  'kind',
  'author',
  'language',
  'type',
  'attachments',
])

function walk(value: Json, visit: (text: string) => string, key = ''): Json {
  if (typeof value === 'string') return untouched.has(key) || isBinary(key) ? value : visit(value)
  if (Array.isArray(value)) return value.map(each => walk(each, visit, key))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      untouched.has(name) && isObject(each) ? each : walk(each, visit, name),
    ]),
  )
}

const isBinary = (key: string) => /^(image|audio|video)\/(?!svg)|^application\/(pdf|octet-stream)$/.test(key)
