import type { PathRef } from '../contract/contexts.ts'
import { fail, type Outcome, ok, problemOf } from '../contract/problem.ts'
import type { FileChanges, RunOutcome } from '../contract/run.ts'
import { type Left, type ManifestChanges, manifestChanges, type PathFiles } from '../files/files.ts'
import type { Sandbox, WorkFolder } from '../sandbox/sandbox.ts'

/** A path's files around its sandboxes: handed to each new one, and kept after every run and upload. */
export class Keeping {
  readonly #files: PathFiles

  constructor(files: PathFiles) {
    this.#files = files
  }

  /** Gives a new sandbox the files of its path. Answers what the person must be told, where some could not be had. */
  async handTo(ref: PathRef, sandbox: Sandbox): Promise<string | null> {
    return told('not there any more', await this.#files.restore(await this.#files.head(ref), sandbox.files))
  }

  hash(ref: PathRef): Promise<string> {
    return this.#files.headHash(ref)
  }

  /** Brings a sandbox that was paused to what its path has now. Only what was changed meanwhile is sent again. */
  async catchUp(ref: PathRef, sandbox: Sandbox, since: string): Promise<string | null> {
    if ((await this.#files.headHash(ref)) === since) return null
    const head = await this.#files.head(ref)
    return this.bring(sandbox, manifestChanges((await this.#files.manifest(since)) ?? [], head))
  }

  /** Puts into an open sandbox what was changed on its path beside it. What the path has stays as it is. */
  async bring(sandbox: Sandbox, { written, removed }: ManifestChanges): Promise<string | null> {
    for (const path of removed) await sandbox.files.remove(path)
    return told('not there any more', await this.#files.restore([...written], sandbox.files))
  }

  /** Keeps what a run has changed, and says in its outcome what it found and left. */
  async afterRun(ref: PathRef, sandbox: Sandbox, outcome: RunOutcome): Promise<RunOutcome> {
    try {
      if (isEmpty(outcome.files)) {
        const hash = await this.#files.headHash(ref)
        return { ...outcome, manifests: { before: hash, after: hash } }
      }
      const { before, after, left } = await this.#files.keep(ref, sandbox.files, outcome.files)
      const warning = told('not kept', left)
      const warnings = warning ? [...outcome.warnings, warning] : outcome.warnings
      return { ...outcome, manifests: { before, after }, warnings }
    } catch (thrown) {
      // What a full disk says of the files must not cost the person the outcome of the run.
      const warning = `The files of this run are not kept: ${problemOf(thrown).message}`
      return { ...outcome, warnings: [...outcome.warnings, warning] }
    }
  }

  /** The path's files, whether or not it has a sandbox now: without one the kept files are shown, and writing makes one. */
  folderOf(ref: PathRef, now: () => Sandbox | null, made: () => Promise<Outcome<Sandbox>>): WorkFolder {
    const kept = keptFolder(ref, this.#files)
    const keep = async (sandbox: Sandbox, paths: string[], how: 'created' | 'deleted') => {
      const changed = { created: [], modified: [], deleted: [], [how]: paths }
      const { left } = await this.#files.keep(ref, sandbox.files, changed)
      const [first] = left
      return first
        ? fail('files.not-kept', `${first.path}: ${first.reason}`, 'Remove other files first.')
        : ok(undefined)
    }
    return {
      list: folder => (now()?.files ?? kept).list(folder),
      read: (path, range) => (now()?.files ?? kept).read(path, range),
      async remove(path) {
        const sandbox = now()
        if (!sandbox) return kept.remove(path)
        const gone: string[] = []
        const removed = await removeAll(sandbox.files, path, gone)
        // Also where it went only half-way: what is gone is not to come back with the next sandbox.
        const noted = gone.length > 0 ? await keep(sandbox, gone, 'deleted') : ok(undefined)
        return removed.ok ? noted : removed
      },
      async write(path, bytes, options) {
        const sandbox = await made()
        if (!sandbox.ok) return sandbox
        const written = await sandbox.value.files.write(path, bytes, options)
        return written.ok ? keep(sandbox.value, [path], 'created') : written
      },
    }
  }
}

/** The kept files of a path that has no sandbox. */
function keptFolder(ref: PathRef, files: PathFiles): Omit<WorkFolder, 'write'> {
  const missing = () => fail('not-found', 'There is no such file.', 'Look at the list of files.')
  const find = async (path: string) => (await files.head(ref)).find(file => file.path === path)
  return {
    async list(folder = '') {
      const prefix = folder === '' ? '' : `${folder}/`
      const found = new Map<string, { kind: 'file' | 'folder'; bytes: number }>()
      for (const { path, bytes } of await files.head(ref)) {
        if (!path.startsWith(prefix)) continue
        const [name, ...below] = path.slice(prefix.length).split('/')
        found.set(prefix + name, below.length > 0 ? { kind: 'folder', bytes: 0 } : { kind: 'file', bytes })
      }
      const entries = [...found].map(([path, { kind, bytes }]) => ({ path, kind, bytes, modifiedAt: 0 }))
      return ok(
        entries.sort((a, b) => Number(a.kind === 'file') - Number(b.kind === 'file') || (a.path < b.path ? -1 : 1)),
      )
    },
    async read(path, range) {
      const file = await find(path)
      if (!file) return missing()
      const from = range?.offset ?? 0
      const to = range ? from + range.length : file.bytes
      const parts: Uint8Array[] = []
      let at = 0
      for await (const part of files.read(file.sha256)) {
        if (!part.ok) return part
        const { length } = part.value
        if (at + length > from && at < to)
          parts.push(part.value.subarray(Math.max(0, from - at), Math.min(length, to - at)))
        at += length
      }
      return ok(Buffer.concat(parts))
    },
    async remove(path) {
      const removed = (await files.head(ref)).map(file => file.path).filter(each => isAt(each, path))
      if (removed.length === 0) return missing()
      await files.change(ref, { written: [], removed })
      return ok(undefined)
    },
  }
}

const isAt = (file: string, path: string) => file === path || file.startsWith(`${path}/`)

/** A file, or a folder with all that is in it. A link is removed, never followed: what it names cannot be listed. */
async function removeAll(folder: WorkFolder, path: string, gone: string[]): Promise<Outcome<void>> {
  const inside = await folder.list(path)
  for (const each of inside.ok ? inside.value : []) {
    const removed =
      each.kind === 'folder' ? await removeAll(folder, each.path, gone) : await removeOne(folder, each.path, gone)
    if (!removed.ok) return removed
  }
  return removeOne(folder, path, gone)
}

async function removeOne(folder: WorkFolder, path: string, gone: string[]): Promise<Outcome<void>> {
  const removed = await folder.remove(path)
  if (removed.ok) gone.push(path)
  return removed
}

const isEmpty = ({ created, modified, deleted }: FileChanges) => created.length + modified.length + deleted.length === 0

const most = 3

function told(how: string, left: readonly Left[]): string | null {
  if (left.length === 0) return null
  const named = left.slice(0, most).map(({ path, reason }) => `${path} (${reason})`)
  const more = left.length > most ? ` and ${left.length - most} more` : ''
  return `Files ${how}: ${named.join(', ')}${more}`
}
