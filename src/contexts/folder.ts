import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Sandbox, WorkFolder } from '../sandbox/sandbox.ts'

/** A path's files, whether or not it has a sandbox yet: without one there is nothing to see, and writing makes one. */
export function folderOf(now: () => Sandbox | null, made: () => Promise<Outcome<Sandbox>>): WorkFolder {
  const missing = () =>
    fail('not-found', 'There is no such file: this path has no sandbox at the moment.', 'Run a cell, or add a file.')
  return {
    list: async folder => now()?.files.list(folder) ?? ok([]),
    read: async (path, range) => now()?.files.read(path, range) ?? missing(),
    remove: async path => now()?.files.remove(path) ?? missing(),
    async write(path, bytes, options) {
      const sandbox = await made()
      return sandbox.ok ? sandbox.value.files.write(path, bytes, options) : sandbox
    },
  }
}
