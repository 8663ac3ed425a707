import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ConversationTree, Template } from '../contract/conversations.ts'
import type { ConversationId, PathId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { resource } from '../places.ts'
import type { Caller, ConversationsOptions, Follow } from './conversations.ts'
import { fileNameFor } from './exporting/export.ts'
import { type ExportedPath, loadPath } from './exporting/load.ts'
import { toNotebook } from './notebooks/export.ts'
import { importNotebook } from './notebooks/import.ts'
import { type Desk, findPath, noConversation } from './operation.ts'
import type { Depends } from './stale.ts'
import { findSummary, readTree } from './tree.ts'

type Copying = Desk & Pick<ConversationsOptions, 'copying'> & { readonly depends: Depends; readonly templates: string }

/** A conversation with all its paths once more. Its outputs come along as outputs of no run: nothing ran in the copy. */
export async function duplicate(desk: Copying, who: Caller, id: ConversationId): Promise<Outcome<ConversationTree>> {
  const tree = await readTree(desk.storage.read, who, id)
  if (!tree.ok) return tree
  const paths: ExportedPath[] = []
  for (const path of tree.value.paths) {
    const loaded = await load(desk, who, path.id)
    if (!loaded) return noConversation()
    paths.push(loaded)
  }
  const shown = paths.find(path => path.id === tree.value.conversation.main)
  if (!shown) return noConversation()
  const title = `${tree.value.conversation.title} (copy)`.slice(0, 200)
  const follow = await desk.copying?.(who, id)
  return open(desk, who, title, toNotebook(title, null, shown, paths), follow)
}

/** Keeps a path as a starting point for others: its texts and code, without what it showed. */
export async function saveTemplate(desk: Copying, who: Caller, path: PathId, name: string): Promise<Outcome<Template>> {
  const found = await findPath(desk.storage.read, who, path)
  if (!found.ok) return found
  const loaded = await load(desk, who, path)
  if (!loaded) return noConversation()
  const bare = {
    ...loaded,
    name: 'main',
    parent: null,
    items: loaded.items.map(item => ({ ...item, run: null, outputs: [] })),
  }
  const file = fileNameFor(name, 'main', 'ipynb')
  const folder = folderOf(desk, who)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, file), toNotebook(name, null, bare, [bare]), { mode: 0o600 })
  await desk.storage.write(db =>
    desk.audit.append(db, {
      action: 'template.saved',
      tenant: who.tenant,
      actor: who.user,
      conversation: found.value.conversation.id,
      path,
      details: { name, cells: bare.items.length },
    }),
  )
  return ok({ id: `own/${file}`, name, own: true, about: '' })
}

/** Those that ship with the application, and this person's own. */
export async function listTemplates(desk: Copying, who: Caller): Promise<Template[]> {
  const shipped = Index.parse(JSON.parse(await readFile(resource('templates', 'index.json'), 'utf8')))
  const own = await readdir(folderOf(desk, who)).catch(() => [])
  return [
    ...own
      .filter(file => file.endsWith('.ipynb'))
      .sort()
      .map(file => ({ id: `own/${file}`, name: file.replace(/\.ipynb$/, ''), own: true, about: '' })),
    ...shipped.map(({ file, name, about }) => ({ id: `shipped/${file}`, name, own: false, about })),
  ]
}

export async function fromTemplate(desk: Copying, who: Caller, id: string): Promise<Outcome<ConversationTree>> {
  const template = (await listTemplates(desk, who)).find(each => each.id === id)
  if (!template) return noTemplate
  return open(desk, who, template.name, await readFile(fileOf(desk, who, template), 'utf8'))
}

export async function removeTemplate(desk: Copying, who: Caller, id: string): Promise<Outcome<void>> {
  const template = (await listTemplates(desk, who)).find(each => each.id === id && each.own)
  if (!template) return noTemplate
  await rm(fileOf(desk, who, template))
  const details = { name: template.name }
  await desk.storage.write(db =>
    desk.audit.append(db, { action: 'template.removed', tenant: who.tenant, actor: who.user, details }),
  )
  return ok(undefined)
}

const Index = z.array(z.object({ file: z.string(), name: z.string(), about: z.string() }))

const noTemplate = fail('not-found', 'This template does not exist.', 'It may have been removed; look at the list.')

const folderOf = (desk: Copying, who: Caller): string => join(desk.templates, who.tenant)

/** Only of a template that was listed: an id is never a path of somebody's choice. */
function fileOf(desk: Copying, who: Caller, { id, own }: Template): string {
  const file = id.slice(id.indexOf('/') + 1)
  return own ? join(folderOf(desk, who), file) : resource('templates', file)
}

async function load(desk: Copying, who: Caller, path: PathId): Promise<ExportedPath | null> {
  const found = await findPath(desk.storage.read, who, path)
  if (!found.ok) return null
  return loadPath(desk.storage.read, desk.depends, found.value.row, found.value.conversation.version)
}

async function open(
  desk: Copying,
  who: Caller,
  title: string,
  text: string,
  follow?: Follow,
): Promise<Outcome<ConversationTree>> {
  const file = { name: fileNameFor(title, 'main', 'ipynb'), bytes: Buffer.from(text) }
  const imported = await importNotebook(desk, who, file, 'conversation.created', follow)
  if (!imported.ok) return imported
  const made = await findSummary(desk.storage.read, who, imported.value.conversation.id)
  return made.ok ? readTree(desk.storage.read, who, made.value.id) : made
}
