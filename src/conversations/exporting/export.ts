import { drawCharts } from '../../charts/charts.ts'
import { type Exported, ExportPath } from '../../contract/conversations.ts'
import type { PathId } from '../../contract/ids.ts'
import { type Outcome, ok } from '../../contract/problem.ts'
import type { Output } from '../../contract/run.ts'
import type { Caller, ConversationsOptions } from '../conversations.ts'
import { toNotebook } from '../notebooks/export.ts'
import { type Desk, findPath } from '../operation.ts'
import type { Depends } from '../stale.ts'
import { hashOf } from '../texts.ts'
import { askThread } from '../thread.ts'
import type { Db, PathRow } from '../view.ts'
import { asWritten, toHtml } from './html.ts'
import { type ExportedPath, loadPath, redactPaths } from './load.ts'
import { toMarkdown } from './markdown.ts'

/** Writes a path as a file. Every text passes the egress guard first; that it left is on the record. */
export async function exportPath(
  desk: Desk & Pick<ConversationsOptions, 'redact'> & { depends: Depends },
  who: Caller,
  request: ExportPath,
): Promise<Outcome<Exported>> {
  const { path, format, branches } = ExportPath.parse(request)
  const db = desk.storage.read
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const { row, conversation } = found.value
  const rows = format === 'ipynb' && branches ? await exportable(db, row) : [row]
  const loaded = []
  for (const each of rows) loaded.push(await loadPath(db, desk.depends, each, conversation.version))
  const content = await redactPaths(
    {
      title: conversation.title,
      metadata: conversation.notebook === null ? null : JSON.parse(conversation.notebook),
      paths: loaded,
    },
    texts => desk.redact(who, conversation.id, texts, fileWords[format]),
  )
  const shown = content.paths.find(each => each.id === path)
  if (!shown) throw new Error(`path ${path} was not loaded`)
  const text =
    format === 'ipynb'
      ? toNotebook(content.title, content.metadata, shown, content.paths)
      : format === 'markdown'
        ? toMarkdown(content.title, shown)
        : await page(content.title, shown)
  const fileName = fileNameFor(content.title, shown.name, format)
  await desk.storage.write(transaction =>
    desk.audit.append(transaction, {
      action: 'conversation.exported',
      tenant: who.tenant,
      actor: who.user,
      conversation: conversation.id,
      path,
      details: { format, fileName, sha256: hashOf(text), paths: rows.length },
    }),
  )
  return ok({ fileName, mediaType: mediaTypes[format], text })
}

const pageTimeLimitMs = 5_000

/** Some texts take a Markdown parser minutes, by accident or on purpose; a page with one shows all as it was written. */
async function page(title: string, shown: ExportedPath): Promise<string> {
  const path = await withPictures(shown)
  const made = await askThread<string>('pages', { title, path }, pageTimeLimitMs)
  return made ?? toHtml(title, path, asWritten)
}

/** A page without script cannot draw: each chart gets a picture of itself, where it can be drawn. */
async function withPictures(path: ExportedPath): Promise<ExportedPath> {
  const specs = path.items.flatMap(item => item.outputs.flatMap(({ output }) => chartsIn(output)))
  const pictures = (await drawCharts(specs)).values()
  const drawn = path.items.map(item => ({
    ...item,
    outputs: item.outputs.map(kept => {
      const { output } = kept
      const svg = chartsIn(output).length > 0 ? pictures.next().value : null
      if (!svg || (output.type !== 'display' && output.type !== 'result')) return kept
      return { ...kept, output: { ...output, data: { ...output.data, 'image/svg+xml': svg } } }
    }),
  }))
  return { ...path, items: drawn }
}

function chartsIn(output: Output): unknown[] {
  if (output.type !== 'display' && output.type !== 'result') return []
  const [spec] = Object.entries(output.data).filter(([type]) => /^application\/vnd\.vegalite\./.test(type))
  return spec && !('image/png' in output.data) ? [spec[1]] : []
}

/** What the list of departures calls the file. */
const fileWords = { ipynb: 'Jupyter notebook', markdown: 'Markdown file', html: 'web page' } as const

const mediaTypes = {
  ipynb: 'application/x-ipynb+json',
  markdown: 'text/markdown;charset=utf-8',
  html: 'text/html;charset=utf-8',
} as const
const endings = { ipynb: 'ipynb', markdown: 'md', html: 'html', pdf: 'pdf' } as const

/** All paths that are not deleted, and deleted ones that others grow from; parents before children. */
async function exportable(db: Db, shown: PathRow): Promise<PathRow[]> {
  const rows = await db
    .selectFrom('paths')
    .selectAll()
    .where('conversation', '=', shown.conversation)
    .orderBy('id')
    .execute()
  const byId = new Map(rows.map(row => [row.id, row]))
  const needed = new Set<PathId>()
  for (const row of rows) {
    if (row.state === 'deleted') continue
    for (
      let at: PathRow | undefined = row;
      at && !needed.has(at.id);
      at = at.parent ? byId.get(at.parent) : undefined
    ) {
      needed.add(at.id)
    }
  }
  return rows.filter(row => needed.has(row.id))
}

/** A name that every file system takes: no folders, no control characters, no reserved names. */
export function fileNameFor(title: string, path: string, format: keyof typeof endings): string {
  const plain = (path === 'main' ? title : `${title} - ${path}`)
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
    .slice(0, 120)
    .trim()
  const name = plain === '' || /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(plain) ? `notebook ${plain}`.trim() : plain
  return `${name}.${endings[format]}`
}
