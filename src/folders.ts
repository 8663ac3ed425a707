import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { FolderPage } from './contract/folders.ts'
import { fail, type Outcome, ok } from './contract/problem.ts'
import { modelIn } from './privacy/privacy.ts'

/** A longer list would be searched by nobody, and each folder in it is looked into. */
const mostListed = 500

/** What is in a folder, for choosing one: only folders, by name, with a mark on those that hold a model for names. */
export async function listFolders(folder: string, hidden: boolean): Promise<Outcome<FolderPage>> {
  const path = resolve(folder === '' ? homedir() : folder)
  const names = await foldersIn(path)
  if (!names.ok) return names
  const wanted = names.value
    .filter(name => hidden || !name.startsWith('.'))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' }))
  const folders = wanted.slice(0, mostListed).map(async name => {
    const inside = join(path, name)
    return { name, path: inside, hasModel: (await modelIn(inside)) !== null }
  })
  return ok({
    path,
    above: placesAbove(path),
    folders: await Promise.all(folders),
    left: Math.max(0, wanted.length - mostListed),
    model: await modelIn(path),
  })
}

async function foldersIn(path: string): Promise<Outcome<string[]>> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    // A link may lead to a folder; one that does not is refused when somebody goes there.
    return ok(entries.filter(entry => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return code === 'EACCES' || code === 'EPERM'
      ? fail('access.denied', `You may not look into ${path}.`, 'Choose another folder.')
      : fail('not-found', `There is no folder ${path}.`, 'It may have been moved. Choose another one.')
  }
}

function placesAbove(path: string): FolderPage['above'] {
  const places: FolderPage['above'] = []
  for (let at = path; ; at = dirname(at)) {
    places.unshift({ name: basename(at) || at, path: at })
    if (dirname(at) === at) return places
  }
}
